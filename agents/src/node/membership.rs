//! The membership of a node: its id, its lease and its books, which change together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use folkmoot_core::ids::{NodeId, Position, Stamp, Time, WorldId};
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{Clock, MemberError, Members, NodeCard, Renewal, Taken};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use super::books::Books;
use super::boot::BootTime;
use super::lease::{ClockOff, HeardTime, Lease, Renewed, Stretch};
use super::profile::NodeProfile;
use super::timings::Timings;
use crate::means::seeds::Seeds;

/// The membership of a node, and what it keeps it up with.
#[derive(Debug)]
pub(super) struct Membership {
    members: Arc<dyn Members>,
    pub(super) profile: NodeProfile,
    /// What its ids and its waits follow from.
    seeds: Seeds,
    state: Mutex<State>,
    /// Woken when the next renewal is not to wait.
    hurry: Notify,
    /// Woken when a world has been given back.
    returned: Notify,
}

/// A world on its way back to the ledger. Dropped, nothing is on its way any more.
#[derive(Debug)]
pub(super) struct Returning {
    membership: Arc<Membership>,
    world: WorldId,
}

impl Returning {
    /// Gives a world back from here on, if `begin` says so.
    pub(super) fn begin<T>(
        membership: &Arc<Membership>,
        world: WorldId,
        begin: impl FnOnce(&mut Books) -> Option<T>,
    ) -> Option<(T, Self)> {
        let began = membership.books(begin)?;
        let membership = Arc::clone(membership);
        Some((began, Self { membership, world }))
    }
}

impl Drop for Returning {
    fn drop(&mut self) {
        self.membership.books(|books| books.returned(self.world));
        self.membership.returned.notify_waiters();
    }
}

/// The parts of a membership that change together.
#[derive(Debug)]
struct State {
    id: NodeId,
    /// How many ids it has had.
    ids: u64,
    lease: Lease,
    books: Books,
    draining: Draining,
    /// True if the ledger may hold worlds for this node that its books do not have.
    is_doubtful: bool,
    /// The names of all members, when one of them was last looked up.
    names: BTreeMap<NodeId, String>,
}

/// Whether a node takes worlds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Draining {
    /// It does.
    No,
    /// It gives back those that it has.
    Drains,
    /// It has none, and is no member any more.
    Left,
}

/// A moment in which a node may act: under this id, and in this stretch of its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Acting {
    pub(super) node: NodeId,
    pub(super) stretch: Stretch,
}

/// The reason that a node takes no world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TakesNone {
    Drains,
    ClockOff(ClockOff),
    CutOff,
}

impl Membership {
    /// A membership that is to begin.
    pub(super) fn new(members: Arc<dyn Members>, profile: NodeProfile) -> Self {
        let seeds = profile.seed.map_or_else(Seeds::random, Seeds::counted);
        let state = State {
            id: node_id(&seeds, &*profile.clock, 0),
            ids: 0,
            lease: Lease::new(profile.timings, profile.boot_clock.now()),
            books: Books::default(),
            draining: Draining::No,
            is_doubtful: false,
            names: BTreeMap::new(),
        };
        Self {
            members,
            profile,
            seeds,
            state: Mutex::new(state),
            hurry: Notify::new(),
            returned: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) const fn timings(&self) -> &Timings {
        &self.profile.timings
    }

    /// The machine's clock, which worlds go by.
    pub(super) fn clock(&self) -> &dyn Clock {
        &*self.profile.clock
    }

    /// The time that its lease is counted on.
    pub(super) fn now(&self) -> BootTime {
        self.profile.boot_clock.now()
    }

    pub(super) fn id(&self) -> NodeId {
        self.state().id
    }

    pub(super) fn books<T>(&self, look: impl FnOnce(&mut Books) -> T) -> T {
        look(&mut self.state().books)
    }

    /// Tells whether a right of this stretch counts. The clock is read behind the lock: what was heard meanwhile is known.
    pub(super) fn holds(&self, stretch: Stretch) -> bool {
        let state = self.state();
        state.lease.holds(self.now(), stretch)
    }

    /// The id and the stretch in which the node acts now; `None`: it is cut off.
    pub(super) fn acting(&self) -> Option<Acting> {
        let state = self.state();
        let stretch = state.lease.stretch(self.now())?;
        let node = state.id;
        Some(Acting { node, stretch })
    }

    /// As [`Membership::acting`], if the node may take a world on.
    pub(super) fn taking(&self) -> Result<Acting, TakesNone> {
        let acting = self.acting().ok_or(TakesNone::CutOff)?;
        let state = self.state();
        if state.draining != Draining::No {
            return Err(TakesNone::Drains);
        }
        state
            .lease
            .clock_off()
            .map_or(Ok(acting), |off| Err(TakesNone::ClockOff(off)))
    }

    pub(super) fn may_reap(&self) -> bool {
        let state = self.state();
        state.lease.may_reap(self.now())
    }

    /// The number of worlds that there is room for beside those that it has.
    pub(super) fn room(&self) -> usize {
        self.room_beside(&self.state())
    }

    fn room_beside(&self, state: &State) -> usize {
        let room = usize::try_from(self.profile.room).unwrap_or(usize::MAX);
        room.saturating_sub(state.books.len())
    }

    /// Notes that the ledger may hold worlds for this node that its books do not have.
    pub(super) fn doubt(&self) {
        self.state().is_doubtful = true;
    }

    /// Tells whether it was in doubt. It is not any more.
    pub(super) fn take_doubt(&self) -> bool {
        std::mem::take(&mut self.state().is_doubtful)
    }

    /// Ends once some world has been given back that is on its way now.
    pub(super) fn returned(&self) -> Notified<'_> {
        self.returned.notified()
    }

