//! The right of a node to act for one world.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use folkmoot_core::ids::{NodeId, Time, WorldId};
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{MemberError, Tenure};
use tokio::sync::watch;

use super::books::Books;
use super::lease::Stretch;
use super::membership::{Membership, Returning};

/// The state of a right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It counts as long as the lease does.
    Given,
    /// The world is another's, or may be.
    Lost,
    /// The world was given back.
    GivenBack,
}

/// A right, from when a world was taken until it is lost or given back.
#[derive(Debug)]
pub(super) struct Right {
    pub(super) world: WorldId,
    /// The member that took it.
    pub(super) node: NodeId,
    /// The stretch of the lease in which it was taken.
    pub(super) stretch: Stretch,
    /// True once the ledger has the world among those that the node holds. One that begins is there with its first row.
    in_ledger: AtomicBool,
    standing: watch::Sender<Standing>,
}

impl Right {
    pub(super) fn new(world: WorldId, node: NodeId, stretch: Stretch, in_ledger: bool) -> Self {
        Self {
            world,
            node,
            stretch,
            in_ledger: AtomicBool::new(in_ledger),
            standing: watch::Sender::new(Standing::Given),
        }
    }

    /// Notes that the ledger says the node holds the world.
    pub(super) fn is_listed(&self) {
        self.in_ledger.store(true, Ordering::Relaxed);
    }

    /// Tells whether the ledger must say so. It need not of a world that begins, or is being given back.
    pub(super) fn should_be_listed(&self) -> bool {
        self.in_ledger.load(Ordering::Relaxed) && self.is_given()
    }

    fn is_given(&self) -> bool {
        *self.standing.borrow() == Standing::Given
    }

    /// Takes it away, and wakes whoever acts by it. One that was given back cannot be lost.
    pub(super) fn lose(&self) {
        self.end(Standing::Lost);
    }

    /// Ends it, whatever comes; false: it had ended before.
    pub(super) fn give_back(&self) -> bool {
        self.end(Standing::GivenBack)
    }

    fn end(&self, as_what: Standing) -> bool {
        self.standing.send_if_modified(|standing| {
            let is_given = *standing == Standing::Given;
            if is_given {
                *standing = as_what;
            }
            is_given
        })
    }

    async fn lost(&self) {
        let mut standing = self.standing.subscribe();
        let is_lost = |standing: &Standing| *standing == Standing::Lost;
        if standing.wait_for(is_lost).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// A right in the hands of whoever acts by it. Dropped without a word, the world is given back at the next scan.
#[derive(Debug)]
pub(super) struct NodeTenure {
    pub(super) right: Arc<Right>,
    pub(super) membership: Arc<Membership>,
}

#[async_trait]
impl Tenure for NodeTenure {
    fn holds(&self) -> bool {
        self.right.is_given() && self.membership.holds(self.right.stretch)
    }

    async fn lost(&self) {
        self.right.lost().await;
    }

    async fn release(&self, due: Option<Time>) {
        let Right { world, node, .. } = *self.right;
        let began = |books: &mut Books| books.give_back(&self.right).then_some(());
        let Some(((), _returning)) = Returning::begin(&self.membership, world, began) else {
            return;
        };
        while let Err(error) = self.membership.release(node, world, due).await {
            let why = with_causes(&error);
            if !self.membership.holds(self.right.stretch) || !is_passing(&error) {
                // The lease ends, or has ended: then the world is free all the same.
                tracing::warn!(%world, why, "the world could not be given back to the ledger");
                break;
            }
            tokio::time::sleep(self.membership.timings().retry).await;
        }
        self.membership.books(|books| books.strike_out(&self.right));
    }
}

impl Drop for NodeTenure {
    fn drop(&mut self) {
        self.right.give_back();
        self.membership.books(|books| books.let_fall(&self.right));
    }
}

/// Tells whether doing the same again may help.
const fn is_passing(error: &MemberError) -> bool {
    matches!(error, MemberError::Unknown(_) | MemberError::Unreachable(_))
}
