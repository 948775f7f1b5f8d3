//! Calls of functions.

use sqlparser::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArgumentList, FunctionArguments, WindowFrame, WindowFrameBound, WindowFrameUnits,
    WindowSpec, WindowType,
};

use super::writer::{Writer, Written, refuse_if};
use crate::sql::policy::Dialect;
use crate::sql::refusal::{Part, Refusal};

/// What looks like a function of PostgreSQL, and is grammar: it has no schema.
const GRAMMAR: [&str; 4] = ["coalesce", "nullif", "greatest", "least"];
/// What is written without parentheses.
const WORDS: [&str; 3] = ["current_date", "current_time", "current_timestamp"];
/// The functions that add numbers up.
const ADDING: [&str; 3] = ["avg", "sum", "total"];

impl Writer<'_> {
    /// Fails if the function is not on the list.
    pub(super) fn function_listed(&self, name: &str) -> Result<(), Refusal> {
        if self.policy.has_function(name) {
            Ok(())
        } else {
            Err(Refusal::not_listed(Part::Function, name))
        }
    }

    /// The same for an operator that is a function of the list in one dialect alone.
    pub(super) fn function_listed_on(&self, name: &str, dialect: Dialect) -> Result<(), Refusal> {
        if self.is(dialect) {
            self.function_listed(name)
        } else {
            Ok(())
        }
    }

    /// The name of a function of the list, so that the engine's own is meant whatever somebody has made beside it.
    fn function_name(&self, name: &str) -> Written {
        self.function_listed(name)?;
        // The list of a script may have any words in it.
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_plain {
            return Err(Refusal::not_listed(Part::Function, name));
        }
        Ok(match self.policy.dialect {
            Dialect::Postgres if !GRAMMAR.contains(&name) => format!("pg_catalog.\"{name}\""),
            Dialect::Sqlite | Dialect::Postgres => name.to_owned(),
        })
    }

    pub(super) fn call(&mut self, name: &str, arguments: &[&Expr]) -> Written {
        let name = self.function_name(name)?;
        let texts = arguments.iter().map(|expr| self.expression(expr));
        let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
        Ok(format!("{name}({})", texts.join(", ")))
    }

    pub(super) fn function(&mut self, function: &Function) -> Written {
        let is_plain = !function.uses_odbc_syntax
            && function.null_treatment.is_none()
            && matches!(function.parameters, FunctionArguments::None);
        refuse_if(!is_plain, "a call in the form of another dialect")?;
        let name = self
            .single(&function.name, Part::Function)?
            .value
            .to_ascii_lowercase();
        let mut text = match &function.args {
            FunctionArguments::List(arguments) => {
                if let (
                    "trim" | "ltrim" | "rtrim",
                    [_, FunctionArg::Unnamed(FunctionArgExpr::Expr(what))],
                ) = (name.as_str(), arguments.args.as_slice())
                {
                    self.characters_few(what)?;
                }
                format!(
                    "{}({})",
                    self.function_name(&name)?,
                    self.arguments(arguments, ADDING.contains(&name.as_str()))?
                )
            }
            FunctionArguments::None if WORDS.contains(&name.as_str()) => {
                self.function_listed(&name)?;
                name.to_ascii_uppercase()
            }
            FunctionArguments::None | FunctionArguments::Subquery(_) => {
                return Err(Refusal::not_listed(Part::Function, name));
            }
        };
        if !function.within_group.is_empty() {
            let terms = self.order_terms(&function.within_group)?;
            text = format!("{text} WITHIN GROUP (ORDER BY {terms})");
        }
        if let Some(filter) = &function.filter {
            text = format!("{text} FILTER (WHERE {})", self.expression(filter)?);
        }
        match &function.over {
            None => Ok(text),
            Some(WindowType::WindowSpec(window)) => {
                Ok(format!("{text} OVER ({})", self.window(window)?))
            }
            Some(WindowType::NamedWindow(_)) => Err(Refusal::unsupported("a named window")),
        }
    }

    fn arguments(&mut self, list: &FunctionArgumentList, is_adding: bool) -> Written {
        let distinct = match list.duplicate_treatment {
            Some(DuplicateTreatment::Distinct) => "DISTINCT ",
            Some(DuplicateTreatment::All) | None => "",
        };
        let mut texts = Vec::new();
        for argument in &list.args {
            texts.push(match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) if is_adding => {
                    self.number(expr)?
                }
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => self.expression(expr)?,
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => "*".to_owned(),
                FunctionArg::Unnamed(
                    FunctionArgExpr::QualifiedWildcard(_) | FunctionArgExpr::WildcardWithOptions(_),
                )
                | FunctionArg::Named { .. }
                | FunctionArg::ExprNamed { .. } => {
                    return Err(Refusal::unsupported("this form of an argument"));
                }
            });
        }
        let mut text = format!("{distinct}{}", texts.join(", "));
        for clause in &list.clauses {
            #[expect(
                clippy::wildcard_enum_match_arm,
                reason = "all that is not named is refused"
            )]
            match clause {
                FunctionArgumentClause::OrderBy(terms) => {
                    text = format!("{text} ORDER BY {}", self.order_terms(terms)?);
                }
                _ => return Err(Refusal::unsupported("a clause among the arguments")),
            }
        }
        Ok(text)
    }

    fn window(&mut self, window: &WindowSpec) -> Written {
        refuse_if(window.window_name.is_some(), "a named window")?;
        let mut parts = Vec::new();
        if !window.partition_by.is_empty() {
            let terms = self.expressions(&window.partition_by)?;
            parts.push(format!("PARTITION BY {terms}"));
        }
        if !window.order_by.is_empty() {
            parts.push(format!("ORDER BY {}", self.order_terms(&window.order_by)?));
        }
        if let Some(frame) = &window.window_frame {
            parts.push(self.frame(frame)?);
        }
        Ok(parts.join(" "))
    }

    fn frame(&mut self, frame: &WindowFrame) -> Written {
        let units = match frame.units {
            WindowFrameUnits::Rows => "ROWS",
            WindowFrameUnits::Range => "RANGE",
            WindowFrameUnits::Groups => "GROUPS",
        };
        let start = self.bound(&frame.start_bound)?;
        match &frame.end_bound {
            Some(end) => Ok(format!("{units} BETWEEN {start} AND {}", self.bound(end)?)),
            None => Ok(format!("{units} {start}")),
        }
    }

    fn bound(&mut self, bound: &WindowFrameBound) -> Written {
        match bound {
            WindowFrameBound::CurrentRow => Ok("CURRENT ROW".to_owned()),
            WindowFrameBound::Preceding(None) => Ok("UNBOUNDED PRECEDING".to_owned()),
            WindowFrameBound::Following(None) => Ok("UNBOUNDED FOLLOWING".to_owned()),
            WindowFrameBound::Preceding(Some(expr)) => {
                Ok(format!("{} PRECEDING", self.expression(expr)?))
            }
            WindowFrameBound::Following(Some(expr)) => {
                Ok(format!("{} FOLLOWING", self.expression(expr)?))
            }
        }
    }
}
