//! A tool: it takes effect once per run, at some point of the time that it takes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use folkmoot::core::ids::Time;
use folkmoot::core::port::{Clock, Tool, ToolCall};
use folkmoot::core::tool::{Reconciliation, ToolOutcome, ToolSpec};

use super::lots::{between_ms, working_time};
use super::outside::Outside;
use super::process::Pulse;

#[derive(Debug)]
pub(super) struct SimTool {
    pub(super) inner: Arc<dyn Tool>,
    /// What the definition says of it.
    pub(super) spec: ToolSpec,
    pub(super) outside: Arc<Outside>,
    pub(super) pulse: Arc<Pulse>,
}

impl SimTool {
    fn hangs(&self) -> bool {
        let mut books = self.outside.books();
        let hangs = books.tools_hang > 0;
        if hangs {
            books.tools_hang = books.tools_hang.saturating_sub(1);
            books.counts.hit("tool hangs");
        }
        hangs
    }

    /// Returns what the tool does, all at once: nothing else of the machine goes on meanwhile.
    /// Gives what it would have slept.
    fn act(&self, call: &ToolCall) -> (ToolOutcome, Duration) {
        let clock = Arc::new(Impatient {
            began: call.clock.now(),
            slept: Mutex::default(),
        });
        let at_once = ToolCall {
            clock: Arc::clone(&clock) as _,
            host: None,
            ..call.clone()
        };
        let outcome = futures::executor::block_on(self.inner.run(&at_once));
        let slept = clock.slept();
        (outcome, slept)
    }

    fn took_effect(&self, call: &ToolCall, outcome: &ToolOutcome) {
        // Who asks has done nothing yet.
        if !matches!(outcome, ToolOutcome::NeedsInput(_)) {
            let mut books = self.outside.books();
            books.counts.effects += 1;
            drop(books);
            self.outside
                .took_effect(&call.idempotency_key, call.call, outcome);
        }
    }
}

#[async_trait]
impl Tool for SimTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let mut lots = self.outside.lots(&call.idempotency_key);
        self.outside.acts(&self.pulse, "a tool is run");
        let hangs = self.hangs();
        tokio::time::sleep(working_time(&mut lots)).await;
        self.outside.acts(&self.pulse, "a tool goes on");
        if (hangs && lots.bool()) || self.pulse.is_taken_over() {
            return std::future::pending().await;
        }
        let (outcome, slept) = self.act(call);
        self.took_effect(call, &outcome);
        if hangs {
            return std::future::pending().await;
        }
        if !slept.is_zero() {
            call.clock.sleep_until(call.clock.now().after(slept)).await;
        }
        tokio::time::sleep(between_ms(&mut lots, 0, 500)).await;
        outcome
    }

    /// Tells the truth.
    async fn reconcile(&self, call: &ToolCall) -> Reconciliation {
        self.outside.acts(&self.pulse, "a tool is asked");
        let mut lots = self.outside.lots(&call.idempotency_key);
        tokio::time::sleep(working_time(&mut lots)).await;
        if self.pulse.is_taken_over() {
            return Reconciliation::CannotTell;
        }
        match self.outside.books().effects.get(&call.idempotency_key) {
            Some(effects) => Reconciliation::Landed(effects.outcome.clone()),
            None => Reconciliation::DidNot,
        }
    }
}

/// A clock on which nobody waits.
#[derive(Debug)]
struct Impatient {
    began: Time,
    slept: Mutex<Duration>,
}

impl Impatient {
    fn slept(&self) -> Duration {
        *self.slept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Clock for Impatient {
    fn now(&self) -> Time {
        self.began.after(self.slept())
    }

    async fn sleep_until(&self, time: Time) {
        let more = self.now().until(time);
        let mut slept = self.slept.lock().unwrap_or_else(PoisonError::into_inner);
        *slept += more;
    }
}
