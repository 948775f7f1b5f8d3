//! The nodes that share one ledger: who lives, who holds which world, and what they ask of one another.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;

use crate::ids::{AskId, NodeId, Time, WorldId};

/// The most bytes of what one node asks another: 256 KiB.
pub const ASK_BYTES_MAX: usize = 256 * 1024;

/// The most bytes of an answer: 256 KiB.
pub const ANSWER_BYTES_MAX: usize = 256 * 1024;

/// About the most bytes of asks that one look gives: 4 MiB. One more ask comes with them at most.
pub const ASKS_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The most asks that wait for one world.
pub const ASKS_WAITING_MAX: usize = 256;

/// The time that an answer is kept.
pub const ANSWER_KEPT: Duration = Duration::from_secs(600);

/// The most worlds that one claim gives.
pub const CLAIM_MAX: usize = 64;

/// The membership of the nodes that share a ledger.
///
/// Only the ledger's own clock counts: no node compares its clock with another's. What a membership says decides *when*
/// somebody tries. What is safe is decided where rows are appended, by the holder of the world.
///
/// All of it may be done again: whoever does not know whether something happened does it once more.
#[async_trait]
pub trait Members: Send + Sync + Debug {
    /// Makes `card.node` a member for as long as `ttl`, and gives the ledger's time. A node that joins again has its new
    /// card and the new time.
    ///
    /// # Errors
    /// [`MemberError::Invalid`] if a field of the card is larger than [`NodeCard::check`] allows; else see
    /// [`MemberError`].
    async fn join(&self, card: &NodeCard, ttl: Duration) -> Result<Time, MemberError>;

    /// Prolongs a membership to `ttl` from now, and gives the ledger's time. `None`: the node is no member any more. It
    /// was declared dead, drops all of its worlds, and joins under a new id.
    ///
    /// A node that nobody has reaped yet is prolonged, however late it comes.
    ///
    /// # Errors
    /// [`MemberError`]: a node that does not hear that it was prolonged acts as if it was not.
    async fn renew(&self, renewal: Renewal) -> Result<Option<Time>, MemberError>;

    /// Ends a membership. The worlds that the node still holds are free and due at once.
    ///
    /// # Errors
    /// [`MemberError`].
    async fn leave(&self, node: NodeId) -> Result<(), MemberError>;

    /// Ends the memberships that have run out, and gives them. All worlds whose holder is no member are free and due at
    /// once: from here on their old holder appends nothing. Answers older than [`ANSWER_KEPT`] are removed.
    ///
    /// Call it only if the own membership was prolonged without a failure for a whole `ttl`: behind a ledger that was
    /// away for a while everybody's time has run out.
    ///
    /// # Errors
    /// [`MemberError`].
    async fn reap(&self) -> Result<Vec<NodeId>, MemberError>;

    /// Makes `node` the holder of worlds that are free, due, need nothing that it does not offer, and are of no newer
    /// schema than its own; those first that are due the longest.
    ///
    /// It gets at most the least of `limit`, [`CLAIM_MAX`], and its share: the number of such worlds by the number of
    /// members that are neither past their time nor draining, rounded up. A draining node, and one that is no member,
    /// gets none.
    ///
    /// # Errors
    /// [`MemberError`]. After [`MemberError::Unknown`] the node may hold worlds that it does not know of:
    /// [`Members::held`] names them.
    async fn claim(&self, node: NodeId, limit: usize) -> Result<Vec<WorldId>, MemberError>;

    /// Makes `node` the holder of this world, if nobody is. Whether it is due does not matter, nor whether the node is
    /// draining. [`Taken::Taken`] also if it is the holder already.
    ///
    /// # Errors
    /// [`MemberError::NoMember`] if the node is no member; else see [`MemberError`].
    async fn take(&self, node: NodeId, world: WorldId) -> Result<Taken, MemberError>;

    /// Lets go of a world. Somebody claims it once `due` is past; `None`: when somebody takes it, or asks it something.
    /// If asks wait for it, it is due at once. Nothing happens if `node` is not its holder.
    ///
    /// # Errors
    /// [`MemberError`].
    async fn release(
        &self,
        node: NodeId,
        world: WorldId,
        due: Option<Time>,
    ) -> Result<(), MemberError>;

    /// The worlds that `node` holds, by their ids. None if it is no member.
    ///
    /// # Errors
    /// [`MemberError`].
    async fn held(&self, node: NodeId) -> Result<Vec<WorldId>, MemberError>;

