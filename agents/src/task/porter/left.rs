//! Commands that a porter left for the holder of its world, and that are given here once this process is the holder.

use std::collections::BTreeMap;

use folkmoot_core::command::commit::CommandKey;
use folkmoot_core::command::{Command, Keyed};
use folkmoot_core::ids::AskId;
use tokio::sync::{mpsc, oneshot};

use super::super::Ask;
use crate::means::courier::Courier;
use crate::wire::key_of_ask;

/// The commands that have no answer yet, by the asks that they were left as.
#[derive(Debug, Default)]
pub(super) struct LeftCommands(BTreeMap<AskId, Command>);

impl LeftCommands {
    pub(super) fn note(&mut self, id: AskId, command: Command) {
        self.0.insert(id, command);
    }

    pub(super) fn forget(&mut self, id: AskId) {
        self.0.remove(&id);
    }

    /// Gives them through a door whose world is here now, and answers the asks, so that whoever waits for one hears of it as
    /// from any other holder. Each has the key by which everybody gives it: done once, whoever was faster.
    pub(super) fn give(self, asks: &mpsc::WeakSender<Ask>, courier: &Courier) {
        for (id, command) in self.0 {
            tokio::spawn(give(asks.clone(), courier.clone(), (id, command)));
        }
    }
}

async fn give(asks: mpsc::WeakSender<Ask>, courier: Courier, (id, mut command): (AskId, Command)) {
    if command.key.is_none() {
        let (key, digest) = (CommandKey::Client(key_of_ask(id)), command.digest());
        command.key = Some(Keyed { key, digest });
    }
    let (reply, answer) = oneshot::channel();
    let command = Box::new(command);
    // A door whose handles are all gone is about to be closed.
    let Some(asks) = asks.upgrade() else {
        return;
    };
    let is_given = asks.send(Ask::Command { command, reply }).await.is_ok();
    drop(asks);
    if !is_given {
        return;
    }
    match answer.await {
        // The next holder finds the ask there.
        Err(_) => {}
        Ok(Err(error)) if error.leaves_it_to_others() => {}
        Ok(answer) => courier.answer(id, answer).await,
    }
}
