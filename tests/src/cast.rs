//! Models and tools that do what a test says, and tell what they were given.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use folkmoot::core::ids::ToolName;
use folkmoot::core::model::response::{
    CallPart, LLMResponse, ModelError, ModelErrorKind, Part, Reply,
};
use folkmoot::core::port::{Drafts, Model, ModelCall, Tool, ToolCall};
use folkmoot::core::tool::{EffectClass, Reconciliation, ToolOutcome, ToolSpec, ViewPolicy};
use futures::future::BoxFuture;

/// What a fake tool does with a call.
pub type Moves = Arc<dyn Fn(ToolCall) -> BoxFuture<'static, ToolOutcome> + Send + Sync>;

/// A model that gives its answers in order and keeps what it was asked.
#[derive(Debug, Default)]
pub struct FakeModel {
    answers: Mutex<std::collections::VecDeque<LLMResponse>>,
    asked: Mutex<Vec<ModelCall>>,
}

impl FakeModel {
    /// A model with these answers, for all agents together.
    #[must_use]
    pub fn new(answers: impl IntoIterator<Item = LLMResponse>) -> Arc<Self> {
        Arc::new(Self {
            answers: Mutex::new(answers.into_iter().collect()),
            asked: Mutex::default(),
        })
    }

    /// What it was asked, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<ModelCall> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[async_trait]
impl Model for FakeModel {
    async fn call(
        &self,
        call: &ModelCall,
        _drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(call.clone());
        let next = self
            .answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        next.ok_or_else(|| {
            ModelError::new(
                ModelErrorKind::NotRecorded,
                "the test gave no further answer",
            )
        })
    }
}

/// An answer that calls tools without arguments.
#[must_use]
pub fn wants(tools: &[&str]) -> LLMResponse {
    let call = |(number, tool): (usize, &&str)| {
        Part::Call(CallPart {
            label: format!("label-{number}"),
            tool: (*tool).to_owned(),
            arguments: "{}".to_owned(),
        })
    };
    LLMResponse::Calls(Reply {
        parts: tools.iter().enumerate().map(call).collect(),
        ..Reply::default()
    })
}

/// An answer in words.
#[must_use]
pub fn says(text: &str) -> LLMResponse {
    LLMResponse::text(text)
}

/// A tool that does what a test says.
pub struct FakeTool {
    spec: ToolSpec,
    moves: Moves,
}

impl fmt::Debug for FakeTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeTool")
            .field("name", &self.spec.name)
            .finish_non_exhaustive()
    }
}

impl FakeTool {
    /// A tool called `name`, which may never be repeated unless it only reads.
    #[must_use]
    pub fn new<F>(
        name: &str,
        effect: EffectClass,
        moves: impl Fn(ToolCall) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = ToolOutcome> + Send + 'static,
    {
        let name = ToolName::new(name).expect("the test's tool has a fitting name");
        let spec = ToolSpec::new(
            name,
            effect,
            "Plays a part in a test.",
            serde_json::json!({ "type": "object" }),
        );
        Self {
            spec,
            moves: Arc::new(move |call| Box::pin(moves(call))),
        }
    }

    /// The same tool, of whose output a model sees what `view` says.
    #[must_use]
    pub fn showing(mut self, view: ViewPolicy) -> Self {
        self.spec.view = view;
        self
    }

    /// The same tool, which reads the files of those who led to a call.
    #[must_use]
    pub fn reading_files(mut self) -> Self {
        self.spec.reads_files = true;
        self
    }

    /// The same tool with another time limit.
    #[must_use]
    pub fn within_ms(mut self, timeout_ms: u64) -> Self {
        self.spec.timeout_ms = timeout_ms;
        self
    }
}

#[async_trait]
impl Tool for FakeTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        (self.moves)(call.clone()).await
    }

    async fn reconcile(&self, _call: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}
