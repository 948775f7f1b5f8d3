//! The peers of a desk, and their rights.

use folkmoot::core::ids::PersonName;
use folkmoot::tools::host::ancestry::descends_from_runtime_or_tool;
use folkmoot::{Proof, SeatError};
use tokio::net::UnixStream;

use super::DeskRequest;
use crate::exit::{CliError, PENDING, USAGE};
use crate::person;

/// A peer: whoever asks at the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    /// The user of the process that holds the store.
    Holder,
    /// A person's process at the control socket, with its user's number.
    Person(u32),
    /// A process there that this one, or a tool, has started.
    OfTool,
    /// Another user's process there, or one that nothing is known of.
    Stranger,
}

impl Peer {
    /// Asks the system who is at the other end of the control socket.
    pub(crate) fn of(stream: &UnixStream) -> Self {
        let Ok(credentials) = stream.peer_cred() else {
            return Self::Stranger;
        };
        let Some(pid) = credentials.pid().and_then(|pid| u32::try_from(pid).ok()) else {
            return Self::Stranger;
        };
        if credentials.uid() != person::uid() {
            return Self::Stranger;
        }
        match descends_from_runtime_or_tool(pid, std::process::id()) {
            Ok(false) => Self::Person(credentials.uid()),
            Ok(true) => Self::OfTool,
            Err(error) => {
                tracing::warn!(pid, %error, "the ancestry of a peer cannot be read");
                Self::Stranger
            }
        }
    }

    /// Checks that they may ask for `request`. These are all the rights of a peer; a world has
    /// rights of its own.
    pub(crate) fn may_ask(self, request: &DeskRequest) -> Result<(), CliError> {
        let why = match (self, request) {
            // The files of the store can be read by whoever runs this program.
            (Self::Holder, DeskRequest::Query(_)) | (Self::Person(_), _) => return Ok(()),
            (Self::Holder, _) => return person::refuse_tools(),
            (Self::Stranger, _) => "only the user who holds the store is served",
            (Self::OfTool, DeskRequest::Decide(_)) => {
                "a program that a tool runs cannot decide; where the world is open, the attempt is recorded"
            }
            (Self::OfTool, DeskRequest::Act(_)) => {
                "a program that a tool runs cannot act in a room"
            }
            (Self::OfTool, DeskRequest::Login) => "a program that a tool runs cannot sign in",
            (Self::OfTool, DeskRequest::Erase(_)) => "a program that a tool runs cannot erase",
            (
                Self::OfTool,
                DeskRequest::Query(_)
                | DeskRequest::Delete(_)
                | DeskRequest::Backup(_)
                | DeskRequest::Fork(_)
                | DeskRequest::Room(_)
                | DeskRequest::Enter(_)
                | DeskRequest::Play(_),
            ) => "a program that a tool runs is not served",
        };
        Err(CliError::other(PENDING, format!("refused: {why}")))
    }

    /// Proves who they are, under the name `display` or their login name.
    pub(super) fn proof(self, display: Option<PersonName>) -> Result<Proof, CliError> {
        let proof = match self {
            Self::Holder => person::proof(display),
            Self::Person(uid) => display
                .or_else(person::login)
                .map(|display| Proof::local(uid, display)),
            Self::OfTool | Self::Stranger => None,
        };
        proof.ok_or_else(|| CliError::other(USAGE, "say who this is: --as NAME"))
    }

    /// Returns what they are told of a refusal. The holder can read the log, and is told all of it;
    /// the others are told what
    /// [`Refusal::outward`](folkmoot::core::event::refusal::Refusal::outward) leaves.
    pub(super) fn told(self, error: SeatError) -> CliError {
        match (self, error) {
            // Whoever tries out numbers must not learn which of them exist (decision 0014).
            (Self::Person(_) | Self::OfTool | Self::Stranger, SeatError::Refused(refusal)) => {
                SeatError::Refused(refusal.outward()).into()
            }
            (_, error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests;
