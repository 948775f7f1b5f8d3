//! Selects: what they read from, and what they give.

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, Ident, Join, JoinConstraint, JoinOperator, ObjectName,
    ObjectNamePart, Select, SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind, TableAlias,
    TableFactor, TableWithJoins, WildcardAdditionalOptions,
};

use super::scope::{Relation, Scope, Shape};
use super::writer::{Writer, Written, WrittenQuery, list, quoted, refuse_if};
use crate::sql::policy::{AllowedTable, Columns, Dialect};
use crate::sql::refusal::{Part, Refusal};

/// The most characters of an expression that stand above its column.
const HEADING_MAX: usize = 64;

impl Writer<'_> {
    pub(super) fn select(&mut self, select: &Select) -> Result<WrittenQuery, Refusal> {
        check_clauses(select)?;
        let is_outermost = self.is_outermost();
        self.scopes.push(Scope::default());
        let from = self.from(&select.from)?;
        let (items, shape) = self.projection(&select.projection, is_outermost)?;
        let distinct = self.distinct(select.distinct.as_ref())?;
        let selection = self.clause("WHERE", select.selection.as_ref())?;
        let group = self.group_by(&select.group_by)?;
        let having = self.clause("HAVING", select.having.as_ref())?;
        Ok(WrittenQuery {
            text: format!("SELECT {distinct}{items}{from}{selection}{group}{having}"),
            shape,
            scope: self.scopes.pop().unwrap_or_default(),
        })
    }

    fn clause(&mut self, word: &str, condition: Option<&Expr>) -> Written {
        match condition {
            Some(condition) => Ok(format!(" {word} {}", self.expression(condition)?)),
            None => Ok(String::new()),
        }
    }

    fn distinct(&mut self, distinct: Option<&Distinct>) -> Written {
        match distinct {
            None | Some(Distinct::All) => Ok(String::new()),
            Some(Distinct::Distinct) => Ok("DISTINCT ".to_owned()),
            Some(Distinct::On(terms)) if self.policy.dialect == Dialect::Postgres => {
                Ok(format!("DISTINCT ON ({}) ", self.expressions(terms)?))
            }
            Some(Distinct::On(_)) => Err(Refusal::unsupported("DISTINCT ON")),
        }
    }

    fn group_by(&mut self, group: &GroupByExpr) -> Written {
        match group {
            GroupByExpr::All(_) => Err(Refusal::unsupported("GROUP BY ALL")),
            GroupByExpr::Expressions(terms, modifiers) => {
                refuse_if(!modifiers.is_empty(), "a modifier of GROUP BY")?;
                if terms.is_empty() {
                    return Ok(String::new());
                }
                Ok(format!(" GROUP BY {}", self.expressions(terms)?))
            }
        }
    }

    fn from(&mut self, from: &[TableWithJoins]) -> Written {
        if from.is_empty() {
            return Ok(String::new());
        }
        let tables = from.iter().map(|table| self.joined(table));
        let tables: Vec<String> = tables.collect::<Result<_, _>>()?;
        Ok(format!(" FROM {}", tables.join(", ")))
    }

    fn joined(&mut self, table: &TableWithJoins) -> Written {
        let mut text = self.factor(&table.relation)?;
        for join in &table.joins {
            text.push_str(&self.join(join)?);
        }
        Ok(text)
    }

    fn join(&mut self, join: &Join) -> Written {
        refuse_if(join.global, "GLOBAL JOIN")?;
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "all that is not named is refused"
        )]
        let (word, constraint) = match &join.join_operator {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => {
                ("JOIN", constraint)
            }
            JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => {
                ("LEFT JOIN", constraint)
            }
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => {
                ("RIGHT JOIN", constraint)
            }
            JoinOperator::FullOuter(constraint) => ("FULL JOIN", constraint),
            JoinOperator::CrossJoin(constraint) => ("CROSS JOIN", constraint),
            _ => return Err(Refusal::unsupported("a join of another dialect")),
        };
        let relation = self.factor(&join.relation)?;
        match constraint {
            JoinConstraint::On(condition) => Ok(format!(
                " {word} {relation} ON {}",
                self.expression(condition)?
            )),
            JoinConstraint::Using(columns) => {
                let columns = columns
                    .iter()
                    .map(|name| self.shared_column(self.single(name, Part::Column)?));
                let columns: Vec<String> = columns.collect::<Result<_, _>>()?;
                Ok(format!(" {word} {relation} USING ({})", columns.join(", ")))
            }
            JoinConstraint::None => Ok(format!(" {word} {relation}")),
            // It names no columns: whoever reads the statement cannot see which are compared.
            JoinConstraint::Natural => Err(Refusal::unsupported("NATURAL JOIN")),
            JoinConstraint::UsingAlias(..) => Err(Refusal::unsupported("USING with an alias")),
        }
    }

    /// A column that the last table shares with one before it.
    fn shared_column(&self, name: &Ident) -> Written {
        let folded = self.folded(name)?;
        if self
            .scopes
            .last()
            .is_some_and(|scope| scope.shares(&folded))
        {
            self.spelled(name)
        } else {
            Err(Refusal::not_listed(Part::Column, name.value.clone()))
        }
    }

    fn factor(&mut self, factor: &TableFactor) -> Written {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "all that is not named is refused"
        )]
        match factor {
            TableFactor::Table {
                name,
                alias,
                args,
                with_hints,
                version,
                with_ordinality,
                partitions,
                json_path,
                sample,
                index_directives,
                inheritance,
            } => {
                if args.is_some() {
                    return Err(Refusal::not_listed(Part::Function, name.to_string()));
                }
                let is_plain = with_hints.is_empty()
                    && version.is_none()
                    && !with_ordinality
                    && partitions.is_empty()
                    && json_path.is_none()
                    && sample.is_none()
                    && index_directives.is_empty()
                    && inheritance.is_none();
                refuse_if(!is_plain, "a modifier of a table")?;
                self.table(name, alias.as_ref())
            }
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample,
            } => {
                refuse_if(*lateral || sample.is_some(), "LATERAL or a sample")?;
                let (text, shape) = self.query(subquery)?;
                let alias = self.relation(alias.as_ref(), None, shape)?;
                Ok(format!("({text}){alias}"))
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias: None,
            } => Ok(format!("({})", self.joined(table_with_joins)?)),
            _ => Err(Refusal::unsupported(
                "a function or an expression in the place of a table",
            )),
        }
    }

    /// A table of the list, or a query that `WITH` names.
    fn table(&mut self, name: &ObjectName, alias: Option<&TableAlias>) -> Written {
        let (ident, has_schema) = self.table_name(name)?;
        let folded = self.folded(ident)?;
        let mut named = self.named_queries.iter().rev();
        let named = named.find(|(query, _)| *query == folded && !has_schema);
        if let Some((_, shape)) = named {
            let shape = shape.clone();
            let alias = self.relation(alias, Some(folded.clone()), shape)?;
            return Ok(format!("{}{alias}", quoted(&folded)));
        }
        let Some(table) = self.policy.table(&folded) else {
            return Err(Refusal::not_listed(Part::Table, ident.value.clone()));
        };
        self.tables.insert(table.name.clone());
        let source = self.source(table);
        let shape = match &table.columns {
            Columns::All => Shape::Open,
            Columns::Listed(columns) => Shape::Closed(
                columns
                    .iter()
                    .map(|column| self.policy.dialect.folded(column, true))
                    .collect(),
            ),
        };
        let alias = self.relation(alias, Some(folded), shape)?;
        Ok(format!("{source}{alias}"))
    }

    /// The name of a table, and whether it stands behind that of its schema.
    fn table_name<'n>(&self, name: &'n ObjectName) -> Result<(&'n Ident, bool), Refusal> {
        if let [
            ObjectNamePart::Identifier(schema),
            ObjectNamePart::Identifier(table),
        ] = name.0.as_slice()
            && self.is(Dialect::Postgres)
            && self.folded(schema)? == self.policy.schema
        {
            return Ok((table, true));
        }
        Ok((self.single(name, Part::Table)?, false))
    }

    /// The table as the engine is to see it: with its schema, so that no other thing of that name is meant, and with the
    /// listed columns alone. In SQLite a view stands for it.
    fn source(&self, table: &AllowedTable) -> String {
        let place = format!("{}.{}", quoted(&self.policy.schema), quoted(&table.name));
        match self.policy.dialect {
            Dialect::Sqlite => place,
            Dialect::Postgres => {
                let columns = match &table.columns {
                    Columns::All => "*".to_owned(),
                    Columns::Listed(columns) => {
                        let columns: Vec<_> = columns.iter().map(|name| quoted(name)).collect();
                        columns.join(", ")
                    }
                };
                format!("(SELECT {columns} FROM {place})")
            }
        }
    }

    /// Brings a table into sight, under its alias or else under its own name.
    fn relation(
        &mut self,
        alias: Option<&TableAlias>,
        own: Option<String>,
        shape: Shape,
    ) -> Written {
        let (name, columns) = match alias {
            Some(alias) => (Some(self.folded(&alias.name)?), self.alias_columns(alias)?),
            None => (own, Vec::new()),
        };
        let is_foreign = !columns.is_empty() && self.policy.dialect == Dialect::Sqlite;
        refuse_if(is_foreign, "columns behind an alias")?;
        let text = match &name {
            Some(name) => format!(" AS {}{}", quoted(name), list(&columns)),
            None => String::new(),
        };
        let shape = shape.renamed(&columns);
        if let Some(scope) = self.scopes.last_mut() {
            scope.relations.push(Relation { name, shape });
        }
        Ok(text)
    }

    fn projection(
        &mut self,
        items: &[SelectItem],
        is_outermost: bool,
    ) -> Result<(String, Shape), Refusal> {
        let mut texts = Vec::new();
        let mut shape = Shape::Closed(Vec::new());
        for item in items {
            let (text, columns) = self.item(item, is_outermost)?;
            texts.push(text);
            shape = shape.and(columns);
        }
        if let (Shape::Closed(names), Some(scope)) = (&shape, self.scopes.last_mut()) {
            scope.results.extend(names.iter().cloned());
        }
        Ok((texts.join(", "), shape))
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "no other expression has a name"
    )]
    fn item(&mut self, item: &SelectItem, is_outermost: bool) -> Result<(String, Shape), Refusal> {
        match item {
            SelectItem::UnnamedExpr(expr) => {
                let text = self.expression(expr)?;
                let name = match expr {
                    Expr::Identifier(name) => Some(name),
                    Expr::CompoundIdentifier(names) => names.last(),
                    _ => None,
                };
                match name {
                    Some(name) => Ok((text, self.named(name)?)),
                    None if is_outermost && self.policy.dialect == Dialect::Sqlite => {
                        // People would read the text that the engine got.
                        let heading: String = expr.to_string().chars().take(HEADING_MAX).collect();
                        Ok((format!("{text} AS {}", quoted(&heading)), Shape::Open))
                    }
                    // How an engine names it is its own affair.
                    None => Ok((text, Shape::Open)),
                }
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                let text = self.expression(expr)?;
                let shape = self.named(alias)?;
                // The name is in sight of what stands behind the list, even if another item has none.
                if let (Shape::Closed(names), Some(scope)) = (&shape, self.scopes.last_mut()) {
                    scope.results.extend(names.iter().cloned());
                }
                Ok((format!("{text} AS {}", self.spelled(alias)?), shape))
            }
            SelectItem::Wildcard(options) => {
                check_wildcard(options)?;
                let shape = self.scopes.last().map(Scope::all);
                Ok(("*".to_owned(), shape.unwrap_or(Shape::Open)))
            }
            SelectItem::QualifiedWildcard(
                SelectItemQualifiedWildcardKind::ObjectName(name),
                options,
            ) => {
                check_wildcard(options)?;
                let ident = self.single(name, Part::Table)?;
                let folded = self.folded(ident)?;
                let relation = self.scopes.last().and_then(|scope| scope.named(&folded));
                let Some(relation) = relation else {
                    return Err(Refusal::not_listed(Part::Table, ident.value.clone()));
                };
                Ok((format!("{}.*", quoted(&folded)), relation.shape.clone()))
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::Expr(_), _)
            | SelectItem::ExprWithAliases { .. } => {
                Err(Refusal::unsupported("a list of another dialect"))
            }
        }
    }

    fn named(&self, name: &Ident) -> Result<Shape, Refusal> {
        Ok(Shape::Closed(vec![self.folded(name)?]))
    }
}

