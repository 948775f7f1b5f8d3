//! The worlds of a runtime over a store that nodes share, for the node that opens and closes them.

use async_trait::async_trait;
use folkmoot_agents::{OpenError, Runtime, Worlds};
use folkmoot_core::ids::WorldId;
use folkmoot_store::SharedStore;

/// The worlds of a runtime over a store that nodes share: what [`Node::run`](folkmoot_agents::Node::run) gives to this
/// process is opened in its runtime, as it is recorded, and goes on.
#[derive(Debug, Clone)]
pub struct SharedWorlds {
    runtime: Runtime,
    store: SharedStore,
}

impl SharedWorlds {
    /// The worlds of `runtime`, which runs over `store`.
    #[must_use]
    pub const fn new(runtime: Runtime, store: SharedStore) -> Self {
        Self { runtime, store }
    }
}

#[async_trait]
impl Worlds for SharedWorlds {
    async fn open(&self, world: WorldId) -> Result<(), OpenError> {
        let Some(name) = self.store.name_of(world).await? else {
            // It was deleted since.
            return Ok(());
        };
        self.runtime.take_up(&name).await.map(drop)
    }

    async fn close(&self, world: WorldId) {
        self.runtime.close_id(world).await;
    }
}
