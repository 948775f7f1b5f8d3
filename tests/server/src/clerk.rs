//! The clerk of the test's rooms: a model that does what the last message says, and a tool whose runs can be counted
//! outside of the log.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use folkmoot::core::model::response::{
    CallPart, LLMResponse, ModelError, ModelErrorKind, Part, Reply,
};
use folkmoot::core::port::{Drafts, Model, ModelCall, Tool, ToolCall};
use folkmoot::core::prompt::Item;
use folkmoot::core::spec::Definition;
use folkmoot::core::tool::{Reconciliation, ToolErrorCode, ToolOutcome, ToolOutput, ToolSpec};
use folkmoot::{Assemble, AssembleError, Parts, Shipped};

/// The pieces of a told word.
const PIECES: usize = 12;
/// The pause before each piece, so that who follows sees them one by one.
const PAUSE: Duration = Duration::from_millis(1);

/// Makes the parts of a room: all of its models are the clerk's, all of its tools write in one ledger.
#[derive(Debug)]
pub(crate) struct Desk(PathBuf);

impl Desk {
    /// A desk whose ledger is the file `ledger`: a line `KEY LINE` for each run.
    pub(crate) const fn with(ledger: PathBuf) -> Self {
        Self(ledger)
    }
}

impl Assemble for Desk {
    fn assemble(
        &self,
        definition: &Definition,
        base: Option<&Path>,
    ) -> Result<Parts, AssembleError> {
        let mut parts = Shipped::default().assemble(definition, base)?;
        for model in parts.models.values_mut() {
            *model = Arc::new(Clerk);
        }
        for tool in parts.tools.values_mut() {
            *tool = Arc::new(Ledger {
                spec: tool.spec().clone(),
                file: self.0.clone(),
            });
        }
        Ok(parts)
    }
}

/// Told `file LINE` it calls the tool with that line; told `tell WORD` it says the word in pieces; behind a result it says
/// that it is done.
#[derive(Debug)]
struct Clerk;

#[async_trait]
impl Model for Clerk {
    async fn call(&self, call: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        let heard = call
            .request
            .items()
            .iter()
            .rev()
            .find_map(|item| match &**item {
                Item::Heard { text, .. } => Some(text.to_string()),
                Item::Result { failed, .. } => {
                    Some(if *failed { "refused" } else { "done" }.to_owned())
                }
                Item::Said { .. }
                | Item::Notice { .. }
                | Item::State { .. }
                | Item::Summary { .. } => None,
            });
        let heard = heard.unwrap_or_default();
        match heard.split_once(' ') {
            Some(("file", line)) => Ok(LLMResponse::Calls(Reply {
                parts: vec![Part::Call(CallPart {
                    label: "label".to_owned(),
                    tool: "file".to_owned(),
                    arguments: serde_json::json!({ "line": line }).to_string(),
                })],
                ..Reply::default()
            })),
            Some(("tell", word)) => tell(word, call, drafts).await,
            Some(_) | None => Ok(LLMResponse::text(format!("It is {heard}."))),
        }
    }
}

async fn tell(
    word: &str,
    call: &ModelCall,
    drafts: &dyn Drafts,
) -> Result<LLMResponse, ModelError> {
    let mut told = String::new();
    for number in 0..PIECES {
        call.clock.sleep_until(call.clock.now().after(PAUSE)).await;
        let piece = format!("{word} number {number}, ");
        let shown = drafts.push(&piece).await;
        shown.map_err(|_| ModelError::new(ModelErrorKind::Outage, "the call was stopped"))?;
        told.push_str(&piece);
    }
    Ok(LLMResponse::text(told))
}

/// Writes a line for each run, and finds lost runs by their keys.
#[derive(Debug)]
struct Ledger {
    spec: ToolSpec,
    file: PathBuf,
}

#[async_trait]
impl Tool for Ledger {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        match self.write(call) {
            Ok(()) => filed(),
            Err(error) => ToolOutcome::failed(ToolErrorCode::Failed, error.to_string()),
        }
    }

    async fn reconcile(&self, call: &ToolCall) -> Reconciliation {
        match fs::read_to_string(&self.file) {
            Ok(text) if has_run(&text, &call.idempotency_key) => Reconciliation::Landed(filed()),
            Ok(_) => Reconciliation::DidNot,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Reconciliation::DidNot,
            Err(_) => Reconciliation::CannotTell,
        }
    }
}

impl Ledger {
    fn write(&self, call: &ToolCall) -> io::Result<()> {
        let line = call.arguments.get("line").and_then(|line| line.as_str());
        let line = line.expect("the schema asks for a line");
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.file)?;
        // One write: a kill leaves all of it or nothing, and lines of other rooms do not mix with it.
        file.write_all(format!("{} {line}\n", call.idempotency_key).as_bytes())
    }
}

fn filed() -> ToolOutcome {
    ToolOutcome::Done(ToolOutput::text("filed"))
}

fn has_run(ledger: &str, key: &str) -> bool {
    ledger
        .lines()
        .any(|line| line.split_once(' ').is_some_and(|(run, _)| run == key))
}
