//! Grants: decisions that reach further than one request.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Scope;
use crate::ids::principal::Party;
use crate::ids::{AgentName, CallId, Digest, GrantId, RequestId, Time, ToolName, TurnId};
use crate::tool::EffectClass;
use crate::tool::constraint::{Constraint, digest_of_rest, fits_all};

/// A person allowed calls to come: of one agent, with one tool as it is, and with the arguments
/// that [`Reach`] tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantGiven {
    /// The request whose decision it is.
    pub request: RequestId,
    /// The agent whose calls it allows.
    pub agent: AgentName,
    /// The tool.
    pub tool: ToolName,
    /// The greatest effect of a call that it allows.
    pub effect: EffectClass,
    /// The digest of the tool's schema: another schema is another tool.
    pub schema: Digest,
    /// The digest of the tool's settings, its roots among them: likewise.
    pub settings: Digest,
    /// The reach in time, or the number of uses.
    pub scope: Scope,
    /// The turn that it ends with, if its scope is [`Scope::Turn`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// The arguments that it allows.
    pub reach: Reach,
    /// The time at which it expires, by recorded time.
    pub expires_at: Time,
    /// The person or the service who gave it.
    pub by: Party,
}

/// The arguments that a grant allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// The arguments of the decided call, but for the places that constraints free.
    Like {
        /// The digest of those arguments with `null` at every place that a constraint is about.
        rest: Digest,
        /// The constraints on those places; empty: the very same arguments.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        constraints: Vec<Constraint>,
    },
    /// Any that fit the tool's schema.
    Any,
}

impl Reach {
    /// The constraints on places that are free; none where nothing is, or all.
    #[must_use]
    pub fn constraints(&self) -> &[Constraint] {
        match self {
            Self::Like { constraints, .. } => constraints,
            Self::Any => &[],
        }
    }

    /// Tells whether it allows a call with `arguments`.
    #[must_use]
    pub fn holds(&self, arguments: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Like { rest, constraints } => {
                fits_all(constraints, arguments) && digest_of_rest(constraints, arguments) == *rest
            }
        }
    }
}

/// The width that a person wants a grant to have beyond the decided call's arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wider {
    /// Not at all.
    #[default]
    Same,
    /// At these places.
    Where(Vec<Constraint>),
    /// Anything goes. Only a tool that [offers](crate::tool::ToolSpec::grants_any) it can be
    /// granted so.
    Any,
}

impl Wider {
    /// Tells whether it frees nothing.
    #[must_use]
    pub fn is_same(&self) -> bool {
        *self == Self::Same
    }
}

/// A grant allowed a call. It counts as one use, however often the call is repeated after crashes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantUsed {
    /// The grant.
    pub grant: GrantId,
    /// The call.
    pub call: CallId,
    /// The agent whose call it is.
    pub agent: AgentName,
    /// The request that is so decided; `None` if the call never had to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestId>,
}

/// A grant is over before its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantRevoked {
    /// The grant.
    pub grant: GrantId,
    /// The person or the service who revoked it; `None`: its tool changed, or left the room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Party>,
}
