//! The things that the tools of one world share.

#[cfg(feature = "mcp")]
use std::collections::BTreeMap;
#[cfg(feature = "mcp")]
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(feature = "mcp")]
use folkmoot_core::ids::Digest;

#[cfg(feature = "mcp")]
use crate::mcp::Server;

/// The things that the tools of one world share, e.g. a server that has several of them. Two worlds never share one.
#[derive(Debug, Default)]
pub struct Shared {
    /// The servers by the digests of their settings.
    #[cfg(feature = "mcp")]
    servers: Mutex<BTreeMap<Digest, Arc<Server>>>,
}

#[cfg(feature = "mcp")]
impl Shared {
    /// The server with these settings, made if no other tool has it yet.
    pub(crate) fn server(&self, key: Digest, make: impl FnOnce() -> Server) -> Arc<Server> {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(servers.entry(key).or_insert_with(|| Arc::new(make())))
    }
}
