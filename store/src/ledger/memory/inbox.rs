//! The inbox of a ledger in memory.

use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::ids::{AskId, NodeId, WorldId};
use folkmoot_core::port::{
    ANSWER_BYTES_MAX, ASK_BYTES_MAX, ASKS_BYTES_MAX, ASKS_WAITING_MAX, Ask, AskState, Asked,
    AsksWanted, Inbox, MemberError, WaitingAsk,
};

use super::{KeptAsk, MemoryLedger, State};

/// The login of all who share the memory.
const LOGIN: &str = "memory";

#[async_trait]
impl Inbox for MemoryLedger {
    async fn ask(&self, ask: &Ask) -> Result<Asked, MemberError> {
        within("an ask", ask.bytes(), ASK_BYTES_MAX)?;
        let mut state = self.state();
        if state.asks.contains_key(&ask.id) {
            return Ok(Asked::Waits);
        }
        let now = state.now;
        let waiting = state.waiting(ask.world);
        let Some(known) = state.worlds.get_mut(&ask.world) else {
            return Ok(Asked::NoSuchWorld);
        };
        if waiting >= ASKS_WAITING_MAX {
            return Ok(Asked::Busy);
        }
        if known.holder.is_none() {
            known.due = Some(known.due.map_or(now, |due| due.min(now)));
        }
        let kept = KeptAsk {
            ask: ask.clone(),
            asked: now,
            answer: None,
        };
        state.asks.insert(ask.id, kept);
        drop(state);
        self.tell();
        Ok(Asked::Waits)
    }

    async fn asks(
        &self,
        node: NodeId,
        wanted: AsksWanted<'_>,
    ) -> Result<Vec<WaitingAsk>, MemberError> {
        let state = self.state();
        let is_wanted = |world: &WorldId| {
            let known = state.worlds.get(world);
            known.is_some_and(|known| known.holder == Some(node)) && !wanted.not_of.contains(world)
        };
        let mut bytes = 0;
        Ok(state
            .asks
            .values()
            .filter(|kept| kept.answer.is_none() && is_wanted(&kept.ask.world))
            .take(wanted.limit)
            .take_while(|kept| {
                let has_room = bytes < ASKS_BYTES_MAX;
                bytes += kept.ask.bytes();
                has_room
            })
            .map(|kept| WaitingAsk {
                ask: kept.ask.clone(),
                login: LOGIN.to_owned(),
                asked: kept.asked,
            })
            .collect())
    }

    async fn answer(&self, ask: AskId, answer: Vec<u8>) -> Result<(), MemberError> {
        within("an answer", answer.len(), ANSWER_BYTES_MAX)?;
        let mut state = self.state();
        let now = state.now;
        if let Some(kept) = state.asks.get_mut(&ask) {
            kept.answer.get_or_insert((answer, now));
        }
        drop(state);
        self.tell();
        Ok(())
    }

    async fn answers(&self, asks: &[AskId]) -> Result<Vec<AskState>, MemberError> {
        let state = self.state();
        let one = |ask: &AskId| match state.asks.get(ask).map(|kept| &kept.answer) {
            None => AskState::Gone,
            Some(None) => AskState::Waits,
            Some(Some((answer, _))) => AskState::Answered(answer.clone()),
        };
        Ok(asks.iter().map(one).collect())
    }

    async fn hint(&self, heard: u64) -> u64 {
        let mut news = self.news.subscribe();
        let told = news.wait_for(|told| *told != heard).await;
        match told.map(|told| *told) {
            Ok(told) => told,
            // The ledger is here, and so its news are.
            Err(_) => std::future::pending().await,
        }
    }

    /// Its own hints miss nothing. Whoever wraps it may lose some.
    fn look_every(&self) -> Duration {
        Duration::from_millis(250)
    }
}

impl MemoryLedger {
    /// Gives a hint.
    pub(super) fn tell(&self) {
        self.news.send_modify(|told| *told = told.saturating_add(1));
    }
}

impl State {
    /// The number of asks that wait for a world.
    pub(super) fn waiting(&self, world: WorldId) -> usize {
        let waits = |kept: &&KeptAsk| kept.ask.world == world && kept.answer.is_none();
        self.asks.values().filter(waits).count()
    }
}

fn within(what: &str, len: usize, max: usize) -> Result<(), MemberError> {
    if len <= max {
        return Ok(());
    }
    let why = format!("{what} has {len} bytes; at most {max} are allowed");
    Err(MemberError::Invalid(why))
}
