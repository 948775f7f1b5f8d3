//! Statements, written anew from what was understood of them.

use std::collections::BTreeSet;

use sqlparser::ast::{
    Cte, CteAsMaterialized, Expr, Fetch, Ident, LimitClause, ObjectName, ObjectNamePart, OrderBy,
    OrderByExpr, OrderByKind, OrderByOptions, OrderBySort, Query, SetExpr, SetOperator,
    SetQuantifier, TableAlias, Values, With,
};

use super::scope::{Scope, Shape};
use crate::sql::policy::{Dialect, Policy};
use crate::sql::refusal::{Part, Refusal};

/// A part of a statement, written anew.
pub(super) type Written = Result<String, Refusal>;

/// The writer of one statement.
#[derive(Debug)]
pub(super) struct Writer<'p> {
    /// The things that it may name.
    pub(super) policy: &'p Policy,
    /// The names in sight, the innermost last.
    pub(super) scopes: Vec<Scope>,
    /// The queries that `WITH` names, by folded name, the innermost last.
    pub(super) named_queries: Vec<(String, Shape)>,
    /// The tables of the policy that were named.
    pub(super) tables: BTreeSet<String>,
    /// The number of queries around what is written: 1 in the statement itself.
    depth: usize,
}

/// A query or a part of one, the columns that it gives, and what its order may name.
pub(super) struct WrittenQuery {
    pub(super) text: String,
    pub(super) shape: Shape,
    pub(super) scope: Scope,
}

impl<'p> Writer<'p> {
    pub(super) const fn new(policy: &'p Policy) -> Self {
        Self {
            policy,
            scopes: Vec::new(),
            named_queries: Vec::new(),
            tables: BTreeSet::new(),
            depth: 0,
        }
    }

    /// The whole statement, and the tables that it reads.
    pub(super) fn statement(
        mut self,
        query: &Query,
    ) -> Result<(String, BTreeSet<String>), Refusal> {
        let (text, _) = self.query(query)?;
        Ok((text, self.tables))
    }

    /// Tells whether what is written is no part of another query.
    pub(super) const fn is_outermost(&self) -> bool {
        self.depth == 1
    }

    pub(super) fn query(&mut self, query: &Query) -> Result<(String, Shape), Refusal> {
        self.depth += 1;
        refuse_if(!query.locks.is_empty(), "a lock")?;
        let has_foreign = query.for_clause.is_some()
            || query.settings.is_some()
            || query.format_clause.is_some()
            || !query.pipe_operators.is_empty();
        refuse_if(has_foreign, "a clause of another dialect")?;
        let named = self.named_queries.len();
        let with = match &query.with {
            Some(with) => self.with(with)?,
            None => String::new(),
        };
        let body = self.set_expr(&query.body)?;
        self.scopes.push(body.scope);
        let order = match &query.order_by {
            Some(order) => self.order_by(order)?,
            None => String::new(),
        };
        self.scopes.pop();
        // No name of a table is in sight of a limit.
        let limit = self.limit(query.limit_clause.as_ref(), query.fetch.as_ref())?;
        self.named_queries.truncate(named);
        self.depth -= 1;
        Ok((format!("{with}{}{order}{limit}", body.text), body.shape))
    }

    fn with(&mut self, with: &With) -> Written {
        refuse_if(with.recursive, "WITH RECURSIVE")?;
        let parts = with.cte_tables.iter().map(|cte| self.named_query(cte));
        let parts: Vec<String> = parts.collect::<Result<_, _>>()?;
        Ok(format!("WITH {} ", parts.join(", ")))
    }

