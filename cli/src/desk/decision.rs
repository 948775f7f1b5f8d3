//! Decisions of people about what waits, also in a world that nobody runs.

use std::time::Duration;

use folkmoot::core::ids::{AgentName, PersonName, Position, RequestId, ToolName, WorldName};
use folkmoot::core::world::{Accepted, World};
use folkmoot::run::{Standing, standing};
use folkmoot::{
    Beforehand, Opening, Perform, Proof, Runtime, Seat, SeatError, WorldHandle, fold_world,
};
use serde::{Deserialize, Serialize};

use crate::exit::{CliError, STORE};

/// How often, and how long apart, a world that is just being reopened is looked for.
const LOOKS: u32 = 40;
const LOOK_EVERY: Duration = Duration::from_millis(50);

mod what;

pub(crate) use what::{Approval, What};

/// A decision about one request or grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Decision {
    /// The world.
    pub(crate) world: WorldName,
    /// The request, or the grant.
    pub(crate) about: Position,
    /// How the person is called. Claimed, not proven.
    pub(crate) by: Option<PersonName>,
    /// What is decided.
    pub(crate) what: What,
}

impl Decision {
    /// What it is about.
    fn about(&self, world: &World) -> Option<About> {
        if self.what == What::Revoke {
            about_grant(world, self.about)
        } else {
            about(world, self.about)
        }
    }
}

/// A decision that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Taken {
    /// The request's name, or the grant's.
    pub(crate) name: String,
    /// What became of it: `allowed`, `denied`, `answered`, `settled`, `revoked`.
    pub(crate) how: String,
    /// The agent whose call it is about.
    pub(crate) agent: AgentName,
    /// The call's tool.
    pub(crate) tool: Option<ToolName>,
    /// The call's arguments; those that a person put in their place, if it was allowed so.
    pub(crate) arguments: Option<String>,
    /// The grant that the decision gave, if it still stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) grant: Option<Standing>,
    /// The last event of the decision.
    pub(crate) at: Option<Position>,
}

/// Who is told why a decision is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Whoever holds the store, and can read the log: all of it.
    Operator,
    /// A peer of the control socket: what [`Refusal::outward`](folkmoot::core::event::refusal::Refusal::outward) leaves.
    Peer,
}

impl Audience {
    fn told(self, error: SeatError) -> CliError {
        match (self, error) {
            (Self::Peer, SeatError::Refused(refusal)) => {
                SeatError::Refused(refusal.outward()).into()
            }
            (Self::Peer | Self::Operator, error) => error.into(),
        }
    }
}

/// Takes a decision in the name of `proof`. A world that is not open is opened for it, and performs nothing; `driven`
/// is one that somebody else opens and closes.
pub(crate) async fn decide(
    runtime: &Runtime,
    proof: Proof,
    decision: &Decision,
    audience: Audience,
    driven: Option<&WorldName>,
) -> Result<Taken, CliError> {
    let name = &decision.world;
    if let Some(world) = at_hand(runtime, name, driven == Some(name)).await {
        return take(&world, proof, decision, audience).await;
    }
    refuse_beforehand(runtime, &proof, decision, audience).await?;
    let opening = Opening {
        perform: Perform::Nothing,
        ..Opening::recorded(name.clone())
    };
    let world = runtime.open(opening).await?;
    let taken = take(&world, proof, decision, audience).await;
    runtime.close(name).await;
    taken
}

/// Asks a closed world on a fold of its log, so that what it refuses does not open it.
async fn refuse_beforehand(
    runtime: &Runtime,
    proof: &Proof,
    decision: &Decision,
    audience: Audience,
) -> Result<(), CliError> {
    let world = fold_world(&**runtime.log(), &decision.world, None).await?;
    let agent = decision.about(&world).map(|about| about.agent);
    let action = decision.what.clone().action(agent, decision.about);
    match runtime.beforehand(&decision.world, proof, action).await? {
        Beforehand::Refused(refusal) => Err(audience.told(SeatError::Refused(refusal))),
        Beforehand::Opens | Beforehand::Nothing(_) => Ok(()),
    }
}

/// The world, if it is open. One that is driven is soon again.
pub(super) async fn at_hand(
    runtime: &Runtime,
    name: &WorldName,
    is_driven: bool,
) -> Option<WorldHandle> {
    for _ in 0..LOOKS {
        match runtime.world(name) {
            None if is_driven => tokio::time::sleep(LOOK_EVERY).await,
            found => return found,
        }
    }
    None
}

async fn take(
    world: &WorldHandle,
    proof: Proof,
    decision: &Decision,
    audience: Audience,
) -> Result<Taken, CliError> {
    let (at, wish) = (decision.about, decision.clone());
    let about = world
        .operator()
        .read(move |world| wish.about(world))
        .await?;
    let About {
        agent,
        tool,
        arguments,
    } = about.ok_or_else(no_agents)?;
    let arguments = decision.what.edited().or(arguments);
    let seat = world.as_principal(proof);
    let action = decision.what.clone().action(Some(agent.clone()), at);
    let accepted = seat
        .give(action, None)
        .await
        .map_err(|error| audience.told(error))?;
    let grant = world
        .operator()
        .read(move |world| given(world, RequestId(at)))
        .await?;
    let (name, how) = (
        format!("{}#{at}", decision.world),
        decision.what.word().to_owned(),
    );
    Ok(Taken {
        name,
        how,
        agent,
        tool,
        arguments,
        grant,
        at: accepted.last,
    })
}

fn no_agents() -> CliError {
    CliError::other(STORE, "the world has no agents")
}

/// Gives a decision from a seat.
pub(crate) async fn give(
    seat: &Seat,
    request: RequestId,
    what: What,
) -> Result<Accepted, SeatError> {
    let about = seat
        .world()
        .operator()
        .read(move |world| about(world, request.0))
        .await?;
    let agent = about.ok_or(SeatError::Closed)?.agent;
    seat.give(what.action(Some(agent), request.0), None).await
}

/// What a request or a grant is about.
struct About {
    agent: AgentName,
    tool: Option<ToolName>,
    arguments: Option<String>,
}

/// What a request is about. One that is unknown is somebody's all the same: it is the world that refuses it.
fn about(world: &World, at: Position) -> Option<About> {
    let id = RequestId(at);
    if let Some(request) = world.consent().pending().get(&id) {
        let arguments = request.arguments.present().cloned();
        return Some(About {
            agent: request.agent.clone(),
            tool: request.tool.clone(),
            arguments,
        });
    }
    let settled = world
        .consent()
        .settled()
        .get(&id)
        .map(|settled| settled.agent.clone());
    Some(About {
        agent: settled.or_else(|| any_agent(world))?,
        tool: None,
        arguments: None,
    })
}

/// What a grant is about.
fn about_grant(world: &World, at: Position) -> Option<About> {
    let known = standing(world)
        .into_iter()
        .find(|grant| grant.grant.0 == at);
    let known = known.map(|grant| About {
        agent: grant.agent,
        tool: Some(grant.tool),
        arguments: None,
    });
    known.or_else(|| {
        Some(About {
            agent: any_agent(world)?,
            tool: None,
            arguments: None,
        })
    })
}

fn any_agent(world: &World) -> Option<AgentName> {
    world
        .rules()
        .spec()
        .agents
        .first()
        .map(|agent| agent.name.clone())
}

/// The grant that the decision about `request` gave.
fn given(world: &World, request: RequestId) -> Option<Standing> {
    let (id, _) = world
        .grants()
        .find(|(_, grant)| grant.given.request == request)?;
    standing(world).into_iter().find(|grant| grant.grant == id)
}
