//! From a script's spec to a definition: its tools are built for what they declare.

use std::collections::BTreeMap;

use folkmoot_core::ids::ToolName;
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::spec::Definition;
use folkmoot_core::tool::{EffectClass, ToolSpec};
use folkmoot_tools::{BuildError, build_tool};

use crate::script::{Script, ScriptError, SpecDraft};

folkmoot_core::debug_in_words!(DefinitionError);

/// Why a script has no definition.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// Something in it is wrong.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// A folder that a tool needs is not there.
    #[error("{0}")]
    MissingRoot(String),
}

/// The definition that `spec`, a spec of `script`, describes.
///
/// # Errors
/// [`DefinitionError`]: a tool's settings are wrong, its folder is missing, or only a program can run the script.
pub fn definition_of(script: &Script, spec: &SpecDraft) -> Result<Definition, DefinitionError> {
    match script.own_fault() {
        Some(fault) => Err(ScriptError::from(fault).into()),
        None => definition_but_own(script, spec),
    }
}

/// The same, also of a script that only a program can run: its own tools take any arguments.
///
/// # Errors
/// [`DefinitionError`]: a tool's settings are wrong, or its folder is missing.
pub fn definition_but_own(
    script: &Script,
    spec: &SpecDraft,
) -> Result<Definition, DefinitionError> {
    let mut specs = BTreeMap::new();
    let mut faults = Vec::new();
    for (name, draft) in &spec.tools {
        if draft.is_own() {
            specs.insert(name.clone(), unbound(name));
            continue;
        }
        match build_tool(name, &draft.settings, &script.base) {
            Ok(built) => {
                specs.insert(name.clone(), built.tool.spec().clone());
            }
            Err(error @ BuildError::MissingRoot { .. }) => {
                return Err(DefinitionError::MissingRoot(with_causes(&error)));
            }
            Err(error) => faults.push(script.sources.fault(
                draft.at.of(error.path()),
                with_causes(&error),
                None,
            )),
        }
    }
    if !faults.is_empty() {
        return Err(ScriptError { faults }.into());
    }
    Ok(Definition {
        source: script.sources.name(),
        ..spec.definition(specs)
    })
}

/// A tool of the program before the program has bound it.
fn unbound(name: &ToolName) -> ToolSpec {
    let schema = serde_json::json!({ "type": "object" });
    ToolSpec::new(name.clone(), EffectClass::Destructive, "", schema)
}
