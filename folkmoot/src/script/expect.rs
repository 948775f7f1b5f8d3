//! Expectations: the things that a script says have happened. Each is described once; see
//! [`description`].

use super::fault::Mark;
use super::node::Node;

mod claim;
mod description;
mod room;
mod talk;
mod words;

pub(crate) use claim::EXPECT;
pub use claim::{Calls, Claim, Order};
pub use room::{Budget, GrantMatch, Pending, SpecClaim};
pub use talk::{ArtifactMatch, MessageMatch, Routing, WithheldMatch};

/// The things that a step expects.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    /// What to look at; `None` leaves it to the claim: messages, routing, turns, notices and
    /// refusals since the last `say`, `answer`, `edit`, `regenerate` or decision, counts since the
    /// run began.
    pub since: Option<Since>,
    /// What must hold, each with the place where it is claimed. Never empty.
    pub claims: Vec<(Mark, Claim)>,
}

/// The beginning of what an expectation looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// The run's.
    Start,
    /// The last `say`, `answer`, `edit`, `regenerate` or decision.
    Last,
}

impl Expect {
    /// Reads an expectation; `None` if a part of it does not read.
    pub(crate) fn read(node: &Node) -> Option<Self> {
        let claims = node
            .entries()
            .map(|(key, value)| Some((key.mark, claim::claim(key.text(), value)?)));
        Some(Self {
            since: None,
            claims: claims.collect::<Option<_>>()?,
        })
    }
}

/// The word for the beginning of what is looked at.
pub(crate) fn since(word: &str) -> Option<Since> {
    match word {
        "start" => Some(Since::Start),
        "last" => Some(Since::Last),
        _ => None,
    }
}
