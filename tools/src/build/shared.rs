//! The things that the tools of one world share.

#[cfg(feature = "mcp")]
use std::any::Any;
#[cfg(feature = "mcp")]
use std::collections::BTreeMap;
#[cfg(feature = "mcp")]
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(feature = "mcp")]
use folkmoot_core::ids::Digest;

/// The things that the tools of one world share, e.g. a server that has several of them. Two worlds never share one.
#[derive(Debug, Default)]
pub struct Shared {
    /// What tools share, by the digests of their settings.
    #[cfg(feature = "mcp")]
    things: Mutex<BTreeMap<Digest, Arc<dyn Any + Send + Sync>>>,
}

#[cfg(feature = "mcp")]
impl Shared {
    /// The thing with these settings, made if no other tool has it yet.
    pub(crate) fn one<T: Any + Send + Sync>(
        &self,
        key: Digest,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        let mut things = self.things.lock().unwrap_or_else(PoisonError::into_inner);
        let known = things.get(&key).cloned();
        if let Some(known) = known.and_then(|known| known.downcast().ok()) {
            return known;
        }
        let made = Arc::new(make());
        things.insert(key, made.clone());
        made
    }
}
