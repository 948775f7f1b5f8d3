use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::ArtifactName;
use folkmoot_core::port::ToolCall;
use folkmoot_core::tool::{
    Artifact, ArtifactSpec, Choose, Question, Table, ToolErrorCode, ToolFailure, ToolOutput, schema,
};
use serde::Deserialize;
use serde_json::Value;

use crate::build::{BuildError, ToolDraft};
use folkmoot_core::ids::duration;

/// A result as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawResult {
    when: Option<ResultCondition>,
    pub(super) text: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) table: Option<Table>,
    pub(super) json: Option<Value>,
    pub(super) artifact: Option<Artifact>,
    #[serde(default)]
    pub(super) artifacts: Vec<Artifact>,
    error: Option<RawError>,
    needs_input: Option<RawQuestion>,
    #[serde(default, deserialize_with = "duration::deserialize_some")]
    takes: Option<Duration>,
    counts: Option<PathBuf>,
    #[serde(default)]
    progress: Vec<String>,
}

/// The arguments that a result is for.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "expected words, or a map of arguments, e.g. `{ path: a.md }`"
)]
enum ResultCondition {
    /// Arguments in whose texts these words stand.
    Words(String),
    /// Arguments with these values.
    Values(BTreeMap<String, Value>),
}

/// A detail for operators, or that and what the model is told.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a text, or e.g. `{ code: not_found, detail: no such room }`"
)]
enum RawError {
    Detail(String),
    Coded(ToolFailure),
}

/// A question, or that and the answers to choose from.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a question, or e.g. `{ question: Which?, options: [a, b] }`"
)]
enum RawQuestion {
    Free(String),
    Choice(ScriptedChoice),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedChoice {
    question: String,
    #[serde(default)]
    options: Vec<String>,
    choose: Option<Choose>,
    schema: Option<Value>,
}

/// The result of a run.
#[derive(Debug, Clone)]
pub(super) enum Gives {
    Output(ToolOutput),
    Failure(ToolFailure),
    Question(Question),
}

/// A checked result.
#[derive(Debug)]
pub(super) struct ScriptedResult {
    /// The arguments that the result is for; `None` is for all.
    when: Option<ResultCondition>,
    /// The result itself.
    pub(super) gives: Gives,
    /// The time that a run takes, by the room's clock; `None` takes none.
    pub(super) takes: Option<Duration>,
    /// The file in which each run of the result is counted, if one is given.
    pub(super) counts: Option<Arc<PathBuf>>,
    /// The lines that a run reports, in order.
    pub(super) progress: Vec<String>,
}

impl RawResult {
    /// Checks the result with the number `index` of a tool that declares these `kinds`.
    pub(super) fn check(
        &self,
        draft: &ToolDraft<'_>,
        kinds: &BTreeMap<ArtifactName, ArtifactSpec>,
        index: usize,
    ) -> Result<ScriptedResult, BuildError> {
        if let Some(kind) = self
            .artifacts()
            .map(|artifact| &artifact.kind)
            .find(|kind| !kinds.contains_key(*kind))
        {
            let why =
                format!("the tool declares no artifact {kind}: add it to the tool's `artifacts`");
            return Err(draft.bad(format!("results[{index}]"), why));
        }
        let given = [
            self.output().map(Gives::Output),
            self.error.clone().map(|error| Gives::Failure(error.into())),
            self.needs_input
                .clone()
                .map(|question| Gives::Question(question.into())),
        ];
        let mut given = given.into_iter().flatten();
        let (Some(gives), None) = (given.next(), given.next()) else {
            let why = "give a result (text, json, table, artifacts), or else one of error and needs_input";
            return Err(draft.bad(format!("results[{index}]"), why));
        };
        if let Gives::Question(question) = &gives {
            check_question(draft, question, index)?;
        }
        if matches!(gives, Gives::Question(_)) && self.counts.is_some() {
            let why = "a question comes before any effect, so there is nothing to count";
            return Err(draft.bad(format!("results[{index}].counts"), why));
        }
        let counts = self
            .counts
            .as_ref()
            .map(|file| draft.file("counts", file).map(Arc::new))
            .transpose()?;
        Ok(ScriptedResult {
            when: self.when.clone(),
            gives,
            takes: self.takes,
            counts,
            progress: self.progress.clone(),
        })
    }
}

impl ScriptedResult {
    /// Tells whether no result behind this one is ever reached.
    pub(super) fn always_fits(&self) -> bool {
        self.when.is_none() && !matches!(self.gives, Gives::Question(_))
    }

    /// Tells whether a run of `call` gives this result.
    pub(super) fn fits(&self, call: &ToolCall) -> bool {
        let is_answered = matches!(self.gives, Gives::Question(_)) && call.input.is_some();
        !is_answered
            && self
                .when
                .as_ref()
                .is_none_or(|when| when.fits(&call.arguments))
    }
}

impl ResultCondition {
    fn fits(&self, arguments: &Value) -> bool {
        match self {
            Self::Words(words) => stands_in(words, arguments),
            Self::Values(values) => values
                .iter()
                .all(|(name, value)| arguments.get(name) == Some(value)),
        }
    }
}

fn stands_in(words: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(words),
        Value::Array(items) => items.iter().any(|item| stands_in(words, item)),
        Value::Object(entries) => entries.values().any(|entry| stands_in(words, entry)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Refuses a question that nobody could answer.
fn check_question(
    draft: &ToolDraft<'_>,
    question: &Question,
    index: usize,
) -> Result<(), BuildError> {
    let bad =
        |key: &str, why: String| Err(draft.bad(format!("results[{index}].needs_input.{key}"), why));
    let options = u32::try_from(question.options.len()).unwrap_or(u32::MAX);
    if question
        .choose
        .is_some_and(|Choose { min, max }| min > max || max > options)
    {
        return bad(
            "choose",
            "`min` goes up to `max`, and `max` up to the number of options".to_owned(),
        );
    }
    match question.schema.as_ref().map(schema::check) {
        Some(Err(error)) => bad("schema", error.fault.to_string()),
        Some(Ok(_)) | None => Ok(()),
    }
}

impl From<RawError> for ToolFailure {
    fn from(error: RawError) -> Self {
        match error {
            RawError::Detail(detail) => Self::new(ToolErrorCode::Failed, detail),
            RawError::Coded(failure) => failure,
        }
    }
}

impl From<RawQuestion> for Question {
    fn from(question: RawQuestion) -> Self {
        match question {
            RawQuestion::Free(text) => Self {
                text,
                ..Self::default()
            },
            RawQuestion::Choice(ScriptedChoice {
                question,
                options,
                choose,
                schema,
            }) => Self {
                text: question,
                options,
                choose,
                schema,
            },
        }
    }
}