    /// Takes no worlds any more, and tells the ledger soon.
    pub(super) fn begin_to_drain(&self) {
        let mut state = self.state();
        state.draining = Draining::Drains;
        state.lease.hurry(self.now());
        self.hurry.notify_one();
    }

    /// Loses all worlds whose stretch is over, and wakes whoever acts for them.
    pub(super) fn sweep(&self) {
        let mut state = self.state();
        let now = self.now();
        let State { lease, books, .. } = &mut *state;
        let lost = books.lose(|stretch| lease.holds(now, stretch));
        let is_member = lease.is_member();
        drop(state);
        if lost > 0 && is_member {
            tracing::warn!(
                lost,
                "the node is cut off from the ledger, and drops its worlds"
            );
        }
    }

    /// Ends the lease, and loses all worlds. Only the ledger does not know it yet.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.draining = Draining::Left;
        state.lease.end(self.now());
        drop(state);
        self.sweep();
    }
}

/// What a node asks of its ledger. No answer in time is one that is not known.
impl Membership {
    async fn ask<T>(
        &self,
        asked: impl Future<Output = Result<T, MemberError>> + Send,
    ) -> Result<T, MemberError> {
        let wait = self.timings().answer;
        tokio::time::timeout(wait, asked)
            .await
            .unwrap_or_else(|late| Err(MemberError::Unknown(Box::new(late))))
    }

    /// Keeps the membership up as long as it is polled. It never ends.
    pub(super) async fn keep_up(&self) {
        loop {
            let next = self.state().lease.next();
            tokio::select! {
                () = self.sleep_until(next) => {}
                () = self.hurry.notified() => {}
            }
            if self.state().draining == Draining::Left {
                return std::future::pending().await;
            }
            if let Err(error) = self.renew().await {
                let why = with_causes(&error);
                tracing::warn!(node = %self.id(), why, "the node could not renew its membership");
            }
        }
    }

    /// Wakes whoever acts for a world when the node is cut off. It never ends.
    pub(super) async fn watch_over(&self) {
        loop {
            self.sweep();
            let now = self.now();
            let ends = self.state().lease.ends().filter(|end| *end > now);
            // A lease that has ended begins again in some other moment, and lasts for a while then. The timer of a machine
            // that is suspended stands still, and its lease does not: so it is looked at again and again.
            let retry = self.timings().retry;
            let wait = ends.map_or(retry, |end| now.until(end).min(retry));
            tokio::time::sleep(wait).await;
        }
    }

    /// Renews the membership once, or joins if the node is no member. A node that was declared dead joins under a new id
    /// next time.
    pub(super) async fn renew(&self) -> Result<(), MemberError> {
        let before = self.clock().now();
        let (card, is_member) = self.send();
        let asked = async {
            if is_member {
                let renewal = Renewal {
                    node: card.node,
                    room: card.room,
                    draining: card.draining,
                    ttl: self.timings().ttl,
                };
                self.members.renew(renewal).await
            } else {
                let joined = self.members.join(&card, self.timings().ttl).await;
                joined.map(Some)
            }
        };
        let answer = self.ask(asked).await;
        let after = self.clock().now();
        let heard = match &answer {
            Ok(Some(ledger)) => Renewed::Prolonged(HeardTime {
                ledger: *ledger,
                before,
                after,
            }),
            Ok(None) => Renewed::Dead,
            Err(_) => Renewed::Unheard,
        };
        self.hear(heard);
        answer.map(|_| ())
    }

