//! What keeps the log itself: the tree over its commits, and signatures of its heads.

use std::fmt::Debug;

use async_trait::async_trait;

use super::ReadError;
use crate::event::TreeHead;
use crate::ids::WorldId;

/// What keeps the log itself.
#[async_trait]
pub trait Custody: Send + Sync + Debug {
    /// The head of the Merkle tree over the commits of `world`, all of them durable.
    ///
    /// # Errors
    /// [`ReadError::NoSuchWorld`], or the store is closed.
    async fn tree_head(&self, world: WorldId) -> Result<TreeHead, ReadError>;
}

/// A key that signs heads of logs. The secret is its own; it is kept outside of the store.
pub trait Signer: Send + Sync + Debug {
    /// The key, as its name, a plus sign and its id in hexadecimal.
    fn key(&self) -> String;

    /// Signs the checkpoint of a world's head; gives the signature line's value, in base64.
    fn sign(&self, world: WorldId, head: &TreeHead) -> String;
}
