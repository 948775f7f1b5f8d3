//! `calc`: exact arithmetic.

use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolOutcome, ToolSpec,
};
use serde::Deserialize;
use serde_json::json;

use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

mod expression;
mod number;
#[cfg(test)]
mod tests;

pub(crate) const CALC: Kind = Kind {
    name: "calc",
    summary: "Works out arithmetic exactly",
    keys: &[],
    is_local: false,
    build,
};

/// The most bytes of an expression.
const EXPRESSION_MAX: usize = 1000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CalcSettings {}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let CalcSettings {} = draft.settings()?;
    let spec = draft.spec(Declared {
        description: "Works out an arithmetic expression exactly: + - * / % ^, parentheses, and abs, min, max, floor, \
                      ceil, round."
            .into(),
        effect: EffectClass::Read,
        repeat: Repeat::Always,
        schema: json!({
            "type": "object",
            "properties": {
                "expression": {
                    "type": "string",
                    "maxLength": EXPRESSION_MAX,
                    "description": "e.g. (1 + 2) * 3.5 / max(2, 7)",
                },
            },
            "required": ["expression"],
            "additionalProperties": false,
        }),
    })?;
    Ok(Built::new(Calc { spec }))
}

#[derive(Debug)]
struct Calc {
    spec: ToolSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CalcArguments {
    expression: String,
}

#[async_trait]
impl Tool for Calc {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let CalcArguments { expression } = match arguments::read(call) {
            Ok(arguments) => arguments,
            Err(failure) => return ToolOutcome::Failed(failure),
        };
        if expression.len() > EXPRESSION_MAX {
            return ToolOutcome::failed(
                ToolErrorCode::TooLarge,
                format!("more than {EXPRESSION_MAX} bytes"),
            );
        }
        match expression::evaluate(&expression) {
            Ok(number) => ToolOutcome::text(number.to_string()),
            Err(why) => ToolOutcome::failed(why.code(), why.to_string()),
        }
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}