    /// Notes that a renewal is about to be sent; gives what it says, and whether the node is a member.
    fn send(&self) -> (NodeCard, bool) {
        let mut state = self.state();
        state.lease.send(self.now());
        let profile = &self.profile;
        let card = NodeCard {
            node: state.id,
            name: profile.name.clone(),
            offers: profile.offers.clone(),
            schema: profile.schema,
            room: u32::try_from(self.room_beside(&state)).unwrap_or(u32::MAX),
            draining: state.draining != Draining::No,
            advertise: profile.advertise.clone(),
        };
        (card, state.lease.is_member())
    }

    fn hear(&self, heard: Renewed) {
        let mut state = self.state();
        let now = self.now();
        let was_acting = state.lease.stretch(now).is_some();
        let was_off = state.lease.clock_off();
        state.lease.hear(now, heard);
        if heard == Renewed::Dead {
            let dead = state.id;
            state.ids = state.ids.saturating_add(1);
            state.id = node_id(&self.seeds, self.clock(), state.ids);
            let node = state.id;
            tracing::warn!(%dead, %node, "the node was declared dead; it drops its worlds and joins under a new id");
        } else if !was_acting && state.lease.stretch(now).is_some() {
            // Worlds that were lost when it was cut off may still be this node's in the ledger.
            state.is_doubtful = true;
        }
        let off = state.lease.clock_off();
        drop(state);
        if let (None, Some(off)) = (was_off, off) {
            let why = off.to_string();
            tracing::warn!(node = %self.id(), why, "the node takes no worlds");
        }
        self.sweep();
    }

    /// Ends the membership at the ledger, unless the lease ends before. The worlds that it still holds are free then.
    pub(super) async fn leave(&self) {
        let node = {
            let mut state = self.state();
            // A renewal behind the leave would join again.
            state.draining = Draining::Left;
            state.id
        };
        while let Err(error) = self.ask(self.members.leave(node)).await {
            let why = with_causes(&error);
            tracing::warn!(%node, why, "the node could not leave");
            if self.acting().is_none() {
                break;
            }
            tokio::time::sleep(self.timings().retry).await;
        }
        self.end();
    }

    pub(super) async fn reap(&self) -> Result<Vec<NodeId>, MemberError> {
        self.ask(self.members.reap()).await
    }

    pub(super) async fn claim(
        &self,
        node: NodeId,
        limit: usize,
    ) -> Result<Vec<WorldId>, MemberError> {
        let claimed = self.ask(self.members.claim(node, limit)).await;
        if claimed.is_err() {
            self.doubt();
        }
        claimed
    }

    pub(super) async fn take(&self, node: NodeId, world: WorldId) -> Result<Taken, MemberError> {
        self.ask(self.members.take(node, world)).await
    }

    pub(super) async fn release(
        &self,
        node: NodeId,
        world: WorldId,
        due: Option<Time>,
    ) -> Result<(), MemberError> {
        self.ask(self.members.release(node, world, due)).await
    }

    pub(super) async fn held(&self, node: NodeId) -> Result<BTreeSet<WorldId>, MemberError> {
        let held = self.ask(self.members.held(node)).await?;
        Ok(held.into_iter().collect())
    }

    /// The name of a member for people. The ledger counts the worlds of all when it is asked for that, so it is asked once
    /// for each member: a member keeps its name.
    pub(super) async fn name_of(&self, node: NodeId) -> String {
        if !self.state().names.contains_key(&node)
            && let Ok(nodes) = self.ask(self.members.nodes()).await
        {
            let names = nodes
                .into_iter()
                .map(|known| (known.card.node, known.card.name));
            self.state().names = names.collect();
        }
        let state = self.state();
        let known = state.names.get(&node);
        known.map_or_else(|| node.to_string(), |name| format!("{name} ({node})"))
    }

    /// Waits until a time of the lease's clock.
    async fn sleep_until(&self, time: BootTime) {
        tokio::time::sleep(self.now().until(time)).await;
    }

    /// The wait before the scan `number`.
    pub(super) fn scan_wait(&self, number: u64) -> Duration {
        let seed = self.seeds.at(None, Position::new(number));
        let part = seed.as_bytes().first().map_or(0, |byte| u32::from(*byte));
        let scan = self.timings().scan;
        scan / 2 + scan * part / 256
    }
}

/// The `number`th id of a node, from 0.
fn node_id(seeds: &Seeds, clock: &dyn Clock, number: u64) -> NodeId {
    NodeId::from_stamp(&Stamp {
        time: clock.now(),
        seed: seeds.at(None, Position::new(number)),
    })
}
