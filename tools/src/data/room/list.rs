//! `data.list`: the data sets of the people who ask.

use async_trait::async_trait;
use folkmoot_core::tool::{Table, ToolOutput, View};
use serde_json::Value;

use super::derive::{Cannot, known};
use super::tool::{NoArguments, Sets, Work, reading};
use crate::arguments;
use crate::build::{BuildError, Built, Kind, ToolDraft};

pub(crate) const LIST: Kind = Kind {
    name: "data.list",
    summary: "Lists the files with rows that people attached",
    keys: &[],
    is_local: false,
    build,
};

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    draft.no_settings()?;
    let description = "Lists the data sets of the people who ask: files with rows that they attached. A query names each as its table.";
    reading(draft, (description, arguments::none()), |spec| spec, List)
}

#[derive(Debug)]
struct List;

#[async_trait]
impl Work for List {
    type Arguments = NoArguments;

    async fn run(&self, sets: &Sets, NoArguments {}: NoArguments) -> Result<ToolOutput, Cannot> {
        let mut rows = Vec::new();
        let mut lines = Vec::new();
        for set in &sets.all {
            let file = &set.file.file;
            let count = match known(&*sets.files, set).await? {
                Ok(Some(description)) => Some(description.rows),
                Ok(None) | Err(_) => None,
            };
            let size = count.map_or("not read yet".to_owned(), |count| format!("{count} rows"));
            lines.push(format!(
                "{}: the file {:?}, {} bytes, {size}",
                set.name, file.name, file.bytes
            ));
            let owner = set.file.owner.as_ref();
            rows.push(vec![
                Value::from(set.name.clone()),
                Value::from(file.name.clone()),
                Value::from(file.bytes),
                count.map_or(Value::Null, Value::from),
                Value::from(owner.map_or("all", |owner| owner.display.as_str())),
            ]);
        }
        if rows.is_empty() {
            return Ok(ToolOutput::text(
                "These people have no data sets: none of their files has rows.",
            ));
        }
        let columns = ["name", "file", "bytes", "rows", "of"];
        Ok(ToolOutput::text(lines.join("\n")).with(View::Table(Table {
            title: Some("Data sets".to_owned()),
            columns: columns.map(str::to_owned).to_vec(),
            rows,
        })))
    }
}
