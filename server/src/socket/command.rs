//! Commands of a socket: each has an id, and gets one answer.

use std::sync::Arc;

use folkmoot::core::command::{Action, ConsentAction, Resolution, TalkAction};
use folkmoot::core::ids::RequestId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::request::{RequestKey, parse};
use crate::rooms::Lobby;
use crate::routes::decisions::{NewAnswer, NewDecision, NewSettlement, resolve};
use crate::routes::done::Done;
use crate::routes::messages::{self, NewMessage};

/// The answer to a command.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename = "answer")]
pub(super) struct Answer {
    /// The id of the command; absent if it had none that could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// The body that the route would have answered with.
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<Value>,
    /// The reason that the command was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

/// A command as it is read: its kind and id, and the rest.
#[derive(Debug, Deserialize)]
struct Frame {
    #[serde(rename = "type")]
    kind: String,
    id: String,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Does what the frame `text` says, and answers it.
pub(super) async fn answer(lobby: &Arc<Lobby>, caller: &Caller, world: &str, text: &str) -> Answer {
    let frame: Result<Frame, _> = parse(text.as_bytes());
    let id = frame.as_ref().ok().map(|frame| frame.id.clone());
    let (ok, problem) = match frame.and_then(|frame| Command::read(lobby, frame)) {
        Ok((key, command)) => match Box::pin(command.obey(lobby, caller, world, &key)).await {
            Ok(done) => (Some(done), None),
            Err(problem) => (None, Some(problem)),
        },
        // It counts as a command: else there could be any number of them.
        Err(problem) => (None, lobby.quotas.command(caller).err().or(Some(problem))),
    };
    Answer { id, ok, problem }
}

/// The members of a frame that are not its kind and its id.
struct Members(Map<String, Value>);

impl Members {
    /// Takes one member out.
    fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, Problem> {
        let value = self.0.remove(name).unwrap_or(Value::Null);
        serde_json::from_value(value).map_err(|error| {
            let why = format!("the member {name} does not fit: {error}");
            Problem::new(ProblemCode::Invalid, why).about(name)
        })
    }

    /// Reads all that are left as the body of the route.
    fn body<T: DeserializeOwned>(self) -> Result<T, Problem> {
        parse(Value::Object(self.0).to_string().as_bytes())
    }

    /// Refuses members that the command does not have.
    fn end(self) -> Result<(), Problem> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(name) => {
                let why = format!("the command has no member {name}");
                Err(Problem::new(ProblemCode::Invalid, why).about(name.clone()))
            }
        }
    }
}

/// A command that was read.
#[expect(
    clippy::large_enum_variant,
    reason = "one lives at a time, and only until it is obeyed"
)]
enum Command {
    Post(NewMessage),
    Give(Action),
    Resolve(RequestId, Resolution),
}

impl Command {
    /// Reads a frame, with the key under which its command is given.
    fn read(lobby: &Lobby, frame: Frame) -> Result<(RequestKey, Self), Problem> {
        let members = Members(frame.rest);
        let (route, command) = match frame.kind.as_str() {
            "post" => {
                let route = "POST /v1/worlds/{world}/messages";
                (route, Self::Post(members.body()?))
            }
            kind @ ("edit" | "retract" | "regenerate" | "stop" | "observe" | "revoke") => {
                let (route, action) = action(lobby, kind, members)?;
                (route, Self::Give(action))
            }
            kind => resolution(kind, members)?,
        };
        Ok((RequestKey::of_route(route, &frame.id)?, command))
    }

    /// Does it, and gives what the route that does the same would answer with.
    async fn obey(
        self,
        lobby: &Lobby,
        caller: &Caller,
        world: &str,
        key: &RequestKey,
    ) -> Result<Value, Problem> {
        let accepted = match self {
            Self::Post(message) => {
                let posted = messages::deliver(lobby, caller, world, key, message).await?;
                return Ok(json!(posted));
            }
            Self::Give(action) => lobby.give(caller, world, action, key.of(caller)).await?,
            Self::Resolve(request, resolution) => {
                resolve(lobby, caller, world, request, resolution, key).await?
            }
        };
        Ok(json!(Done::of(&accepted)))
    }
}

/// The action of a command, and the route that does the same.
fn action(
    lobby: &Lobby,
    kind: &str,
    mut members: Members,
) -> Result<(&'static str, Action), Problem> {
    Ok(match kind {
        "edit" => {
            let message = members.take("message")?;
            let text: String = members.take("text")?;
            members.end()?;
            lobby.check_length(&text)?;
            let route = "PATCH /v1/worlds/{world}/messages/{message}";
            (route, TalkAction::Edit { message, text }.into())
        }
        "retract" => {
            let message = members.take("message")?;
            members.end()?;
            let route = "DELETE /v1/worlds/{world}/messages/{message}";
            (route, TalkAction::Retract { message }.into())
        }
        "regenerate" => {
            let message = members.take("message")?;
            members.end()?;
            let route = "POST /v1/worlds/{world}/messages/{message}/regenerate";
            (route, TalkAction::Regenerate { message }.into())
        }
        "stop" => {
            let episode = members.take("episode")?;
            members.end()?;
            let route = "POST /v1/worlds/{world}/stop";
            (route, TalkAction::Stop { episode }.into())
        }
        "observe" => {
            let name = members.take("name")?;
            let state: Value = members.take("state")?;
            members.end()?;
            let state = lobby.checked_state(state.to_string())?;
            let route = "POST /v1/worlds/{world}/state/{name}";
            (route, TalkAction::Observe { name, state }.into())
        }
        _ => {
            let grant = members.take("grant")?;
            members.end()?;
            let route = "DELETE /v1/worlds/{world}/grants/{grant}";
            (route, ConsentAction::Revoke { grant }.into())
        }
    })
}

/// The resolution of a request, and the route below `requests` that does the same.
fn resolution(kind: &str, mut members: Members) -> Result<(&'static str, Command), Problem> {
    let request = members.take("request");
    let (route, resolution) = match kind {
        "decide" => (
            "POST /v1/worlds/{world}/requests/{request}/decision",
            members.body::<NewDecision>()?.resolution()?,
        ),
        "answer" => (
            "POST /v1/worlds/{world}/requests/{request}/answer",
            members.body::<NewAnswer>()?.resolution()?,
        ),
        "settle" => (
            "POST /v1/worlds/{world}/requests/{request}/settlement",
            members.body::<NewSettlement>()?.resolution()?,
        ),
        kind => {
            let why = format!(
                "there is no command {kind:?}; there are post, edit, retract, regenerate, stop, \
                 observe, decide, answer, settle and revoke"
            );
            return Err(Problem::new(ProblemCode::Invalid, why).about("type"));
        }
    };
    Ok((route, Command::Resolve(request?, resolution)))
}
