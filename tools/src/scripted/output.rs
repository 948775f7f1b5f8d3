//! The output of a run, made from the words of a script.

use folkmoot_core::tool::{Artifact, Table, ToolOutput, View};
use serde_json::json;

use super::result::RawResult;

impl RawResult {
    /// Returns the output of a run; `None` if the script gives none. Without words, a model reads
    /// the data.
    pub(super) fn output(&self) -> Option<ToolOutput> {
        let views: Vec<View> = (self.table.clone().map(View::Table).into_iter())
            .chain(self.json.clone().map(View::Json))
            .chain(self.artifacts().cloned().map(View::Artifact))
            .collect();
        let text = self
            .text
            .clone()
            .or_else(|| (!views.is_empty()).then(|| self.data()))?;
        Some(ToolOutput {
            text,
            views,
            summary: self.summary.clone(),
            whole: None,
            files: Vec::new(),
        })
    }

    /// All its artifacts.
    pub(super) fn artifacts(&self) -> impl Iterator<Item = &Artifact> {
        self.artifact.iter().chain(&self.artifacts)
    }

    /// The data as JSON, one value a line.
    fn data(&self) -> String {
        let table = self
            .table
            .as_ref()
            .map(|Table { columns, rows, .. }| json!({ "columns": columns, "rows": rows }));
        let artifacts = self.artifacts().map(|artifact| artifact.data.clone());
        let values = table.into_iter().chain(self.json.clone()).chain(artifacts);
        values
            .map(|value| value.to_string())
            .collect::<Vec<_>>()
            .join("\n")
    }
}
