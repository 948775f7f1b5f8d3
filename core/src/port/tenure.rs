//! The right to act for one world.
//!
//! A process that has a world open acts for it: it starts effects, decides, appends, signs and tells. Where many processes
//! share a store it may lose a world while it is paused or cut off, and somebody else goes on with it. So it asks right
//! before each act. Who wins is not decided here: a log refuses the appends of an older incarnation (decision 0043).

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use crate::ids::{Time, WorldId};

crate::debug_in_words!(NoTenure);

/// Gives worlds to this process.
#[async_trait]
pub trait Tenures: Send + Sync + Debug {
    /// Takes `world` for this process, whether its log has begun or not. Its log is read only behind that.
    ///
    /// # Errors
    /// [`NoTenure`]: this process must not act for the world.
    async fn take(&self, world: WorldId) -> Result<Arc<dyn Tenure>, NoTenure>;
}

/// The right to act for one world, from one taking on. Dropped without a [`release`](Self::release), it gives the world back
/// as due at once: its opening was given up, or its task panicked.
#[async_trait]
pub trait Tenure: Send + Sync + Debug {
    /// Tells whether this process may still act. It is asked right before each act, so it reads a clock or a flag and waits
    /// for nobody. Once it says no, it says no for ever, and [`lost`](Self::lost) returns.
    fn holds(&self) -> bool;

    /// Returns once the world is lost; never for one that cannot be, or was given back.
    async fn lost(&self);

    /// Gives the world back, and says when it is due: when somebody has to act for it again, by the machine's clock. `None`:
    /// nothing is owed, until somebody asks something of it. Changes nothing if another process has it by now. Returns soon,
    /// also if nobody can be told: the world is then lost when its time is over.
    async fn release(&self, due: Option<Time>);
}

/// The reason that this process may not act for a world.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoTenure {
    /// Another process has it. Ask there, or later.
    #[error("the node {node} holds it")]
    HeldElsewhere {
        /// The node, as people know it.
        node: String,
    },
    /// The world needs what this process does not offer. Start it with that, or open the world elsewhere.
    #[error("it needs {}, which this process does not offer", needs.join(", "))]
    NotOffered {
        /// The needs that are not met; at least one.
        needs: Vec<String>,
    },
    /// A newer build has written it. Use one that is as new.
    #[error("its log has schema {schema}, and this build knows {known} at most; use a newer one")]
    NewerSchema {
        /// The schema of its log.
        schema: u32,
        /// The newest schema that this build knows.
        known: u32,
    },
    /// Nobody could say who holds it. Try again.
    #[error("nobody could be asked who holds it: {0}")]
    NotAsked(String),
}

/// A right that nobody can take away: that of the only process that has the store open.
#[derive(Debug, Clone, Copy, Default)]
pub struct PermanentTenure;

#[async_trait]
impl Tenures for PermanentTenure {
    async fn take(&self, _world: WorldId) -> Result<Arc<dyn Tenure>, NoTenure> {
        Ok(Arc::new(*self))
    }
}

#[async_trait]
impl Tenure for PermanentTenure {
    fn holds(&self) -> bool {
        true
    }

    async fn lost(&self) {
        std::future::pending().await
    }

    async fn release(&self, _due: Option<Time>) {}
}
