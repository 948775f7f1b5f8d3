//! Notices of the world to people.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::{AgentName, EpisodeId, PersonName, Position, RequestId};

/// The world told people something: a code with arguments, never prose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticePosted {
    /// The words of the notice.
    pub notice: Notice,
    /// The person whom it is for; `None` is everyone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<PersonName>,
    /// The episode it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<EpisodeId>,
}

/// A notice of the world to people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// No agent or person answers to a name in the message at `message`.
    Undeliverable {
        /// The message.
        message: Position,
        /// The nearest agents, best first.
        nearest: Vec<AgentName>,
        /// The people and agents that are named and not addressed.
        #[serde(default, skip_serializing_if = "Named::is_empty")]
        named: Named,
    },
    /// No agent will answer: the room is too large for everyone, and has no main agent.
    NobodyAnswers {
        /// The message.
        message: Position,
        /// The agents that are nearest to names in it that nobody has, best first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nearest: Vec<AgentName>,
        /// The people and agents that are named and not addressed.
        #[serde(default, skip_serializing_if = "Named::is_empty")]
        named: Named,
    },
    /// Names stand behind an `@`, in a place where that addresses nobody.
    OnlyNamed {
        /// The message.
        message: Position,
        /// The agents.
        agents: Vec<AgentName>,
        /// The people.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        people: Vec<PersonName>,
    },
    /// The episode has used up its messages from agent to agent; what this agent says wakes nobody.
    HopBudgetSpent {
        /// The agent.
        agent: AgentName,
    },
    /// Two agents have only answered each other for too long; what this one says does not wake the
    /// other.
    PairDamped {
        /// The agent that speaks.
        agent: AgentName,
        /// The one that is not woken.
        other: AgentName,
    },
    /// Services have begun as many episodes within the hour as they may; their messages are heard,
    /// and wake nobody.
    ServiceEpisodesSpent {
        /// The most that they may begin.
        max: u32,
    },
    /// The agent waits for a person; the message is kept until then.
    AgentWaits {
        /// The agent.
        agent: AgentName,
        /// The request that it waits for.
        request: RequestId,
    },
    /// The agent's inbox is full; the message is not kept for it.
    InboxFull {
        /// The agent.
        agent: AgentName,
    },
    /// The agent can ask no model any more.
    LimitReached {
        /// The agent.
        agent: AgentName,
        /// The limit that is used up.
        #[serde(default, skip_serializing_if = "SpentLimit::is_model_calls")]
        limit: SpentLimit,
    },
    /// The agent's turn failed.
    TurnFailed {
        /// The agent.
        agent: AgentName,
        /// The code of a model error or of an agent.
        code: String,
    },
    /// A request expired.
    RequestExpired {
        /// The request.
        request: RequestId,
    },
    /// The outcome of a call is not known.
    OutcomeUnknown {
        /// The agent.
        agent: AgentName,
        /// The request that asks people about it.
        request: RequestId,
    },
}

/// The people and agents that are named behind an `@` and not addressed, in the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The agents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentName>,
    /// The people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<PersonName>,
}

impl Named {
    /// Tells whether it names nobody.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.agents.is_empty() && self.people.is_empty()
    }
}

/// A limit of what models are asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpentLimit {
    /// The model calls of the episode.
    #[default]
    ModelCalls,
    /// The cost of all models of the room.
    Cost,
    /// The cost of models in the episode.
    CostPerEpisode,
}

impl SpentLimit {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
    const fn is_model_calls(&self) -> bool {
        matches!(self, Self::ModelCalls)
    }

    /// The word for it in the limits of a script.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::ModelCalls => "model_calls",
            Self::Cost => "cost",
            Self::CostPerEpisode => "cost_per_episode",
        }
    }
}

/// The code of the notice with what it names, such as `agent_waits: agent worker, request 17`.
impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let written = serde_json::to_value(self).map_err(|_| fmt::Error)?;
        let Some((code, facts)) = written.as_object().and_then(|notice| notice.iter().next())
        else {
            return f.write_str(written.as_str().unwrap_or_default());
        };
        f.write_str(code)?;
        for (number, (name, fact)) in facts.as_object().into_iter().flatten().enumerate() {
            let comma = if number == 0 { ": " } else { ", " };
            match fact.as_str() {
                Some(text) => write!(f, "{comma}{name} {text}")?,
                None => write!(f, "{comma}{name} {fact}")?,
            }
        }
        Ok(())
    }
}

impl Notice {
    /// Takes out of it whatever comes from the words of a message.
    pub(crate) fn withhold(&mut self) {
        match self {
            Self::Undeliverable { nearest, named, .. }
            | Self::NobodyAnswers { nearest, named, .. } => {
                nearest.clear();
                *named = Named::default();
            }
            Self::OnlyNamed { agents, people, .. } => {
                agents.clear();
                people.clear();
            }
            Self::HopBudgetSpent { .. }
            | Self::ServiceEpisodesSpent { .. }
            | Self::PairDamped { .. }
            | Self::AgentWaits { .. }
            | Self::InboxFull { .. }
            | Self::LimitReached { .. }
            | Self::TurnFailed { .. }
            | Self::RequestExpired { .. }
            | Self::OutcomeUnknown { .. } => {}
        }
    }

    /// The message that it is about, if it is about one.
    #[must_use]
    pub const fn message(&self) -> Option<Position> {
        match self {
            Self::Undeliverable { message, .. }
            | Self::NobodyAnswers { message, .. }
            | Self::OnlyNamed { message, .. } => Some(*message),
            Self::HopBudgetSpent { .. }
            | Self::ServiceEpisodesSpent { .. }
            | Self::PairDamped { .. }
            | Self::AgentWaits { .. }
            | Self::InboxFull { .. }
            | Self::LimitReached { .. }
            | Self::TurnFailed { .. }
            | Self::RequestExpired { .. }
            | Self::OutcomeUnknown { .. } => None,
        }
    }
}