fn check_wildcard(options: &WildcardAdditionalOptions) -> Result<(), Refusal> {
    let is_plain = options.opt_ilike.is_none()
        && options.opt_exclude.is_none()
        && options.opt_except.is_none()
        && options.opt_replace.is_none()
        && options.opt_rename.is_none()
        && options.opt_alias.is_none();
    refuse_if(!is_plain, "a modifier of *")
}

/// Refuses what other dialects hang onto a select.
fn check_clauses(select: &Select) -> Result<(), Refusal> {
    refuse_if(select.into.is_some(), "INTO")?;
    refuse_if(select.projection.is_empty(), "a SELECT of nothing")?;
    refuse_if(!select.named_window.is_empty(), "WINDOW")?;
    let is_plain = select.optimizer_hints.is_empty()
        && select.select_modifiers.is_none()
        && select.top.is_none()
        && select.exclude.is_none()
        && select.lateral_views.is_empty()
        && select.prewhere.is_none()
        && select.connect_by.is_empty()
        && select.cluster_by.is_empty()
        && select.distribute_by.is_empty()
        && select.sort_by.is_empty()
        && select.qualify.is_none()
        && select.value_table_mode.is_none()
        && matches!(select.flavor, SelectFlavor::Standard);
    refuse_if(!is_plain, "a clause of another dialect")
}
