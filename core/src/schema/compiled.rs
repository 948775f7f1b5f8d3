//! A tool's schema, ready for use.

use std::sync::Arc;

use jsonschema::Validator;
use serde_json::Value;

use super::{SchemaError, SchemaFault, for_model};

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
        let told = for_model(schema)?;
        let validator = compile(schema).map_err(|error| SchemaError {
            at: error.instance_path().to_string(),
            fault: SchemaFault::Invalid { why: error.to_string() },
        })?;
        Ok(Self { validator: Some(Arc::new(validator)), told: Some(Arc::new(told)) })
    }

    /// Takes a recorded schema as it is.
    pub(crate) fn recorded(schema: &Value) -> Self {
        Self { validator: compile(schema).ok().map(Arc::new), told: for_model(schema).ok().map(Arc::new) }
    }
}

/// Makes a validator of a schema (2020-12), which reads nothing but that schema.
pub(crate) fn compile(schema: &Value) -> Result<Validator, jsonschema::ValidationError<'_>> {
    jsonschema::draft202012::options().build(schema)
}
