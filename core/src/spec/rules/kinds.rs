//! The kinds of domain artifacts of a room, and whether an artifact fits its kind.

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonschema::Validator;

use super::{Rules, RulesError};
use crate::ids::{ArtifactName, ToolName};
use crate::spec::WorldSpec;
use crate::tool::constraint::is_pointer;
use crate::tool::schema::compile;
use crate::tool::{ArtifactColumn, ArtifactField, ArtifactSpec, FieldForm, ToolOutput, View};

/// The compiled schemas of the kinds.
pub(super) type Kinds = BTreeMap<ArtifactName, Arc<Validator>>;

/// Compiles the kinds of `spec`. A kind means one thing in a room, whichever tool gives it.
pub(super) fn check_kinds(spec: &WorldSpec) -> Result<Kinds, RulesError> {
    let all = spec.kinds();
    let mut kinds = Kinds::new();
    for (name, kind) in spec.tools.values().flat_map(|tool| &tool.artifacts) {
        if all.get(name) != Some(kind) {
            return Err(RulesError::TwoKinds { kind: name.clone() });
        }
        let bad = |why: String| RulesError::BadKind {
            kind: name.clone(),
            why,
        };
        if let Some(path) = paths(kind).find(|path| !path.is_empty() && !is_pointer(path)) {
            return Err(bad(format!(
                "{path:?} is not a JSON pointer, e.g. /cost/min"
            )));
        }
        let validator = compile(&kind.schema).map_err(|why| bad(why.to_string()))?;
        kinds.insert(name.clone(), Arc::new(validator));
    }
    Ok(kinds)
}

/// The kinds of a recorded structure. None fits one whose schema no longer compiles.
pub(super) fn kinds_of(spec: &WorldSpec) -> Kinds {
    let compiled = |(name, kind): (&ArtifactName, &ArtifactSpec)| {
        Some((name.clone(), Arc::new(compile(&kind.schema).ok()?)))
    };
    spec.tools
        .values()
        .flat_map(|tool| &tool.artifacts)
        .filter_map(compiled)
        .collect()
}

fn paths(kind: &ArtifactSpec) -> impl Iterator<Item = &str> {
    let of_columns = kind
        .fields
        .iter()
        .flat_map(columns)
        .map(|column| column.path.as_str());
    kind.fields
        .iter()
        .map(|field| field.path.as_str())
        .chain(of_columns)
}

fn columns(field: &ArtifactField) -> &[ArtifactColumn] {
    if let FieldForm::Table(columns) = &field.form {
        columns
    } else {
        &[]
    }
}

impl Rules {
    /// The views of `output` that nobody may see, by number: artifacts of a kind that `tool` does
    /// not declare, or that do not fit their kind.
    pub(crate) fn misfits(&self, tool: &ToolName, output: &ToolOutput) -> Vec<u32> {
        let declared = self.spec.tools.get(tool).map(|tool| &tool.artifacts);
        let fits = |view: &View| match view {
            View::Artifact(artifact) => {
                let validator = self.kinds.get(&artifact.kind);
                let validator = validator
                    .filter(|_| declared.is_some_and(|kinds| kinds.contains_key(&artifact.kind)));
                validator.is_some_and(|validator| validator.is_valid(&artifact.data))
            }
            View::Text(_) | View::Table(_) | View::Json(_) | View::Image { .. } => true,
        };
        (0..)
            .zip(&output.views)
            .filter(|(_, view)| !fits(view))
            .map(|(number, _)| number)
            .collect()
    }
}
