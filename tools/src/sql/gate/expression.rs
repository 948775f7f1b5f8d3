//! Expressions.

use sqlparser::ast::{
    BinaryOperator, CastKind, CeilFloorKind, DateTimeField, Expr, Ident, InTarget, Interval,
    ObjectNamePart, Query, TrimWhereField, TypedString, UnaryOperator, Value,
};

use super::kinds::{self, field};
use super::writer::{Writer, Written, refuse_if};
use crate::sql::policy::{Dialect, NUMBER};
use crate::sql::refusal::{Part, Refusal};

/// The most bytes of the characters that a function trims by.
const TRIMMED_MAX: usize = 64;

impl Writer<'_> {
    /// The expressions, with commas in between.
    pub(super) fn expressions(&mut self, list: &[Expr]) -> Written {
        let texts = list.iter().map(|expr| self.expression(expr));
        texts
            .collect::<Result<Vec<_>, _>>()
            .map(|texts| texts.join(", "))
    }

    /// The expression, as it can stand anywhere: no operator beside it binds tighter than those within.
    #[expect(
        clippy::too_many_lines,
        reason = "a table: one row for each form of an expression"
    )]
    pub(super) fn expression(&mut self, expr: &Expr) -> Written {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "all that is not named is refused"
        )]
        match expr {
            Expr::Identifier(name) => self.column(std::slice::from_ref(name)),
            Expr::CompoundIdentifier(names) => self.column(names),
            Expr::Value(value) => literal(&value.value),
            Expr::TypedString(typed) => self.typed(typed),
            Expr::Nested(inner) => Ok(format!("({})", self.expression(inner)?)),
            Expr::Tuple(parts) => Ok(format!("({})", self.expressions(parts)?)),
            Expr::IsNull(inner) => self.after(inner, "IS NULL"),
            Expr::IsNotNull(inner) => self.after(inner, "IS NOT NULL"),
            Expr::IsTrue(inner) => self.after(inner, "IS TRUE"),
            Expr::IsNotTrue(inner) => self.after(inner, "IS NOT TRUE"),
            Expr::IsFalse(inner) => self.after(inner, "IS FALSE"),
            Expr::IsNotFalse(inner) => self.after(inner, "IS NOT FALSE"),
            Expr::IsUnknown(inner) => self.after(inner, "IS NULL"),
            Expr::IsNotUnknown(inner) => self.after(inner, "IS NOT NULL"),
            Expr::IsDistinctFrom(left, right) => self.between(left, "IS DISTINCT FROM", right),
            Expr::IsNotDistinctFrom(left, right) => {
                self.between(left, "IS NOT DISTINCT FROM", right)
            }
            Expr::UnaryOp { op, expr } => {
                let op = unary(*op)?;
                Ok(format!("({op} {})", self.expression(expr)?))
            }
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right),
            Expr::Between {
                expr,
                negated,
                low,
                high,
            } => {
                let (low, high) = (self.expression(low)?, self.expression(high)?);
                let expr = self.expression(expr)?;
                Ok(format!(
                    "({expr}{} BETWEEN {low} AND {high})",
                    not(*negated)
                ))
            }
            Expr::In {
                expr,
                target,
                negated,
                global: false,
            } => {
                let expr = self.expression(expr)?;
                let target = self.in_target(target)?;
                Ok(format!("({expr}{} IN ({target}))", not(*negated)))
            }
            Expr::Like {
                negated,
                any: false,
                expr,
                pattern,
                escape_char,
            } => {
                self.function_listed_on("like", Dialect::Sqlite)?;
                self.like("LIKE", *negated, expr, pattern, escape_char.as_deref())
            }
            Expr::ILike {
                negated,
                any: false,
                expr,
                pattern,
                escape_char,
            } if self.is(Dialect::Postgres) => {
                self.like("ILIKE", *negated, expr, pattern, escape_char.as_deref())
            }
            Expr::Cast {
                kind: CastKind::Cast | CastKind::DoubleColon,
                expr,
                data_type,
                format: None,
            } => {
                let kind = kinds::written(data_type, self.policy.dialect)?;
                Ok(format!("CAST({} AS {kind})", self.expression(expr)?))
            }
            Expr::AtTimeZone {
                timestamp,
                time_zone,
            } if self.is(Dialect::Postgres) => self.between(timestamp, "AT TIME ZONE", time_zone),
            Expr::Interval(interval) if self.is(Dialect::Postgres) => interval_text(interval),
            Expr::Extract {
                field: part, expr, ..
            } if self.is(Dialect::Postgres) => {
                self.function_listed("extract")?;
                Ok(format!(
                    "EXTRACT({} FROM {})",
                    field(part)?,
                    self.expression(expr)?
                ))
            }
            Expr::Ceil {
                expr,
                field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime),
            } => self.call("ceil", &[expr]),
            Expr::Floor {
                expr,
                field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime),
            } => self.call("floor", &[expr]),
            Expr::Position { expr, r#in } => match self.policy.dialect {
                Dialect::Sqlite => self.call("instr", &[r#in, expr]),
                Dialect::Postgres => self.call("strpos", &[r#in, expr]),
            },
            Expr::Substring {
                expr,
                substring_from: Some(from),
                substring_for,
                ..
            } => match substring_for {
                Some(length) => self.call("substr", &[expr, from, length]),
                None => self.call("substr", &[expr, from]),
            },
            Expr::Trim {
                trim_where,
                trim_what,
                expr,
                trim_characters,
            } => self.trim(
                *trim_where,
                trim_what.as_deref(),
                expr,
                trim_characters.as_deref(),
            ),
            Expr::Collate { expr, collation } if self.is(Dialect::Sqlite) => {
                let ObjectNamePart::Identifier(name) = collation
                    .0
                    .first()
                    .filter(|_| collation.0.len() == 1)
                    .ok_or_else(|| Refusal::unsupported("this COLLATE"))?
                else {
                    return Err(Refusal::unsupported("this COLLATE"));
                };
                let name = name.value.to_ascii_uppercase();
                let is_known = matches!(name.as_str(), "NOCASE" | "BINARY" | "RTRIM");
                refuse_if(!is_known, "this COLLATE")?;
                Ok(format!("({} COLLATE {name})", self.expression(expr)?))
            }
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => {
                let mut text = "CASE".to_owned();
                if let Some(operand) = operand {
                    text = format!("{text} {}", self.expression(operand)?);
                }
                for when in conditions {
                    let (condition, result) = (
                        self.expression(&when.condition)?,
                        self.expression(&when.result)?,
                    );
                    text = format!("{text} WHEN {condition} THEN {result}");
                }
                if let Some(result) = else_result {
                    text = format!("{text} ELSE {}", self.expression(result)?);
                }
                Ok(format!("{text} END"))
            }
            Expr::Exists { subquery, negated } => {
                let query = self.subquery(subquery)?;
                let exists = format!("EXISTS ({query})");
                Ok(if *negated {
                    format!("(NOT {exists})")
                } else {
                    exists
                })
            }
            Expr::Subquery(query) => Ok(format!("({})", self.subquery(query)?)),
            Expr::Function(function) => self.function(function),
            _ => Err(Refusal::unsupported("this form of an expression")),
        }
    }

    pub(super) fn is(&self, dialect: Dialect) -> bool {
        self.policy.dialect == dialect
    }

    /// A column in sight, by its name alone or behind that of its table.
    pub(super) fn column(&self, names: &[Ident]) -> Written {
        let mut scopes = self.scopes.iter().rev();
        match names {
            [name] => {
                let folded = self.folded(name)?;
                if !scopes.any(|scope| scope.has(&folded)) {
                    return Err(Refusal::not_listed(Part::Column, name.value.clone()));
                }
                self.spelled(name)
            }
            [table, name] => {
                let (within, folded) = (self.folded(table)?, self.folded(name)?);
                match scopes.find_map(|scope| scope.has_in(&within, &folded)) {
                    Some(true) => Ok(format!("{}.{}", self.spelled(table)?, self.spelled(name)?)),
                    Some(false) => Err(Refusal::not_listed(Part::Column, name.value.clone())),
                    None => Err(Refusal::not_listed(Part::Table, table.value.clone())),
                }
            }
            _ => Err(Refusal::unsupported("a name of more than two parts")),
        }
    }

    fn after(&mut self, expr: &Expr, words: &str) -> Written {
        Ok(format!("({} {words})", self.expression(expr)?))
    }

    fn between(&mut self, left: &Expr, words: &str, right: &Expr) -> Written {
        let left = self.expression(left)?;
        Ok(format!("({left} {words} {})", self.expression(right)?))
    }

    /// A chain of one operator stays one: engines take it to any length, but not as many parentheses.
    fn binary(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) -> Written {
        let word = self.operator(op)?;
        let is_chain = matches!(left, Expr::BinaryOp { op: other, .. } if other == op);
        let is_associative = matches!(
            op,
            BinaryOperator::And
                | BinaryOperator::Or
                | BinaryOperator::Plus
                | BinaryOperator::Multiply
                | BinaryOperator::StringConcat
        );
        let is_arithmetic = matches!(
            op,
            BinaryOperator::Plus
                | BinaryOperator::Minus
                | BinaryOperator::Multiply
                | BinaryOperator::Divide
                | BinaryOperator::Modulo
        );
        let mut operand = |expr: &Expr| {
            if is_arithmetic && column_of(expr).is_some() {
                self.number(expr)
            } else {
                self.expression(expr)
            }
        };
        let (text, right) = (operand(left)?, operand(right)?);
        let inner = text
            .strip_prefix('(')
            .and_then(|text| text.strip_suffix(')'));
        let left = match inner {
            Some(inner) if is_chain && is_associative => inner,
            Some(_) | None => text.as_str(),
        };
        Ok(format!("({left} {word} {right})"))
    }

    /// The expression as a number: SQLite would take a text for the digits that it begins with, or for 0.
    pub(super) fn number(&mut self, expr: &Expr) -> Written {
        let text = self.expression(expr)?;
        if !self.is(Dialect::Sqlite) {
            return Ok(text);
        }
        let name = column_of(expr)
            .map_or("", |name| &name.value)
            .replace('\'', "''");
        Ok(format!("{NUMBER}({text}, '{name}')"))
    }

    fn operator(&self, op: &BinaryOperator) -> Result<&'static str, Refusal> {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "all that is not named is refused"
        )]
        Ok(match op {
            BinaryOperator::Plus => "+",
            BinaryOperator::Minus => "-",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Modulo => "%",
            BinaryOperator::StringConcat => "||",
            BinaryOperator::Gt => ">",
            BinaryOperator::Lt => "<",
            BinaryOperator::GtEq => ">=",
            BinaryOperator::LtEq => "<=",
            BinaryOperator::Eq => "=",
            BinaryOperator::NotEq => "<>",
            BinaryOperator::And => "AND",
            BinaryOperator::Or => "OR",
            BinaryOperator::BitwiseOr => "|",
            BinaryOperator::BitwiseAnd => "&",
            BinaryOperator::PGBitwiseShiftLeft if self.is(Dialect::Postgres) => "<<",
            BinaryOperator::PGBitwiseShiftRight if self.is(Dialect::Postgres) => ">>",
            BinaryOperator::Glob if self.is(Dialect::Sqlite) => {
                self.function_listed("glob")?;
                "GLOB"
            }
            BinaryOperator::Arrow => {
                self.function_listed_on("->", Dialect::Sqlite)?;
                "->"
            }
            BinaryOperator::LongArrow => {
                self.function_listed_on("->>", Dialect::Sqlite)?;
                "->>"
            }
            other => return Err(Refusal::not_listed(Part::Function, other.to_string())),
        })
    }

    fn in_target(&mut self, target: &InTarget) -> Written {
        match target {
            InTarget::List(list) => self.expressions(list),
            InTarget::Subquery(query) => self.subquery(query),
            InTarget::Unnest(_) => Err(Refusal::unsupported("UNNEST")),
            // It would stand for all columns of the table, or for a function.
            InTarget::Table { name, .. } => Err(Refusal::not_listed(Part::Table, name.to_string())),
        }
    }

    fn subquery(&mut self, query: &Query) -> Written {
        self.query(query).map(|(text, _)| text)
    }

    fn like(
        &mut self,
        word: &str,
        negated: bool,
        expr: &Expr,
        pattern: &Expr,
        escape: Option<&Expr>,
    ) -> Written {
        let (expr, pattern) = (self.expression(expr)?, self.expression(pattern)?);
        let escape = match escape {
            Some(escape) => format!(" ESCAPE {}", self.expression(escape)?),
            None => String::new(),
        };
        Ok(format!("({expr}{} {word} {pattern}{escape})", not(negated)))
    }

    fn trim(
        &mut self,
        place: Option<TrimWhereField>,
        what: Option<&Expr>,
        expr: &Expr,
        characters: Option<&[Expr]>,
    ) -> Written {
        let name = match (place, self.policy.dialect) {
            (None | Some(TrimWhereField::Both), Dialect::Sqlite) => "trim",
            (None | Some(TrimWhereField::Both), Dialect::Postgres) => "btrim",
            (Some(TrimWhereField::Leading), _) => "ltrim",
            (Some(TrimWhereField::Trailing), _) => "rtrim",
        };
        match (what, characters) {
            (None, None | Some([])) => self.call(name, &[expr]),
            (Some(what), None) | (None, Some([what])) => {
                self.characters_few(what)?;
                self.call(name, &[expr, what])
            }
            (Some(_), Some(_)) | (None, Some(_)) => Err(Refusal::unsupported("this TRIM")),
        }
    }

    /// Fails if the characters to trim are more than a short literal: SQLite takes minutes for many, and does not stop in
    /// between.
    pub(super) fn characters_few(&self, what: &Expr) -> Result<(), Refusal> {
        let is_few = if let Expr::Value(value) = what
            && let Value::SingleQuotedString(text) = &value.value
        {
            text.len() <= TRIMMED_MAX
        } else {
            false
        };
        refuse_if(
            self.is(Dialect::Sqlite) && !is_few,
            "to trim by more than a short text in quotes",
        )
    }

    fn typed(&self, typed: &TypedString) -> Written {
        refuse_if(typed.uses_odbc_syntax, "a literal of another dialect")?;
        let kind = kinds::written(&typed.data_type, self.policy.dialect)?;
        Ok(format!("CAST({} AS {kind})", literal(&typed.value.value)?))
    }
}

