//! `data.status`: how far imports have come.

use async_trait::async_trait;
use folkmoot_core::tool::ToolOutput;

use super::derive::{Cannot, known};
use super::tool::{NoArguments, Sets, Work, reading};
use crate::arguments;
use crate::build::{BuildError, Built, Kind, ToolDraft};

pub(crate) const STATUS: Kind = Kind {
    name: "data.status",
    summary: "Tells how far imports have come",
    keys: &[],
    is_local: false,
    build,
};

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    draft.no_settings()?;
    let description = "Tells which data sets are imported, and how far the others have come.";
    reading(draft, (description, arguments::none()), |spec| spec, Status)
}

#[derive(Debug)]
struct Status;

#[async_trait]
impl Work for Status {
    type Arguments = NoArguments;

    async fn run(&self, sets: &Sets, NoArguments {}: NoArguments) -> Result<ToolOutput, Cannot> {
        let mut lines = Vec::new();
        for set in &sets.all {
            let state = match known(&*sets.files, set).await? {
                Err(progress) => format!("is being imported: {progress}"),
                Ok(Some(description)) => match description.bad_rows.count {
                    0 => format!("is imported: {} rows", description.rows),
                    bad => format!(
                        "is imported: {} rows; {bad} could not be read, people see why with a description",
                        description.rows
                    ),
                },
                Ok(None) => "is imported when it is first asked for".to_owned(),
            };
            lines.push(format!("{} {state}", set.name));
        }
        if lines.is_empty() {
            lines.push("These people have no data sets.".to_owned());
        }
        Ok(ToolOutput::text(lines.join("\n")))
    }
}
