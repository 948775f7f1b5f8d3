//! Rulings of people on requests and grants, also in a world that nobody runs.

use folkmoot::core::command::{Action, ConsentAction, Resolution};
use folkmoot::core::event::Verdict;
use folkmoot::core::ids::{
    AgentName, GrantId, PersonName, Position, RequestId, ToolName, WorldName,
};
use folkmoot::core::world::World;
use folkmoot::run::{Standing, standing};
use folkmoot::{Proof, Runtime, WorldHandle};
use serde::{Deserialize, Serialize};

use super::opening::{Holding, Visit};
use super::peer::Peer;
use crate::exit::{CliError, STORE};

/// A ruling of a person, and where it is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PersonRuling {
    /// The world.
    pub(crate) world: WorldName,
    /// The name of the person; their login name if `None`. Claimed, not proven.
    pub(crate) by: Option<PersonName>,
    /// The matter, and the ruling on it.
    pub(crate) matter: Matter,
}

/// A matter that people rule on, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Matter {
    /// A request that waits.
    Request {
        /// The request.
        request: RequestId,
        /// The agent whose call the person saw; `None` if they named the request alone.
        seen: Option<AgentName>,
        /// The way in which it is resolved.
        resolution: Resolution,
    },
    /// A grant, which ends before its time.
    Grant(GrantId),
}

/// A ruling that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Taken {
    /// The request's name, or the grant's.
    pub(crate) name: String,
    /// The outcome: `allowed`, `denied`, `answered`, `settled` or `revoked`.
    pub(crate) how: String,
    /// The agent whose call it is about.
    pub(crate) agent: AgentName,
    /// The call's tool; `None` if the request had been closed.
    pub(crate) tool: Option<ToolName>,
    /// The call's arguments; those that a person put in their place, if it was allowed so. `None`
    /// if they were erased, or if it is about a grant.
    pub(crate) arguments: Option<String>,
    /// The grant that the decision gave, if it still stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) grant: Option<Standing>,
    /// The last event of the decision.
    pub(crate) at: Option<Position>,
}

/// Gives a ruling in the name of `proof`, whom `peer` is told of a refusal for. A world that is not
/// open is opened for it, as `holding` says.
pub(super) async fn rule(
    runtime: &Runtime,
    proof: Proof,
    ruling: &PersonRuling,
    peer: Peer,
    holding: &Holding,
) -> Result<Taken, CliError> {
    let action = ruling.matter.clone().action();
    let visit = Visit::begin(runtime, &ruling.world, &proof, &action, peer, holding).await?;
    let taken = take(&visit.world, proof, ruling, peer).await;
    visit.end(runtime).await;
    taken
}

async fn take(
    world: &WorldHandle,
    proof: Proof,
    ruling: &PersonRuling,
    peer: Peer,
) -> Result<Taken, CliError> {
    let matter = ruling.matter.clone();
    let about = world
        .operator()
        .read(move |world| matter.about(world))
        .await?;
    let seat = world.as_principal(proof);
    let accepted = seat.give(ruling.matter.clone().action(), None).await;
    let accepted = accepted.map_err(|error| peer.told(error))?;
    let at = ruling.matter.at();
    let name = format!("{}#{at}", ruling.world);
    // A world accepts no ruling about what it does not know.
    let unknown = || CliError::other(STORE, format!("nothing is known of {name}"));
    let About {
        agent,
        tool,
        arguments,
    } = about.ok_or_else(unknown)?;
    let grant = world
        .operator()
        .read(move |world| given(world, RequestId(at)))
        .await?;
    Ok(Taken {
        name,
        how: ruling.matter.participle().to_owned(),
        agent,
        tool,
        arguments: ruling.matter.edited().or(arguments),
        grant,
        at: accepted.last,
    })
}

impl Matter {
    /// Returns the command that rules so.
    pub(crate) fn action(self) -> Action {
        match self {
            Self::Request {
                request,
                seen,
                resolution,
            } => resolution.of(request, seen),
            Self::Grant(grant) => Action::Consent(ConsentAction::Revoke { grant }),
        }
    }

    /// Returns where the request or the grant stands.
    const fn at(&self) -> Position {
        match self {
            Self::Request { request, .. } => request.0,
            Self::Grant(grant) => grant.0,
        }
    }

    /// Returns the arguments that a call is to run with instead of its own.
    fn edited(&self) -> Option<String> {
        match self {
            Self::Request {
                resolution: Resolution::Judge(judgement),
                ..
            } => judgement.arguments.clone(),
            Self::Request { .. } | Self::Grant(_) => None,
        }
    }

    /// Returns what becomes of the request or grant, in a word.
    const fn participle(&self) -> &'static str {
        match self {
            Self::Request { resolution, .. } => match resolution {
                Resolution::Judge(judgement) => match judgement.verdict {
                    Verdict::Allow => "allowed",
                    Verdict::Deny => "denied",
                },
                Resolution::Answer(_) => "answered",
                Resolution::Settle(_) => "settled",
            },
            Self::Grant(_) => "revoked",
        }
    }

    /// Returns what the world knows of it; `None` if it knows nothing.
    fn about(&self, world: &World) -> Option<About> {
        match self {
            Self::Request { request, .. } => about_request(world, *request),
            Self::Grant(grant) => about_grant(world, *grant),
        }
    }
}

/// The call that a request or a grant is about.
struct About {
    /// The agent whose call it is.
    agent: AgentName,
    /// The call's tool; `None` if the request no longer waits.
    tool: Option<ToolName>,
    /// The call's arguments; `None` if the request no longer waits, they were erased, or it is a
    /// grant.
    arguments: Option<String>,
}

fn about_request(world: &World, id: RequestId) -> Option<About> {
    if let Some(request) = world.consent().pending().get(&id) {
        return Some(About {
            agent: request.agent.clone(),
            tool: request.tool.clone(),
            arguments: request.arguments.present().cloned(),
        });
    }
    world.consent().settled().get(&id).map(|settled| About {
        agent: settled.agent.clone(),
        tool: None,
        arguments: None,
    })
}

fn about_grant(world: &World, id: GrantId) -> Option<About> {
    let known = standing(world).into_iter().find(|grant| grant.grant == id);
    known.map(|grant| About {
        agent: grant.agent,
        tool: Some(grant.tool),
        arguments: None,
    })
}

/// The grant that the decision about `request` gave.
fn given(world: &World, request: RequestId) -> Option<Standing> {
    let (id, _) = world
        .grants()
        .find(|(_, grant)| grant.given.request == request)?;
    standing(world).into_iter().find(|grant| grant.grant == id)
}
