//! Watches what tools do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{CallEvent, Event, ForkEffects, WorldEvent};
use folkmoot::core::ids::{Attempt, CallId, Time, WorldId};
use folkmoot::core::port::{Clock, Tool, ToolCall};
use folkmoot::core::spec::Definition;
use folkmoot::core::tool::{Reconciliation, ToolOutcome, ToolSpec};
use folkmoot::{Assemble, AssembleError, Parts, Shipped};
use tokio::sync::watch;

type Run = (CallId, Attempt);

/// Knows which runs were begun, which are under way, and what they gave. Cheap to clone: all clones are one.
#[derive(Debug, Clone)]
pub struct Probe(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Runs that were recorded as started and have neither ended nor gone to sleep on the world's clock.
    busy: watch::Sender<BTreeSet<Run>>,
    runs: Mutex<BTreeMap<CallId, u32>>,
    given: Mutex<BTreeMap<String, String>>,
    /// Worlds that run no tool: what starts there is not under way anywhere.
    dry: Mutex<BTreeSet<WorldId>>,
}

impl Default for Probe {
    fn default() -> Self {
        let (busy, _) = watch::channel(BTreeSet::new());
        Self(Arc::new(Inner {
            busy,
            runs: Mutex::default(),
            given: Mutex::default(),
            dry: Mutex::default(),
        }))
    }
}

impl Probe {
    /// Notes the runs that a durable commit allows, and those that it ends: one of these may never have begun.
    pub fn note(&self, commit: &Commit) {
        if let Some(Event::World(WorldEvent::Forked(forked))) = commit.events.first()
            && forked.effects == ForkEffects::Recorded
        {
            lock(&self.0.dry).insert(forked.world);
        }
        if lock(&self.0.dry).contains(&commit.header.world) {
            return;
        }
        self.0.busy.send_modify(|busy| {
            for event in &commit.events {
                if let Event::Call(CallEvent::ToolStarted(started)) = event {
                    busy.insert((started.call, started.attempt));
                }
                if let Event::Call(CallEvent::ToolFinished(finished)) = event {
                    busy.retain(|(call, _)| *call != finished.call);
                }
            }
        });
    }

    /// Waits until every run that was recorded as started has ended, or sleeps on the world's clock.
    pub async fn at_rest(&self) {
        let mut busy = self.0.busy.subscribe();
        // The sender lives in the probe, so that this cannot fail.
        let _rest = busy.wait_for(BTreeSet::is_empty).await;
    }

    /// How often the call was run.
    #[must_use]
    pub fn runs(&self, call: CallId) -> u32 {
        lock(&self.0.runs).get(&call).copied().unwrap_or_default()
    }

    /// The text that a tool gave to these arguments, in any call.
    #[must_use]
    pub fn given(&self, tool: &str, arguments: &str) -> Option<String> {
        lock(&self.0.given).get(&entry(tool, arguments)).cloned()
    }

    fn rest(&self, run: Run) {
        self.0.busy.send_modify(|busy| {
            busy.remove(&run);
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn entry(tool: &str, arguments: &str) -> String {
    format!("{tool} {arguments}")
}

/// The shipped tools, each with the probe on it.
#[derive(Debug, Clone, Default)]
pub struct Probed {
    /// Makes the parts.
    pub shipped: Shipped,
    /// Watches them.
    pub probe: Probe,
}

impl Assemble for Probed {
    fn assemble(
        &self,
        definition: &Definition,
        base: Option<&Path>,
    ) -> Result<Parts, AssembleError> {
        let mut parts = self.shipped.assemble(definition, base)?;
        for tool in parts.tools.values_mut() {
            *tool = Arc::new(ProbedTool {
                inner: Arc::clone(tool),
                probe: self.probe.clone(),
            });
        }
        Ok(parts)
    }
}

#[derive(Debug)]
struct ProbedTool {
    inner: Arc<dyn Tool>,
    probe: Probe,
}

/// Takes the run off the list of the busy, however it ends.
#[derive(Debug)]
struct Resting(Probe, Run);

impl Drop for Resting {
    fn drop(&mut self) {
        self.0.rest(self.1);
    }
}

#[async_trait]
impl Tool for ProbedTool {
    fn spec(&self) -> &ToolSpec {
        self.inner.spec()
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let run = (call.call, call.attempt);
        let _resting = Resting(self.probe.clone(), run);
        let clock = ProbedClock {
            inner: Arc::clone(&call.clock),
            probe: self.probe.clone(),
            run,
        };
        let watched = ToolCall {
            clock: Arc::new(clock),
            ..call.clone()
        };
        let outcome = self.inner.run(&watched).await;
        self.keep(call, &outcome);
        outcome
    }

    async fn reconcile(&self, call: &ToolCall) -> Reconciliation {
        self.inner.reconcile(call).await
    }
}

impl ProbedTool {
    fn keep(&self, call: &ToolCall, outcome: &ToolOutcome) {
        if matches!(outcome, ToolOutcome::NeedsInput(_)) {
            return;
        }
        *lock(&self.probe.0.runs).entry(call.call).or_default() += 1;
        if let ToolOutcome::Done(output) = outcome {
            let entry = entry(self.inner.spec().name.as_str(), &call.arguments.to_string());
            lock(&self.probe.0.given).insert(entry, output.text.clone());
        }
    }
}

#[derive(Debug)]
struct ProbedClock {
    inner: Arc<dyn Clock>,
    probe: Probe,
    run: Run,
}

#[async_trait]
impl Clock for ProbedClock {
    fn now(&self) -> Time {
        self.inner.now()
    }

    async fn sleep_until(&self, time: Time) {
        self.probe.rest(self.run);
        // A tool sleeps only after its effect.
        *lock(&self.probe.0.runs).entry(self.run.0).or_default() += 1;
        self.inner.sleep_until(time).await;
        if let Some(runs) = lock(&self.probe.0.runs).get_mut(&self.run.0) {
            *runs -= 1;
        }
    }
}
