//! The reach of a program.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::FolderId;

/// The limits of a program's reach, for it and all that it starts.
///
/// Beside what is named here a program reads the libraries and programs of the system. It can look into, signal or trace no
/// process outside of its sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// The network.
    pub network: Network,
    /// Folders and files that it may read. Relative ones are relative to the folder that it runs in.
    pub read: Vec<SandboxPlace>,
    /// Folders and files that it may read and write; likewise.
    pub write: Vec<SandboxPlace>,
    /// The most bytes of private memory of each of its processes.
    pub memory_bytes: u64,
    /// The most seconds of a processor that each of its processes may take.
    pub cpu_s: u64,
    /// The most processes and threads at a time. It does not bind root.
    pub processes: u64,
    /// The most bytes of each file that it writes.
    pub file_bytes: u64,
    /// True if nothing runs where the system cannot apply all of it; `None`: as the host has it.
    pub is_required: Option<bool>,
}

/// A folder or file that is open to a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxPlace {
    /// Its path.
    pub path: PathBuf,
    /// The identity that has to be there, or nothing runs; `None`: whatever is there.
    pub id: Option<FolderId>,
}

impl<P: Into<PathBuf>> From<P> for SandboxPlace {
    fn from(path: P) -> Self {
        Self {
            path: path.into(),
            id: None,
        }
    }
}

/// The network of a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// No sockets at all.
    #[default]
    None,
    /// TCP and UDP as the user has them.
    Any,
}
