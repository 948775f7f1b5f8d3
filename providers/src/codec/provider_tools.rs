//! The provider's own tools, such as a search of the web: those that a request lists under `tools`
//! of its further fields.

use std::collections::BTreeSet;

use folkmoot_core::prompt::ModelRequest;
use serde_json::{Map, Value};

use super::json::text_of;
use super::warning;

/// The field of the body, and of the further fields of a request.
pub(super) const FIELD: &str = "tools";

/// Returns the provider's tools that can stand beside the room's own. A tool with the name of one
/// of the room's would make two of that name, which every provider refuses.
pub(super) fn provider_tools(
    request: &ModelRequest,
    warnings: &mut BTreeSet<&'static str>,
) -> Vec<Value> {
    let listed = request
        .parameters()
        .extra
        .get(FIELD)
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let fits = |tool: &&Value| {
        tool.is_object()
            && !request
                .tools()
                .iter()
                .any(|own| name_of(tool) == &*own.name)
    };
    let (fitting, left_out): (Vec<&Value>, Vec<&Value>) = listed.partition(fits);
    if !left_out.is_empty() {
        warnings.insert(warning::PROVIDER_TOOLS_NOT_CARRIED);
    }
    fitting.into_iter().cloned().collect()
}

/// The further fields without those tools.
pub(super) fn without(extra: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    extra
        .iter()
        .filter(|(field, value)| *field != FIELD || !value.is_array())
}

/// Returns a warning for each parameter about tools in a request that has none: it is not sent,
/// since servers refuse it there.
pub(super) fn asked_in_vain(request: &ModelRequest) -> impl Iterator<Item = &'static str> {
    let parameters = request.parameters();
    [
        (
            parameters.tool_choice.is_some(),
            warning::TOOL_CHOICE_NOT_CARRIED,
        ),
        (
            parameters.parallel_calls.is_some(),
            warning::PARALLEL_CALLS_NOT_CARRIED,
        ),
        (
            parameters.strict_tools.is_some(),
            warning::STRICT_TOOLS_NOT_CARRIED,
        ),
    ]
    .into_iter()
    .filter_map(|(is_asked, code)| is_asked.then_some(code))
}

/// The name, which one wire has a level deeper.
fn name_of(tool: &Value) -> &str {
    text_of(tool.get("name").or_else(|| tool.pointer("/function/name")))
}
