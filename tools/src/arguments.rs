//! Reading a call's arguments.

use folkmoot_core::port::ToolCall;
use folkmoot_core::tool::{ToolErrorCode, ToolFailure};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The schema of a tool that takes no arguments.
pub(crate) fn none() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

/// The arguments as the tool's own type. The runtime has checked them against the schema; what that cannot say (or a
/// caller who did not check) ends here.
pub(crate) fn read<T: DeserializeOwned>(call: &ToolCall) -> Result<T, ToolFailure> {
    serde_path_to_error::deserialize(&call.arguments).map_err(|error| ToolFailure {
        code: ToolErrorCode::BadArguments,
        detail: error.to_string(),
        named: None,
    })
}
