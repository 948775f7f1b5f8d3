//! A process as one node among many that share a ledger.
//!
//! A node renews its membership all the time. As long as it does, it acts for the worlds that it holds; whoever does not
//! renew is declared dead by another, and its worlds are free. The lease is one for all worlds of a node, and only says
//! *when* somebody tries: what is safe is decided where rows are appended (decision 0044).
//!
//! Read first: [`Node`] (joins, takes worlds, finds its share), [`Worlds`] (opens them), [`Timings`].

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::ids::{NodeId, WorldId};
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{Members, NoTenure, Taken, Tenure, Tenures, WhoAmI};

use crate::error::OpenError;

mod boot;
mod lease;
mod profile;
mod timings;

mod books;
mod membership;
mod right;

mod placement;

pub use boot::{BootClock, BootTime, SystemBootClock};
pub use profile::{JoinError, NodeProfile, ROOM};
pub use timings::{BadTimings, Timings};

use membership::{Membership, TakesNone};
use placement::{Coming, Placement, close_all};
use right::{NodeTenure, Right};

/// The worlds of a process, for its node.
#[async_trait]
pub trait Worlds: Send + Sync + Debug {
    /// Opens a world that the node was given, and wakes it if it sleeps here.
    ///
    /// # Errors
    /// [`OpenError`]: the world is given back, and left alone for a while.
    async fn open(&self, world: WorldId) -> Result<(), OpenError>;

    /// Closes a world, and returns once that is done. Nothing happens if it is not open.
    async fn close(&self, world: WorldId);
}

/// A process as one of the nodes that share a ledger. Cheap to clone: all clones are one node.
///
/// It gives worlds to a runtime ([`Tenures`]), and has those opened that are due ([`Node::run`]).
#[derive(Debug, Clone)]
pub struct Node(Arc<Membership>);

impl Node {
    /// Joins the others. The node is a member for as long as [`Timings::ttl`], unless it [runs](Self::run).
    ///
    /// # Errors
    /// [`JoinError`].
    pub async fn join(members: Arc<dyn Members>, profile: NodeProfile) -> Result<Self, JoinError> {
        profile.timings.check()?;
        let membership = Membership::new(members, profile);
        membership.renew().await?;
        Ok(Self(Arc::new(membership)))
    }

    /// Its id as a member. It has another one after it was declared dead.
    #[must_use]
    pub fn id(&self) -> NodeId {
        self.0.id()
    }

    /// The number of worlds that it has, or is about to have.
    #[must_use]
    pub fn worlds(&self) -> usize {
        self.0.books(|books| books.len())
    }

    /// Takes no worlds any more from now on, and tells the others so. Those that it has stay until [`Node::run`] ends.
    pub fn drain(&self) {
        self.0.begin_to_drain();
    }

    /// Renews the membership, declares others dead, and has the worlds opened that are this node's share, until `until`.
    /// Then it takes none any more, closes all that it has, and leaves: no outcome stays unknown by that. It waits for
    /// tools that run.
    ///
    /// Dropped before its end, it is as if the process had died: all worlds are lost at once, and the others notice later.
    pub async fn run(&self, worlds: Arc<dyn Worlds>, until: impl Future<Output = ()> + Send) {
        let _died = Died(Arc::clone(&self.0));
        let placement = Placement::new(Arc::clone(&self.0), Arc::clone(&worlds));
        let drained = async {
            until.await;
            self.0.begin_to_drain();
            close_all(&self.0, &*worlds).await;
            self.0.leave().await;
        };
        tokio::select! {
            () = self.0.keep_up() => {}
            () = self.0.watch_over() => {}
            () = placement.keep_on() => {}
            () = drained => {}
        }
    }
}

/// Ends the lease of a node that nobody renews any more.
struct Died(Arc<Membership>);

impl Drop for Died {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl WhoAmI for Node {
    fn node_id(&self) -> NodeId {
        self.id()
    }

    fn acts(&self) -> bool {
        self.0.acting().is_some()
    }
}

#[async_trait]
impl Tenures for Node {
    async fn take(&self, world: WorldId) -> Result<Arc<dyn Tenure>, NoTenure> {
        let (acting, coming) = loop {
            // Before the look: what is given back meanwhile is heard of.
            let returned = self.0.returned();
            let acting = self.0.taking().map_err(|why| why.as_refusal())?;
            if let Some(coming) = Coming::new(&self.0, acting, world) {
                break (acting, coming);
            }
            returned.await;
        };
        let taken = self.0.take(acting.node, world).await;
        if let Ok(Taken::Held { .. } | Taken::Lacks(_) | Taken::Newer { .. }) = taken {
            coming.withdraw();
        }
        let in_ledger = match taken {
            Ok(Taken::Taken) => true,
            // It is held by whoever begins it.
            Ok(Taken::NoSuchWorld) => false,
            Ok(Taken::Held { by }) => {
                let node = self.0.name_of(by).await;
                return Err(NoTenure::HeldElsewhere { node });
            }
            Ok(Taken::Lacks(needs)) => {
                let needs = needs.into_iter().collect();
                return Err(NoTenure::NotOffered { needs });
            }
            Ok(Taken::Newer { schema }) => {
                let known = self.0.profile.schema;
                return Err(NoTenure::NewerSchema { schema, known });
            }
            Err(error) => return Err(NoTenure::NotAsked(with_causes(&error))),
        };
        let right = Right::new(world, acting.node, acting.stretch, in_ledger);
        let right = Arc::new(right);
        if !self.0.books(|books| books.hold(coming.serial, &right)) {
            return Err(TakesNone::CutOff.as_refusal());
        }
        let membership = Arc::clone(&self.0);
        Ok(Arc::new(NodeTenure { right, membership }))
    }
}

impl TakesNone {
    fn as_refusal(self) -> NoTenure {
        match self {
            Self::Drains => {
                NoTenure::TakesNone("this node is being shut down; ask another one".to_owned())
            }
            Self::ClockOff(off) => NoTenure::TakesNone(off.to_string()),
            Self::CutOff => NoTenure::NotAsked("the node is cut off from its ledger".to_owned()),
        }
    }
}
