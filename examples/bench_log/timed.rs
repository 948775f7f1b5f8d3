//! A gatekeeper that notes how long each tool call's pair of commits takes: from the append of its start to the end of the
//! append of its finish.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use folkmoot::Gatekeeper;
use folkmoot::core::command::CommandKind;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::{Incarnation, WorldId};
use folkmoot::core::port::{AppendError, Appended, EventLog};

/// The pairs that went through the gate.
#[derive(Debug, Default)]
pub(crate) struct Timed {
    pairs: Mutex<Pairs>,
}

#[derive(Debug, Default)]
struct Pairs {
    begun: HashMap<WorldId, Instant>,
    count: u64,
    time: Duration,
}

impl Timed {
    /// The number of pairs since the last time, and how long they took together.
    pub(crate) fn take(&self) -> (u64, Duration) {
        let Pairs { count, time, .. } =
            std::mem::take(&mut *self.pairs.lock().unwrap_or_else(PoisonError::into_inner));
        (count, time)
    }

    fn note(&self, change: impl FnOnce(&mut Pairs)) {
        change(&mut self.pairs.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[async_trait]
impl Gatekeeper for Timed {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        let of = |kind: CommandKind| {
            let mut headers = commits.iter().map(|commit| &commit.header);
            headers
                .find(|header| header.command == kind)
                .map(|header| header.world)
        };
        let (starts, finishes) = (of(CommandKind::StartTool), of(CommandKind::FinishTool));
        let now = Instant::now();
        let appended = log.append(incarnation, commits).await;
        self.note(|pairs| {
            let finished = finishes.and_then(|world| pairs.begun.remove(&world));
            if let Some(begun) = finished {
                pairs.count += 1;
                pairs.time += begun.elapsed();
            }
            pairs.begun.extend(starts.map(|world| (world, now)));
        });
        appended
    }

    fn read(&self, _commits: usize) {}
}
