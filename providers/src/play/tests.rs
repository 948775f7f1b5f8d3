//! A clock, drafts and calls for the tests of the models that are played.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use folkmoot_core::event::Purpose;
use folkmoot_core::ids::{AgentName, Time};
use folkmoot_core::model::response::{LLMResponse, ModelError};
use folkmoot_core::port::{Clock, Drafts, DraftsClosed, Files, Model, ModelCall};
use folkmoot_core::prompt::Item;
use folkmoot_core::prompt::border::ForgedRequest;

/// A clock that is moved by whoever waits for it.
#[derive(Debug)]
pub(super) struct TestClock(pub(super) Mutex<Time>);

#[async_trait]
impl Clock for TestClock {
    fn now(&self) -> Time {
        *self.0.lock().unwrap()
    }

    async fn sleep_until(&self, time: Time) {
        *self.0.lock().unwrap() = time;
    }
}

/// Drafts that are kept, up to a number after which they are closed.
#[derive(Debug)]
pub(super) struct TestDrafts {
    pub(super) shown: Mutex<Vec<String>>,
    pub(super) open_for: usize,
}

impl Default for TestDrafts {
    fn default() -> Self {
        Self {
            shown: Mutex::default(),
            open_for: usize::MAX,
        }
    }
}

#[async_trait]
impl Drafts for TestDrafts {
    async fn push(&self, delta: &str) -> Result<(), DraftsClosed> {
        let mut shown = self.shown.lock().unwrap();
        if shown.len() == self.open_for {
            return Err(DraftsClosed);
        }
        shown.push(delta.to_owned());
        Ok(())
    }
}

/// A call of `agent`, who has heard `items` and played `played`.
pub(super) fn call(agent: &str, items: Vec<Item<String>>, played: &[u32]) -> ModelCall {
    ModelCall {
        agent: AgentName::new(agent).unwrap(),
        purpose: Purpose::Turn,
        request: ForgedRequest {
            model: "small-1".into(),
            items,
            ..ForgedRequest::default()
        }
        .into_request(),
        idempotency_key: "w/7".into(),
        played: played.to_vec(),
        clock: Arc::new(TestClock(Mutex::new(Time::SIMULATED_START))),
        files: Files::new(),
    }
}

/// Plays one call: the outcome, and what was shown.
pub(super) fn play(
    model: &dyn Model,
    call: &ModelCall,
) -> (Result<LLMResponse, ModelError>, Vec<String>) {
    let drafts = TestDrafts::default();
    let outcome = block_on(model.call(call, &drafts));
    (outcome, drafts.shown.into_inner().unwrap())
}

/// Runs a future that waits for nothing outside.
pub(super) fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(work)
}
