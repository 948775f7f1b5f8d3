//! Decisions of people about what waits, also in a world that nobody runs.

use std::time::Duration;

use folkmoot::core::command::{Action, Judgement, Reply, Settlement};
use folkmoot::core::event::Verdict;
use folkmoot::core::ids::{AgentName, PersonName, Position, RequestId, ToolName, WorldName};
use folkmoot::core::world::{Accepted, World};
use folkmoot::{Opening, Perform, Proof, Runtime, Seat, SeatError, WorldHandle};
use serde::{Deserialize, Serialize};

use crate::exit::{CliError, STORE};

/// How often, and how long apart, a world that is just being reopened is looked for.
const LOOKS: u32 = 40;
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A decision about one request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Decision {
    /// The world.
    pub(crate) world: WorldName,
    /// The request.
    pub(crate) request: Position,
    /// How the person is called. Claimed, not proven.
    pub(crate) by: Option<PersonName>,
    /// What is decided.
    pub(crate) what: What,
}

/// What is decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    /// A call may run.
    Approve {
        /// The beginning of the digest of what the person saw.
        shown: Option<String>,
    },
    /// A call may not run.
    Deny {
        /// The beginning of the digest of what the person saw.
        shown: Option<String>,
        /// Why.
        reason: Option<String>,
    },
    /// A question's option, from 0.
    Option(u32),
    /// A question's answer.
    Text(String),
    /// A call took effect.
    Ran(Option<String>),
    /// It did not.
    NotRun,
    /// It is to run again.
    RunAgain,
}

impl What {
    fn action(self, agent: AgentName, request: RequestId) -> Action {
        match self {
            Self::Approve { shown } => {
                Action::Decide { agent, request, judgement: Judgement::new(Verdict::Allow).having_seen(shown) }
            }
            Self::Deny { shown, reason } => {
                let judgement = Judgement::new(Verdict::Deny).having_seen(shown).because(reason);
                Action::Decide { agent, request, judgement }
            }
            Self::Option(option) => Action::Answer { request, reply: Reply::Options(vec![option]) },
            Self::Text(text) => Action::Answer { request, reply: Reply::Text(text) },
            Self::Ran(text) => Action::Settle { request, settlement: Settlement::Ran(text) },
            Self::NotRun => Action::Settle { request, settlement: Settlement::NotRun },
            Self::RunAgain => Action::Settle { request, settlement: Settlement::RunAgain },
        }
    }

    /// What it does to the request, in a word.
    const fn word(&self) -> &'static str {
        match self {
            Self::Approve { .. } => "allowed",
            Self::Deny { .. } => "denied",
            Self::Option(_) | Self::Text(_) => "answered",
            Self::Ran(_) | Self::NotRun | Self::RunAgain => "settled",
        }
    }
}

/// A decision that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Taken {
    /// The request's name.
    pub(crate) name: String,
    /// What became of it: `allowed`, `denied`, `answered`, `settled`.
    pub(crate) how: String,
    /// The agent whose call it is about.
    pub(crate) agent: AgentName,
    /// The call's tool.
    pub(crate) tool: Option<ToolName>,
    /// The call's arguments.
    pub(crate) arguments: Option<String>,
    /// The last event of the decision.
    pub(crate) at: Option<Position>,
}

/// Takes a decision in the name of `proof`. A world that is not open is opened for it, and performs nothing; `driven`
/// is one that somebody else opens and closes.
pub(crate) async fn decide(
    runtime: &Runtime,
    proof: Proof,
    decision: &Decision,
    driven: Option<&WorldName>,
) -> Result<Taken, CliError> {
    let name = &decision.world;
    if let Some(world) = at_hand(runtime, name, driven == Some(name)).await {
        return take(&world, proof, decision).await;
    }
    let opening = Opening { perform: Perform::Nothing, ..Opening::recorded(name.clone()) };
    let world = runtime.open(opening).await?;
    let taken = take(&world, proof, decision).await;
    runtime.close(name).await;
    taken
}

/// The world, if it is open. One that is driven is soon again.
async fn at_hand(runtime: &Runtime, name: &WorldName, is_driven: bool) -> Option<WorldHandle> {
    for _ in 0..LOOKS {
        match runtime.world(name) {
            None if is_driven => tokio::time::sleep(LOOK_EVERY).await,
            found => return found,
        }
    }
    None
}

async fn take(world: &WorldHandle, proof: Proof, decision: &Decision) -> Result<Taken, CliError> {
    let request = RequestId(decision.request);
    let (agent, tool, arguments) = world.read(move |world| about(world, request)).await?.ok_or_else(no_agents)?;
    let accepted = give(&world.as_principal(proof), request, decision.what.clone()).await?;
    let (name, how) = (format!("{}#{request}", decision.world), decision.what.word().to_owned());
    Ok(Taken { name, how, agent, tool, arguments, at: accepted.last })
}

fn no_agents() -> CliError {
    CliError::other(STORE, "the world has no agents")
}

/// Gives a decision from a seat.
pub(crate) async fn give(seat: &Seat, request: RequestId, what: What) -> Result<Accepted, SeatError> {
    let about = seat.world().read(move |world| about(world, request)).await?;
    let (agent, ..) = about.ok_or(SeatError::Closed)?;
    seat.give(what.action(agent, request), None).await
}

/// What a request is about. One that is unknown is somebody's all the same: it is the world that refuses it.
fn about(world: &World, id: RequestId) -> Option<(AgentName, Option<ToolName>, Option<String>)> {
    if let Some(request) = world.pending().get(&id) {
        return Some((request.agent.clone(), request.tool.clone(), request.arguments.present().cloned()));
    }
    let settled = world.settled().get(&id).map(|settled| settled.agent.clone());
    let agent = settled.or_else(|| world.rules().spec().agents.first().map(|agent| agent.name.clone()));
    agent.map(|agent| (agent, None, None))
}
