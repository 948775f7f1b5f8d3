//! `mcp`: one tool of a server of the Model Context Protocol.
//!
//! ```text
//! call ──▶ connection of the world ──the tool, as it is now──▶ same schema as recorded?
//!                                                      no ──▶ people are asked, about this schema
//!                                                     yes ──▶ the call, and its result
//! ```
//!
//! All that a server says is data: nothing of it decides what a call may do. What the script says of a tool was read by
//! a person, so its effect, its description and its schema come from there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use folkmoot_core::ids::Digest;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Question, Reconciliation, Repeat, ToolErrorCode, ToolFailure, ToolOutcome,
    ToolSpec,
};
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use serde_json::Value;

use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

mod client;
mod input;
mod offer;
mod result;
mod schema;
mod server;
mod settings;
#[cfg(test)]
mod tests;
mod watch;
mod words;

use input::Asked;
pub use offer::{Offer, OfferError, offers};
use schema::{Consent, consent, digest_of};
pub(crate) use server::Server;
use server::{Doubt, Flight, Means, failure};
use settings::{Endpoint, McpSettings};

pub(crate) const MCP: Kind = Kind {
    name: "mcp",
    summary: "Calls a tool of an MCP server",
    keys: &[
        "server", "command", "cwd", "env", "sandbox", "url", "token", "tool", "effect", "schema",
        "digest",
    ],
    is_local: true,
    build,
};

/// The most calls whose questions are remembered.
const REMEMBERED_MAX: usize = 256;

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let settings: McpSettings = draft.settings()?;
    settings.check(draft)?;
    let (name, key) = (settings.server().to_owned(), settings.key());
    let (tool, effect) = (settings.tool.clone(), settings.effect);
    let schema = settings.schema.clone().unwrap_or_default();
    let known = settings.digest.unwrap_or_else(|| digest_of(&schema));
    let endpoint = settings.endpoint(draft)?;
    let spec = draft.spec(Declared {
        description: format!("The tool `{tool}` of the MCP server `{name}`."),
        // Nobody has said what it does.
        effect: effect.unwrap_or(EffectClass::Destructive),
        // Nor does any server say that it knows a key again.
        repeat: Repeat::Never,
        schema,
    })?;
    if spec.memoises {
        let why = "a server's result depends on more than the arguments: leave this setting out";
        return Err(draft.bad("memoise", why));
    }
    let (folder, roots) = match &endpoint {
        Endpoint::Program(program) => (
            Some(program.folder.place.clone()),
            program.reach.roots(&program.folder),
        ),
        Endpoint::Address { .. } => (None, Vec::new()),
    };
    let spec = ToolSpec {
        needs_host: folder.is_some(),
        folder,
        open_world: true,
        ..spec
    };
    let server = draft.shared.one(key, || Server::new(&name, endpoint, key));
    let built = Built::new(RemoteTool {
        spec,
        server,
        tool,
        known,
        open: Mutex::default(),
    });
    // One program serves tools of all effects, and its sandbox may open more to it than reading.
    Ok(Built {
        writes: true,
        ..built.within(roots)
    })
}

/// A tool of a server.
#[derive(Debug)]
struct RemoteTool {
    spec: ToolSpec,
    server: Arc<Server>,
    /// The server's name of it.
    tool: String,
    /// The digest of the schema with which it was classified.
    known: Digest,
    /// The calls that wait for people, by their keys. What is lost here is asked again.
    open: Mutex<BTreeMap<String, OpenCall>>,
}

/// What is known of a call that waits for a person.
#[derive(Debug, Clone, Default)]
struct OpenCall {
    /// The changed schema with which it may run.
    consented: Option<Digest>,
    /// The server's question.
    asked: Option<Asked>,
}

#[async_trait]
impl Tool for RemoteTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        match self.attempt(call).await {
            Ok(outcome) => outcome,
            Err(failure) => ToolOutcome::Failed(failure),
        }
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

impl RemoteTool {
    async fn attempt(&self, call: &ToolCall) -> Result<ToolOutcome, ToolFailure> {
        // Within the call's own limit: what did not begin is no call whose outcome is unknown.
        let limit = self.spec.timeout() / 10 * 9;
        let prepared = tokio::time::timeout(limit, self.prepare(call)).await;
        let late = |_| {
            let name = &self.server.name;
            failure(format!(
                "the server `{name}` was not ready within {limit:?}; nothing was run"
            ))
        };
        let (flight, schema) = prepared.map_err(late)??;
        let mut open = self.recall(call);
        if let Some(question) = self.objection(call, &schema, &mut open)? {
            flight.settle();
            // A question of the server from before is asked anew, if it still has it.
            let open = OpenCall {
                asked: None,
                ..open
            };
            return Ok(self.ask(call, open, question));
        }
        self.perform(call, flight, open).await
    }