/// The column that the expression is, if it is one.
fn column_of(expr: &Expr) -> Option<&Ident> {
    if let Expr::Identifier(name) = expr {
        Some(name)
    } else if let Expr::CompoundIdentifier(names) = expr {
        names.last()
    } else {
        None
    }
}

const fn not(negated: bool) -> &'static str {
    if negated { " NOT" } else { "" }
}

fn unary(op: UnaryOperator) -> Result<&'static str, Refusal> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all that is not named is refused"
    )]
    match op {
        UnaryOperator::Plus => Ok("+"),
        UnaryOperator::Minus => Ok("-"),
        UnaryOperator::Not => Ok("NOT"),
        UnaryOperator::BitwiseNot => Ok("~"),
        _ => Err(Refusal::not_listed(Part::Function, op.to_string())),
    }
}

/// A literal. The forms with escapes are refused: two readers may read them in two ways.
pub(super) fn literal(value: &Value) -> Written {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all that is not named is refused"
    )]
    match value {
        Value::Number(digits, false) if is_number(digits) => Ok(digits.clone()),
        Value::SingleQuotedString(text) => Ok(format!("'{}'", text.replace('\'', "''"))),
        Value::Boolean(true) => Ok("TRUE".to_owned()),
        Value::Boolean(false) => Ok("FALSE".to_owned()),
        Value::Null => Ok("NULL".to_owned()),
        Value::Placeholder(_) => Err(Refusal::unsupported("a parameter")),
        _ => Err(Refusal::unsupported("this form of a literal")),
    }
}

/// Tells whether every engine reads these characters as one number.
fn is_number(digits: &str) -> bool {
    let fits = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.chars().all(fits)
        && digits.parse::<f64>().is_ok()
}

fn interval_text(interval: &Interval) -> Written {
    let is_plain = interval.leading_precision.is_none()
        && interval.last_field.is_none()
        && interval.fractional_seconds_precision.is_none();
    refuse_if(!is_plain, "this INTERVAL")?;
    let Expr::Value(value) = &*interval.value else {
        return Err(Refusal::unsupported("this INTERVAL"));
    };
    let unit = match &interval.leading_field {
        Some(unit) => format!(" {}", field(unit)?),
        None => String::new(),
    };
    Ok(format!("INTERVAL {}{unit}", literal(&value.value)?))
}
