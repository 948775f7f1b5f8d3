//! The parts that the tools over data sets share.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::port::{CallFiles, Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Repeat, ToolErrorCode, ToolFailure, ToolOutcome, ToolOutput, ToolSpec,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::derive::{Cannot, Derived, derive};
use super::named::{DataSet, data_sets, find};
use crate::arguments;
use crate::build::{BuildError, Built, Declared, ToolDraft};
use crate::sql;

/// The rows that are shown of a data set, and the most that may be.
pub(super) const ROWS: usize = 20;
pub(super) const ROWS_MAX: usize = 200;

/// The data sets that one call sees.
#[derive(Debug)]
pub(super) struct Sets {
    pub(super) files: Arc<dyn CallFiles>,
    /// Oldest first.
    pub(super) all: Vec<DataSet>,
    /// The end of the wait for imports and indexes.
    pub(super) until: Instant,
}

impl Sets {
    /// Returns the data set that a model means.
    pub(super) fn named(&self, name: &str) -> Result<&DataSet, ToolFailure> {
        find(&self.all, name)
    }

    pub(super) async fn derive(&self, set: &DataSet) -> Result<Derived, Cannot> {
        derive(&self.files, set, self.until).await
    }
}

/// The arguments of a tool that takes none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoArguments {}

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
                "The data set is not ready yet: {progress}. Ask again later."
            )),
            Err(Cannot::Failed(failure)) => ToolOutcome::Failed(failure),
        }
    }
}

impl<W: Work> DataTool<W> {
    async fn answer(&self, call: &ToolCall) -> Result<ToolOutput, Cannot> {
        let arguments = arguments::read(call)?;
        let files = files_of(call)?;
        let sets = Sets {
            all: data_sets(files.seen()),
            files,
            // The rest of the time is for the work on what was imported.
            until: Instant::now() + self.spec.timeout() * 3 / 4,
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

/// Reads the one setting of a tool of which models read summaries: how few rows are too few for ranges.
pub(super) fn rows_min(draft: &ToolDraft<'_>) -> Result<usize, BuildError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct RowsMin {
        rows_min: Option<usize>,
    }
    let RowsMin { rows_min } = draft.settings()?;
    sql::count(draft, "rows_min", rows_min, sql::ROWS_MIN)
}

/// The schema of the argument `name`.
pub(super) fn name_schema() -> Value {
    json!({ "type": "string", "minLength": 1, "description": "the data set, e.g. orders" })
}

/// The schema of the argument `rows`.
pub(super) fn rows_schema() -> Value {
    let words = format!("how many; {ROWS} if left out");
    json!({ "type": "integer", "minimum": 1, "maximum": ROWS_MAX, "description": words })
}

/// The files that a call sees.
pub(super) fn files_of(call: &ToolCall) -> Result<Arc<dyn CallFiles>, ToolFailure> {
    call.files.clone().ok_or_else(|| {
        let why = "the runtime shows this tool no files";
        ToolFailure::new(ToolErrorCode::Failed, why)
    })
}