    /// The connection, and the schema that the tool has now.
    async fn prepare(&self, call: &ToolCall) -> Result<(Flight, Value), ToolFailure> {
        let key = call.idempotency_key.as_str();
        let means = || Means {
            host: call.host.as_ref(),
            world: key.split_once(':').map_or(key, |(world, _)| world),
            timeout: self.spec.timeout(),
        };
        let mut flight = self.server.take(means()).await?;
        let mut tools = flight.tools().await;
        if tools.is_err() && flight.is_left_over() {
            drop(flight);
            flight = self.server.take(means()).await?;
            tools = flight.tools().await;
        }
        let tools = tools?;
        let tool = tools.into_iter().find(|tool| tool.name == self.tool);
        match tool {
            Some(tool) => Ok((flight, tool.schema_as_json_value())),
            None => {
                flight.settle();
                let (name, tool) = (&self.server.name, &self.tool);
                Err(failure(format!(
                    "the server `{name}` has no tool `{tool}` any more"
                )))
            }
        }
    }

    /// The question to ask before a call on a tool that has another schema than the recorded one.
    fn objection(
        &self,
        call: &ToolCall,
        schema: &Value,
        open: &mut OpenCall,
    ) -> Result<Option<Question>, ToolFailure> {
        let present = digest_of(schema);
        if present == self.known || open.consented == Some(present) {
            return Ok(None);
        }
        // An answer to a question of the server says nothing of the schema.
        let input = call.input.as_ref().filter(|_| open.asked.is_none());
        match input.map(|input| consent(input, present)) {
            Some(Consent::Given) => {
                open.consented = Some(present);
                Ok(None)
            }
            Some(Consent::Refused) => Err(ToolFailure::new(
                ToolErrorCode::NotAllowed,
                "a person does not let the call run with the changed schema",
            )),
            Some(Consent::Other) | None => {
                let (server, tool) = (&self.server.name, &self.tool);
                let question = schema::question(server, tool, &self.spec.schema, schema);
                Ok(Some(question))
            }
        }
    }

    async fn perform(
        &self,
        call: &ToolCall,
        mut flight: Flight,
        open: OpenCall,
    ) -> Result<ToolOutcome, ToolFailure> {
        let mut request = CallToolRequestParams::new(self.tool.clone());
        if let Value::Object(arguments) = &call.arguments {
            request = request.with_arguments(arguments.clone());
        }
        if let (Some(asked), Some(input)) = (&open.asked, &call.input) {
            request = request.with_input_responses(input::responses(asked, input));
            if let Some(state) = &asked.state {
                request = request.with_request_state(state.clone());
            }
        }
        let doubt = match self.spec.effect {
            EffectClass::Read => Doubt::None,
            EffectClass::Write | EffectClass::Destructive => Doubt::Some,
        };
        let response = flight.call(request, doubt).await?;
        let outcome = self.outcome(call, &flight, &open, response);
        flight.settle();
        outcome
    }

    fn outcome(
        &self,
        call: &ToolCall,
        flight: &Flight,
        open: &OpenCall,
        response: CallToolResponse,
    ) -> Result<ToolOutcome, ToolFailure> {
        match response {
            CallToolResponse::Complete(result) => {
                let max = self.spec.output_bytes_max;
                let mut outcome = result::outcome(result, flight.gaps(), max);
                if let (ToolOutcome::Failed(failure), Some(declined)) =
                    (&mut outcome, flight.declined())
                {
                    failure.detail.push_str(&format!("; {declined}"));
                }
                Ok(outcome)
            }
            CallToolResponse::InputRequired(result) => {
                let (asked, question) = input::question(&self.server.name, result)?;
                let Some(question) = question else {
                    return Err(failure(
                        "the server has no result yet, and wants to be called again",
                    ));
                };
                let open = OpenCall {
                    asked: Some(asked),
                    consented: open.consented,
                };
                Ok(self.ask(call, open, question))
            }
            CallToolResponse::Task(_) => Err(failure(
                "the server answers with a task, which was not asked for",
            )),
            _ => Err(failure(
                "the server answers with what this program does not know",
            )),
        }
    }

    /// What is known of a call that people were asked about.
    fn recall(&self, call: &ToolCall) -> OpenCall {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.remove(&call.idempotency_key).unwrap_or_default()
    }

    fn ask(&self, call: &ToolCall, known: OpenCall, question: Question) -> ToolOutcome {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= REMEMBERED_MAX {
            open.pop_first();
        }
        open.insert(call.idempotency_key.clone(), known);
        ToolOutcome::NeedsInput(question)
    }
}