    fn named_query(&mut self, cte: &Cte) -> Written {
        refuse_if(cte.from.is_some(), "FROM behind the name of a WITH")?;
        let name = self.folded(&cte.alias.name)?;
        // SQLite reads a query that names its own name as recursion, whatever else has that name.
        let is_taken = self.named_queries.iter().any(|(taken, _)| *taken == name);
        refuse_if(is_taken, "a second WITH of the same name")?;
        let columns = self.alias_columns(&cte.alias)?;
        let (text, shape) = self.query(&cte.query)?;
        self.named_queries
            .push((name.clone(), shape.renamed(&columns)));
        let hint = match cte.materialized {
            Some(CteAsMaterialized::Materialized) => "MATERIALIZED ",
            Some(CteAsMaterialized::NotMaterialized) => "NOT MATERIALIZED ",
            None => "",
        };
        let columns = list(&columns);
        Ok(format!("{}{columns} AS {hint}({text})", quoted(&name)))
    }

    pub(super) fn set_expr(&mut self, body: &SetExpr) -> Result<WrittenQuery, Refusal> {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => {
                let (text, shape) = self.query(query)?;
                Ok(self.closed(format!("SELECT * FROM ({text}) AS \"q\""), shape))
            }
            SetExpr::SetOperation {
                left,
                op,
                set_quantifier,
                right,
            } => {
                let op = set_operator(*op, *set_quantifier)?;
                let left = self.set_expr(left)?;
                let is_chain = matches!(**right, SetExpr::SetOperation { .. });
                let right = self.set_expr(right)?.text;
                // Engines disagree on which operator binds tighter.
                let right = if is_chain {
                    format!("SELECT * FROM ({right}) AS \"q\"")
                } else {
                    right
                };
                Ok(self.closed(format!("{} {op} {right}", left.text), left.shape))
            }
            SetExpr::Values(values) => self.values(values),
            SetExpr::Insert(_)
            | SetExpr::Update(_)
            | SetExpr::Delete(_)
            | SetExpr::Merge(_)
            | SetExpr::Table(_) => Err(Refusal::NotAQuery),
        }
    }

    /// A query whose order may name its results alone.
    fn closed(&self, text: String, shape: Shape) -> WrittenQuery {
        let relation = super::scope::Relation {
            name: None,
            shape: shape.clone(),
        };
        let scope = Scope {
            relations: vec![relation],
            ..Scope::default()
        };
        WrittenQuery { text, shape, scope }
    }

    fn values(&mut self, values: &Values) -> Result<WrittenQuery, Refusal> {
        let is_foreign = values.explicit_row || values.value_keyword;
        refuse_if(is_foreign, "VALUES in the form of another dialect")?;
        let mut width = 0;
        let mut rows = Vec::new();
        for row in &values.rows {
            width = row.content.len();
            rows.push(format!("({})", self.expressions(&row.content)?));
        }
        let columns = (1..=width).map(|place| format!("column{place}")).collect();
        let text = format!("VALUES {}", rows.join(", "));
        Ok(self.closed(text, Shape::Closed(columns)))
    }

    fn order_by(&mut self, order: &OrderBy) -> Written {
        refuse_if(order.interpolate.is_some(), "INTERPOLATE")?;
        let OrderByKind::Expressions(terms) = &order.kind else {
            return Err(Refusal::unsupported("ORDER BY ALL"));
        };
        Ok(format!(" ORDER BY {}", self.order_terms(terms)?))
    }

    pub(super) fn order_terms(&mut self, terms: &[OrderByExpr]) -> Written {
        let terms = terms.iter().map(|term| {
            refuse_if(term.with_fill.is_some(), "WITH FILL")?;
            let OrderByOptions { sort, nulls_first } = &term.options;
            let sort = match sort {
                Some(OrderBySort::Asc) => " ASC",
                Some(OrderBySort::Desc) => " DESC",
                Some(OrderBySort::Using(_)) => return Err(Refusal::unsupported("ORDER BY USING")),
                None => "",
            };
            let nulls = match nulls_first {
                Some(true) => " NULLS FIRST",
                Some(false) => " NULLS LAST",
                None => "",
            };
            Ok(format!("{}{sort}{nulls}", self.expression(&term.expr)?))
        });
        terms
            .collect::<Result<Vec<_>, _>>()
            .map(|terms| terms.join(", "))
    }

    fn limit(&mut self, limit: Option<&LimitClause>, fetch: Option<&Fetch>) -> Written {
        let mut written = |word: &str, value: Option<&Expr>| match value {
            Some(value) => Ok(format!(" {word} {}", self.expression(value)?)),
            None => Ok(String::new()),
        };
        match (limit, fetch) {
            (None, None) => Ok(String::new()),
            (Some(LimitClause::OffsetCommaLimit { offset, limit }), None) => {
                let limit = written("LIMIT", Some(limit))?;
                Ok(limit + &written("OFFSET", Some(offset))?)
            }
            (
                Some(LimitClause::LimitOffset {
                    limit,
                    offset,
                    limit_by,
                }),
                None,
            ) => {
                refuse_if(!limit_by.is_empty(), "LIMIT BY")?;
                let limit = written("LIMIT", limit.as_ref())?;
                Ok(limit + &written("OFFSET", offset.as_ref().map(|offset| &offset.value))?)
            }
            (None, Some(fetch)) => {
                refuse_if(
                    fetch.with_ties || fetch.percent,
                    "FETCH with ties or percent",
                )?;
                written("LIMIT", fetch.quantity.as_ref())
            }
            (Some(_), Some(_)) => Err(Refusal::unsupported("LIMIT beside FETCH")),
        }
    }

    /// Returns the folded form of a name.
    pub(super) fn folded(&self, name: &Ident) -> Result<String, Refusal> {
        let is_quoted = match name.quote_style {
            None => false,
            Some('"') => true,
            Some('`' | '[') if self.policy.dialect == Dialect::Sqlite => true,
            Some(_) => return Err(Refusal::unsupported("a text in the place of a name")),
        };
        Ok(self.policy.dialect.folded(&name.value, is_quoted))
    }

    /// Returns the name in the form in which the engine gets it. SQLite keeps the statement's spelling, which people then see
    /// above a column.
    pub(super) fn spelled(&self, name: &Ident) -> Written {
        let folded = self.folded(name)?;
        Ok(quoted(match self.policy.dialect {
            Dialect::Sqlite => &name.value,
            Dialect::Postgres => &folded,
        }))
    }

    /// Returns the only part of a name.
    pub(super) fn single<'n>(
        &self,
        name: &'n ObjectName,
        part: Part,
    ) -> Result<&'n Ident, Refusal> {
        match name.0.as_slice() {
            [ObjectNamePart::Identifier(name)] => Ok(name),
            _ => Err(Refusal::not_listed(part, name.to_string())),
        }
    }

    /// Returns the folded names of the columns behind an alias.
    pub(super) fn alias_columns(&self, alias: &TableAlias) -> Result<Vec<String>, Refusal> {
        refuse_if(alias.at.is_some(), "AT behind an alias")?;
        let names = alias.columns.iter().map(|column| {
            refuse_if(column.data_type.is_some(), "a type behind an alias")?;
            self.folded(&column.name)
        });
        names.collect()
    }
}

fn set_operator(op: SetOperator, quantifier: SetQuantifier) -> Result<String, Refusal> {
    let op = match op {
        SetOperator::Union => "UNION",
        SetOperator::Except => "EXCEPT",
        SetOperator::Intersect => "INTERSECT",
        SetOperator::Minus => return Err(Refusal::unsupported("MINUS")),
    };
    match quantifier {
        SetQuantifier::All => Ok(format!("{op} ALL")),
        SetQuantifier::Distinct | SetQuantifier::None => Ok(op.to_owned()),
        SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName => {
            Err(Refusal::unsupported("BY NAME"))
        }
    }
}

/// Refuses the statement because of `what`, if it has that.
pub(super) const fn refuse_if(has: bool, what: &'static str) -> Result<(), Refusal> {
    if has {
        Err(Refusal::unsupported(what))
    } else {
        Ok(())
    }
}

/// The name in quotes, which mean the same to every engine.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The names in parentheses; nothing if there are none.
pub(super) fn list(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    format!("({})", names.join(", "))
}
