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

/// The name of the models that are the clerk's. Others ask a server of the test's.
const SCRIPTED: &str = "scripted";

/// Makes the parts of a room: its models called `scripted` are the clerk's, and a tool called `file` writes in one ledger.
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
        for (name, model) in &mut parts.models {
            if name.as_str() == SCRIPTED {
                *model = Arc::new(Clerk);
            }
        }
        for tool in parts.tools.values_mut() {
            if tool.spec().name.as_str() == "file" {
                *tool = Arc::new(Ledger {
                    spec: tool.spec().clone(),
                    file: self.0.clone(),
                });
            }
        }
        Ok(parts)
    }
}

/// Told `file LINE` it calls the tool with that line, and told `call TOOL …` each of these tools; told `tell WORD` it says the
/// word in pieces; told `hold WORD` it says the word and waits for its end; told `fail` it fails; behind a result it says that it is done.
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
            Some(("file", line)) => {
                let arguments = serde_json::json!({ "line": line });
                Ok(calls([("file", arguments)]))
            }
            Some(("call", tools)) => {
                let tools = tools.split(' ');
                Ok(calls(tools.map(|tool| (tool, serde_json::json!({})))))
            }
            Some(("tell", word)) => tell(word, call, drafts).await,
            Some(("hold", word)) => hold(word, drafts).await,
            Some(("fail", _)) => Err(ModelError::new(ModelErrorKind::RefusesRequest, "told to")),
            Some(_) | None => Ok(LLMResponse::text(format!("It is {heard}."))),
        }
    }
}

fn calls<'t>(tools: impl IntoIterator<Item = (&'t str, serde_json::Value)>) -> LLMResponse {
    let part = |(number, (tool, arguments)): (usize, (&str, serde_json::Value))| {
        Part::Call(CallPart {
            label: format!("label{number}"),
            tool: tool.to_owned(),
            arguments: arguments.to_string(),
        })
    };
    LLMResponse::Calls(Reply {
        parts: tools.into_iter().enumerate().map(part).collect(),
        ..Reply::default()
    })
}

/// The pieces of a told word before the clerk falls silent, as `FOLKMOOT_PIECES` says: then it waits for its end.
fn pieces_told() -> usize {
    let told = std::env::var("FOLKMOOT_PIECES").ok();
    told.map_or(PIECES, |told| told.parse().expect("a number of pieces"))
}

async fn hold(word: &str, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
    let shown = drafts.push(word).await;
    shown.map_err(|_| ModelError::new(ModelErrorKind::Outage, "the call was stopped"))?;
    std::future::pending().await
}

async fn tell(
    word: &str,
    call: &ModelCall,
    drafts: &dyn Drafts,
) -> Result<LLMResponse, ModelError> {
    let mut told = String::new();
    for number in 0..PIECES {
        if number == pieces_told() {
            std::future::pending::<()>().await;
        }
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