    /// The member that holds a world; `None` if none does, and if there is no such world.
    ///
    /// # Errors
    /// [`MemberError`].
    async fn holder(&self, world: WorldId) -> Result<Option<NodeCard>, MemberError>;

    /// All members, those past their time too, by their ids.
    ///
    /// # Errors
    /// [`MemberError`].
    async fn nodes(&self) -> Result<Vec<NodeState>, MemberError>;
}

impl Ask {
    /// The bytes that [`ASK_BYTES_MAX`] bounds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let principal = self.principal.as_ref().map_or(0, Vec::len);
        self.command.len().saturating_add(principal)
    }
}

/// The inbox through which nodes, and programs that are none, ask the holder of a world something.
#[async_trait]
pub trait Inbox: Send + Sync + Debug {
    /// Leaves an ask for whoever holds the world. If nobody does, the world is due at once. The same ask again is taken
    /// once.
    ///
    /// # Errors
    /// [`MemberError::Invalid`] if it has more than [`ASK_BYTES_MAX`]; else see [`MemberError`].
    async fn ask(&self, ask: &Ask) -> Result<Asked, MemberError>;

    /// The asks without an answer of the worlds that `node` holds, by their ids: as many as are wanted, and about
    /// [`ASKS_BYTES_MAX`] at most. The first one comes whatever its size.
    ///
    /// # Errors
    /// [`MemberError`].
    async fn asks(
        &self,
        node: NodeId,
        wanted: AsksWanted<'_>,
    ) -> Result<Vec<WaitingAsk>, MemberError>;

    /// Answers an ask. The first answer stays; one to an ask that is not there does nothing.
    ///
    /// # Errors
    /// [`MemberError::Invalid`] if it has more than [`ANSWER_BYTES_MAX`]; else see [`MemberError`].
    async fn answer(&self, ask: AskId, answer: Vec<u8>) -> Result<(), MemberError>;

    /// The states of these asks, in the order of `asks`.
    ///
    /// # Errors
    /// [`MemberError`].
    async fn answers(&self, asks: &[AskId]) -> Result<Vec<AskState>, MemberError>;

    /// Waits until there may be asks or answers that whoever has heard the hint `heard` has not seen, and gives the number
    /// of the newest hint. Who has heard none says 0. It may return at any time, and need not return at all: whoever waits
    /// looks every now and then as well.
    async fn hint(&self, heard: u64) -> u64;

    /// How often to look beside the hints, as of now: seldom while those come, often while they do not.
    fn look_every(&self) -> Duration;
}

/// Says which node this process is.
pub trait WhoAmI: Send + Sync + Debug {
    /// Its id as a member, now. It has another one after it was declared dead.
    fn node_id(&self) -> NodeId;

    /// Tells whether it may act for worlds now. A node that is cut off from the others may not.
    fn acts(&self) -> bool;
}

/// A node that nobody declares dead.
impl WhoAmI for NodeId {
    fn node_id(&self) -> NodeId {
        *self
    }

    fn acts(&self) -> bool {
        true
    }
}

/// Which asks of a node are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsksWanted<'w> {
    /// The most asks.
    pub limit: usize,
    /// The worlds whose asks are not wanted.
    pub not_of: &'w [WorldId],
}

impl AsksWanted<'_> {
    /// At most so many, of all worlds.
    #[must_use]
    pub const fn of_all(limit: usize) -> Self {
        Self { limit, not_of: &[] }
    }
}

/// A node, as it presents itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeCard {
    /// Its id: another one for each start of the process.
    pub node: NodeId,
    /// Its name for people. Several may have the same.
    pub name: String,
    /// The things that it has and worlds may need, such as `base:NAME` for a folder.
    pub offers: BTreeSet<String>,
    /// The number of its build's schema: it opens no world of a newer one.
    pub schema: u32,
    /// The number of worlds that it has room for beside those that it holds.
    pub room: u32,
    /// True if it claims nothing any more.
    pub draining: bool,
    /// The address at which other nodes read its drafts; `None`: they do not.
    pub advertise: Option<String>,
}

