//! Who is at the other end of the socket.

use folkmoot::tools::host::ancestry::descends_from_runtime_or_tool;
use tokio::net::UnixStream;

use crate::person;

/// A peer that may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    /// A person's process, with its user's number.
    Person(u32),
    /// A process that this one, or a tool, has started.
    OfTool,
    /// Another user's, or one that nothing is known of.
    Stranger,
}

impl Peer {
    /// Asks the system.
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
}
