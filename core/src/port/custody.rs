//! Custody of the log itself: the tree over its commits, and signatures of its heads.

use std::fmt::Debug;

use async_trait::async_trait;

use super::{AppendError, ReadError};
use crate::event::{Span, TreeHead};
use crate::ids::{CopyId, Digest, Position, WorldId};

/// The keeper of the log itself.
#[async_trait]
pub trait Custody: Send + Sync + Debug {
    /// The copy of another store that this one is, such as a backup; `None` if it is none.
    fn copy(&self) -> Option<CopyId>;

    /// The head of the Merkle tree over the commits of `world`, all of them durable.
    ///
    /// # Errors
    /// [`ReadError::NoSuchWorld`], or the store is closed.
    async fn tree_head(&self, world: WorldId) -> Result<TreeHead, ReadError>;

    /// Erases the content of `events` at the wish of the event at `by`: from here on they read as
    /// erased, and so do they in worlds that were forked from this one behind them. When this
    /// returns, the content is in no file of the store, nor are the blobs that only these events
    /// had attached. All that is hashed stays as it is.
    ///
    /// Doing it again, after a process died in the middle or not, is harmless and gives the same
    /// answer.
    ///
    /// # Errors
    /// [`AppendError`]: nothing, a part or all of it may be done. Do it again.
    async fn erase(
        &self,
        world: WorldId,
        events: &[Span],
        by: Position,
    ) -> Result<Erasure, AppendError>;

    /// Returns what a fork of `world` is based on: the log up to the commit that holds the event at
    /// `at`.
    ///
    /// # Errors
    /// [`ReadError`]; [`ReadError::Damaged`] if there is no such event.
    async fn fork_point(&self, world: WorldId, at: Position) -> Result<ForkPoint, ReadError>;

    /// Gives a fork its own copy of the events that it shares with its parent. Nothing happens if
    /// it has one, or is no fork.
    ///
    /// # Errors
    /// [`AppendError`]; the fork then shares them as before.
    async fn copy_base(&self, world: WorldId) -> Result<(), AppendError>;
}

/// The result of an erasure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Erasure {
    /// The number of events that lost content to this request.
    pub events: u64,
    /// The number of files that only they had attached, and that are gone.
    pub files: u64,
}

/// A place where a world can be branched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkPoint {
    /// The head of the tree there.
    pub base: TreeHead,
    /// The link of the last commit.
    pub link: Digest,
}

/// A key that signs heads of logs. The secret is its own; it is kept outside of the store.
pub trait Signer: Send + Sync + Debug {
    /// The key, as its name, a plus sign and its id in hexadecimal.
    fn key(&self) -> String;

    /// Signs the checkpoint of a world's head; gives the signature line's value, in base64.
    fn sign(&self, world: WorldId, head: &TreeHead) -> String;
}
