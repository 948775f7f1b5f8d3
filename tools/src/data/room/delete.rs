//! `data.delete`: puts a data set away.

use async_trait::async_trait;
use folkmoot_core::tool::{EffectClass, FileChange, ToolOutput};
use serde::Deserialize;

use super::derive::Cannot;
use super::describe::by_name;
use super::tool::{Sets, Work, build as build_data};
use crate::build::{BuildError, Built, Kind, ToolDraft};

pub(crate) const DELETE: Kind = Kind {
    name: "data.delete",
    summary: "Puts a data set away: no tool sees it any more",
    keys: &[],
    is_local: false,
    build,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeleteArguments {
    name: String,
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    draft.no_settings()?;
    let description =
        "Deletes a data set: no tool sees it any more. The message that brought it keeps its file.";
    let declared = (EffectClass::Destructive, description, by_name());
    build_data(draft, declared, |spec| spec, Delete)
}

#[derive(Debug)]
struct Delete;

#[async_trait]
impl Work for Delete {
    type Arguments = DeleteArguments;

    async fn run(
        &self,
        sets: &Sets,
        DeleteArguments { name }: DeleteArguments,
    ) -> Result<ToolOutput, Cannot> {
        let set = sets.named(&name)?;
        Ok(ToolOutput {
            files: vec![FileChange::Removed(set.file.id)],
            ..ToolOutput::text(format!("{} is deleted.", set.name))
        })
    }
}
