//! The parts that the tools over data sets share.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::port::{CallFiles, Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Repeat, ToolErrorCode, ToolFailure, ToolOutcome, ToolOutput, ToolSpec,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::derive::{Cannot, Derived, derive};
use super::named::{DataSet, data_sets, find};
use crate::arguments;
use crate::build::{BuildError, Built, Declared, ToolDraft};

/// The fewest rows over which models read ranges and counts, unless the settings say otherwise.
pub(super) const ROWS_MIN: usize = 10;

/// The data sets that one call sees.
#[derive(Debug)]
pub(super) struct Sets {
    pub(super) files: Arc<dyn CallFiles>,
    /// Oldest first.
    pub(super) all: Vec<DataSet>,
    /// The longest wait for an import.
    patience: Duration,
}

impl Sets {
    /// Returns the data set that a model means.
    pub(super) fn named(&self, name: &str) -> Result<&DataSet, ToolFailure> {
        find(&self.all, name)
    }

    pub(super) async fn derive(&self, set: &DataSet) -> Result<Derived, Cannot> {
        derive(&self.files, set, self.patience).await
    }
}

/// The work of one kind of tool.
#[async_trait]
pub(super) trait Work: Debug + Send + Sync + 'static {
    type Arguments: DeserializeOwned + Send;

    async fn run(&self, sets: &Sets, arguments: Self::Arguments) -> Result<ToolOutput, Cannot>;
}

/// A tool over data sets.
#[derive(Debug)]
struct DataTool<W> {
    spec: ToolSpec,
    work: W,
}

#[async_trait]
impl<W: Work> Tool for DataTool<W> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        match self.answer(call).await {
            Ok(output) => ToolOutcome::Done(output),
            Err(Cannot::NotYet(progress)) => ToolOutcome::text(format!(
                "It is still being imported: {progress}. Ask again later."
            )),
            Err(Cannot::Failed(failure)) => ToolOutcome::Failed(failure),
        }
    }
}

impl<W: Work> DataTool<W> {
    async fn answer(&self, call: &ToolCall) -> Result<ToolOutput, Cannot> {
        let arguments = arguments::read(call)?;
        let no_files = || {
            let why = "the runtime shows this tool no files";
            ToolFailure::new(ToolErrorCode::Failed, why)
        };
        let files = call.files.clone().ok_or_else(no_files)?;
        let sets = Sets {
            all: data_sets(files.seen()),
            files,
            // The rest of the time is for the work on what was imported.
            patience: self.spec.timeout() * 3 / 4,
        };
        self.work.run(&sets, arguments).await
    }
}

/// Builds a tool that does `work` and only reads.
pub(super) fn reading(
    draft: &ToolDraft<'_>,
    (description, schema): (&str, Value),
    change: impl FnOnce(ToolSpec) -> ToolSpec,
    work: impl Work,
) -> Result<Built, BuildError> {
    build(
        draft,
        (EffectClass::Read, description, schema),
        change,
        work,
    )
}

/// Builds a tool that does `work`. What it changes, it changes by its recorded result alone, so that it may run again.
pub(super) fn build(
    draft: &ToolDraft<'_>,
    (effect, description, schema): (EffectClass, &str, Value),
    change: impl FnOnce(ToolSpec) -> ToolSpec,
    work: impl Work,
) -> Result<Built, BuildError> {
    let declared = Declared {
        description: description.to_owned(),
        effect,
        repeat: Repeat::Always,
        schema,
    };
    let spec = draft.spec_from(declared, |spec| {
        change(ToolSpec {
            reads_files: true,
            ..spec
        })
    })?;
    if spec.memoises {
        let why = "files come and go, so a result does not stand for further calls: leave this setting out";
        return Err(draft.bad("memoise", why));
    }
    Ok(Built::new(DataTool { spec, work }))
}

/// Reads how few rows are too few for ranges.
pub(super) fn rows_min(draft: &ToolDraft<'_>, given: Option<usize>) -> Result<usize, BuildError> {
    match given {
        Some(0) => Err(draft.bad("rows_min", "write at least 1")),
        given => Ok(given.unwrap_or(ROWS_MIN)),
    }
}