impl NodeCard {
    /// The most bytes of a name.
    pub const NAME_MAX: usize = 128;
    /// The most things that a node offers, or a world needs.
    pub const OFFERS_MAX: usize = 64;
    /// The most bytes of one of them: a path has to fit.
    pub const OFFER_MAX: usize = 4_096 + 64;
    /// The most bytes of an address.
    pub const ADVERTISE_MAX: usize = 2_048;

    /// Checks the sizes of its fields.
    ///
    /// # Errors
    /// [`MemberError::Invalid`] names the first field that is too large.
    pub fn check(&self) -> Result<(), MemberError> {
        let within = |what: &str, len: usize, max: usize| {
            if len <= max {
                return Ok(());
            }
            let why = format!("{what} of the node has {len} bytes; at most {max} are allowed");
            Err(MemberError::Invalid(why))
        };
        within("the name", self.name.len(), Self::NAME_MAX)?;
        let address = self.advertise.as_ref().map_or(0, String::len);
        within("the advertised address", address, Self::ADVERTISE_MAX)?;
        for offer in &self.offers {
            within("an offer", offer.len(), Self::OFFER_MAX)?;
        }
        if self.offers.len() > Self::OFFERS_MAX {
            let count = self.offers.len();
            let max = Self::OFFERS_MAX;
            let why = format!("the node offers {count} things; at most {max} are allowed");
            return Err(MemberError::Invalid(why));
        }
        Ok(())
    }
}

/// The news that a node tells when it renews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renewal {
    /// The node.
    pub node: NodeId,
    /// As [`NodeCard::room`].
    pub room: u32,
    /// As [`NodeCard::draining`].
    pub draining: bool,
    /// How long it is a member without renewing again.
    pub ttl: Duration,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeState {
    /// The node.
    pub card: NodeCard,
    /// The end of its membership, by the ledger's clock.
    pub until: Time,
    /// True if that was over when the ledger was asked. Nobody has declared it dead yet: behind a ledger that stood still all
    /// nodes are late, until they renew.
    pub is_late: bool,
    /// The number of worlds that it holds.
    pub held: u64,
}

impl NodeState {
    /// Tells whether it goes on: it is within its time, and does not drain.
    #[must_use]
    pub const fn goes_on(&self) -> bool {
        !self.is_late && !self.card.draining
    }
}

/// The result of [`Members::take`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// The node holds the world.
    Taken,
    /// Another node does.
    Held {
        /// That node.
        by: NodeId,
    },
    /// The world needs what the node does not offer.
    Lacks(BTreeSet<String>),
    /// A newer build has opened the world.
    Newer {
        /// The schema that it needs.
        schema: u32,
    },
    /// There is no such world.
    NoSuchWorld,
}

/// A request to whoever holds a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Its id.
    pub id: AskId,
    /// The world.
    pub world: WorldId,
    /// The command, in the form that nodes agree on.
    pub command: Vec<u8>,
    /// Who gives it, by the word of a node. `None`: the ledger's login says who.
    pub principal: Option<Vec<u8>>,
}

/// The result of [`Inbox::ask`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// It waits, or waited, for the holder.
    Waits,
    /// [`ASKS_WAITING_MAX`] asks wait for that world already. Try again later.
    Busy,
    /// There is no such world.
    NoSuchWorld,
}

/// An ask that has no answer yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingAsk {
    /// The ask.
    pub ask: Ask,
    /// The login of whoever left it, by the word of the ledger.
    pub login: String,
    /// When it was left, by the ledger's clock.
    pub asked: Time,
}

/// The state of an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskState {
    /// It has no answer yet.
    Waits,
    /// It has this answer.
    Answered(Vec<u8>),
    /// It is not there: it never was, its answer is older than [`ANSWER_KEPT`], or its world was deleted.
    Gone,
}

/// The reason that a membership or an inbox did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemberError {
    /// The node is no member. Join first, under a new id.
    #[error("the node {0} is no member")]
    NoMember(NodeId),
    /// The request breaks a limit; permanent.
    #[error("the ledger does not take it: {0}")]
    Invalid(String),
    /// The ledger does not let this login do that; permanent until somebody gives it the right.
    #[error("the ledger refuses it: {0}")]
    Refused(String),
    /// The ledger was lost on the way: it may have happened or not. Do it again.
    #[error("the ledger was lost before it answered")]
    Unknown(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The ledger cannot be reached; nothing happened. Try again later.
    #[error("the ledger cannot be reached")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The ledger was closed.
    #[error("the ledger is closed")]
    Closed,
}
