//! The members of a ledger in memory.

use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::ids::{NodeId, Time, WorldId};
use folkmoot_core::port::{
    ANSWER_KEPT, CLAIM_MAX, MemberError, Members, NodeCard, NodeState, Renewal, Taken,
};

use super::{Member, MemoryLedger, State, World};

#[async_trait]
impl Members for MemoryLedger {
    async fn join(&self, card: &NodeCard, ttl: Duration) -> Result<Time, MemberError> {
        card.check()?;
        let mut state = self.state();
        let member = Member {
            card: card.clone(),
            until: state.now.after(ttl),
        };
        state.nodes.insert(card.node, member);
        Ok(state.now)
    }

    async fn renew(&self, renewal: Renewal) -> Result<Option<Time>, MemberError> {
        let mut state = self.state();
        let now = state.now;
        let Some(member) = state.nodes.get_mut(&renewal.node) else {
            return Ok(None);
        };
        member.until = now.after(renewal.ttl);
        member.card.room = renewal.room;
        member.card.draining = renewal.draining;
        Ok(Some(now))
    }

    async fn leave(&self, node: NodeId) -> Result<(), MemberError> {
        let mut state = self.state();
        state.nodes.remove(&node);
        state.free_all(|holder, _| holder == node);
        Ok(())
    }

    async fn reap(&self) -> Result<Vec<NodeId>, MemberError> {
        let mut state = self.state();
        let now = state.now;
        let late = |(node, member): (&NodeId, &Member)| (member.until < now).then_some(*node);
        let dead: Vec<NodeId> = state.nodes.iter().filter_map(late).collect();
        for node in &dead {
            state.nodes.remove(node);
        }
        state.free_all(|holder, nodes| !nodes(holder));
        state.asks.retain(|_, kept| {
            let answered = kept.answer.as_ref().map(|(_, at)| at.after(ANSWER_KEPT));
            answered.is_none_or(|end| end >= now)
        });
        Ok(dead)
    }

    async fn claim(&self, node: NodeId, limit: usize) -> Result<Vec<WorldId>, MemberError> {
        let mut state = self.state();
        let now = state.now;
        let Some(member) = state.nodes.get(&node).filter(|member| member.claims(now)) else {
            return Ok(Vec::new());
        };
        let mut free: Vec<(Time, WorldId)> = state
            .worlds
            .iter()
            .filter(|(_, world)| world.holder.is_none() && member.can_hold(world))
            .filter_map(|(id, world)| Some((world.due.filter(|due| *due <= now)?, *id)))
            .collect();
        let members = state.nodes.values().filter(|member| member.claims(now));
        let share = free.len().div_ceil(members.count().max(1));
        free.sort_unstable();
        free.truncate(limit.min(CLAIM_MAX).min(share));
        let claimed: Vec<WorldId> = free.into_iter().map(|(_, world)| world).collect();
        for world in &claimed {
            state.hold(*world, node);
        }
        Ok(claimed)
    }

    async fn take(&self, node: NodeId, world: WorldId) -> Result<Taken, MemberError> {
        let mut state = self.state();
        let Some(Member { card, .. }) = state.nodes.get(&node) else {
            return Err(MemberError::NoMember(node));
        };
        let Some(known) = state.worlds.get(&world) else {
            return Ok(Taken::NoSuchWorld);
        };
        if let Some(by) = known.holder.filter(|by| *by != node) {
            return Ok(Taken::Held { by });
        }
        if known.schema > card.schema {
            return Ok(Taken::Newer {
                schema: known.schema,
            });
        }
        let lacks = known.needs.difference(&card.offers).cloned();
        let lacks: std::collections::BTreeSet<String> = lacks.collect();
        if !lacks.is_empty() {
            return Ok(Taken::Lacks(lacks));
        }
        state.hold(world, node);
        Ok(Taken::Taken)
    }

    async fn release(
        &self,
        node: NodeId,
        world: WorldId,
        due: Option<Time>,
    ) -> Result<(), MemberError> {
        let mut state = self.state();
        let asked = state.waiting(world) > 0;
        let due = if asked { Some(state.now) } else { due };
        let known = state.worlds.get_mut(&world);
        if let Some(known) = known.filter(|known| known.holder == Some(node)) {
            known.free(due);
        }
        Ok(())
    }

    async fn held(&self, node: NodeId) -> Result<Vec<WorldId>, MemberError> {
        let state = self.state();
        let is_held = |(_, world): &(&WorldId, &World)| world.holder == Some(node);
        let held = state.worlds.iter().filter(is_held);
        Ok(held.map(|(id, _)| *id).collect())
    }

    async fn holder(&self, world: WorldId) -> Result<Option<NodeCard>, MemberError> {
        let state = self.state();
        let holder = state.worlds.get(&world).and_then(|world| world.holder);
        let member = holder.and_then(|holder| state.nodes.get(&holder));
        Ok(member.map(|member| member.card.clone()))
    }

    async fn nodes(&self) -> Result<Vec<NodeState>, MemberError> {
        let state = self.state();
        let held = |node: NodeId| {
            let held = state.worlds.values();
            held.filter(|world| world.holder == Some(node)).count() as u64
        };
        Ok(state
            .nodes
            .iter()
            .map(|(node, member)| NodeState {
                card: member.card.clone(),
                until: member.until,
                is_late: member.until < state.now,
                held: held(*node),
            })
            .collect())
    }
}

impl Member {
    fn claims(&self, now: Time) -> bool {
        self.until >= now && !self.card.draining
    }

    fn can_hold(&self, world: &World) -> bool {
        world.schema <= self.card.schema && world.needs.is_subset(&self.card.offers)
    }
}

impl State {
    fn hold(&mut self, world: WorldId, node: NodeId) {
        if let Some(known) = self.worlds.get_mut(&world) {
            known.holder = Some(node);
            known.due = None;
        }
    }

    /// Frees the worlds whose holder is meant; `is_meant` can ask who is a member.
    fn free_all(&mut self, is_meant: impl Fn(NodeId, &dyn Fn(NodeId) -> bool) -> bool) {
        let Self {
            now, worlds, nodes, ..
        } = self;
        let is_member = |node: NodeId| nodes.contains_key(&node);
        for world in worlds.values_mut() {
            if world
                .holder
                .is_some_and(|holder| is_meant(holder, &is_member))
            {
                world.free(Some(*now));
            }
        }
    }
}
