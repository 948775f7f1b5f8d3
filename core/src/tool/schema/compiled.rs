//! A tool's schema, ready for use.

use std::sync::Arc;

use jsonschema::Validator;
use serde_json::Value;

use super::index::SchemaIndex;
use super::{STEPS_MAX, SchemaError, SchemaFault, for_model};

/// A schema with what validates by it, and what models are told of it.
#[derive(Clone)]
pub(crate) struct ToolSchema {
    /// `None` if it is no schema.
    pub(crate) validator: Option<Arc<Validator>>,
    /// `None` if models cannot be told.
    pub(crate) told: Option<Arc<Value>>,
}

impl ToolSchema {
    /// Takes the schema of a new tool.
    pub(crate) fn check(schema: &Value) -> Result<Self, SchemaError> {
        // First: what follows goes as deep as the schema leads.
        check_steps(schema)?;
        let told = for_model(schema)?;
        let validator = compile(schema)?;
        Ok(Self {
            validator: Some(Arc::new(validator)),
            told: Some(Arc::new(told)),
        })
    }

    /// Takes a recorded schema as it is.
    pub(crate) fn recorded(schema: &Value) -> Self {
        Self {
            validator: compile(schema).ok().map(Arc::new),
            told: for_model(schema).ok().map(Arc::new),
        }
    }
}

/// Makes a validator of a schema (2020-12), which reads nothing but that schema.
pub(crate) fn compile(schema: &Value) -> Result<Validator, SchemaError> {
    check_steps(schema)?;
    jsonschema::draft202012::options()
        .build(schema)
        .map_err(|error| SchemaError {
            at: error.instance_path().to_string(),
            fault: SchemaFault::Invalid {
                why: error.to_string(),
            },
        })
}

/// Refuses a schema that would be followed too deep. One whose references only a validator
/// understands has no more steps than references and what stands in it.
fn check_steps(schema: &Value) -> Result<(), SchemaError> {
    let at_the_whole = |fault| {
        Err(SchemaError {
            at: String::new(),
            fault,
        })
    };
    match SchemaIndex::of(schema) {
        Ok(index) => index.check_steps(),
        Err(error) if error.fault == SchemaFault::Endless => Err(error),
        Err(_) if references(schema) > STEPS_MAX => at_the_whole(SchemaFault::TooManySteps),
        Err(_) => Ok(()),
    }
}

/// Returns the number of references anywhere in `schema`.
fn references(schema: &Value) -> usize {
    let mut count = 0_usize;
    let mut left = vec![schema];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => {
                let is_reference = |name: &&String| matches!(name.as_str(), "$ref" | "$dynamicRef");
                count += members.keys().filter(is_reference).count();
                left.extend(members.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    count
}
