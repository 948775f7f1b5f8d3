//! From a script's spec to a definition: its tools are built for what they declare.

use std::collections::BTreeMap;

use folkmoot_core::port::causes::with_causes;
use folkmoot_core::spec::Definition;
use folkmoot_tools::{BuildError, build_tool};

use crate::script::{Script, ScriptError, SpecDraft};

/// Why a script has no definition.
#[derive(Debug, thiserror::Error)]
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
/// [`DefinitionError`]: a tool's settings are wrong, or its folder is missing.
pub fn definition_of(script: &Script, spec: &SpecDraft) -> Result<Definition, DefinitionError> {
    let mut specs = BTreeMap::new();
    let mut faults = Vec::new();
    for (name, draft) in &spec.tools {
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
