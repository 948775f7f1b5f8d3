//! The work that is under way: nothing in here is started twice.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use folkmoot_core::command::Action;
use folkmoot_core::ids::Position;
use folkmoot_core::port::Tenure;
use folkmoot_core::world::World;
use folkmoot_core::world::effect::Effect;

use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use super::erase::{EraseError, Erased};

/// The outcome of work.
#[derive(Debug)]
pub(super) enum WorkOutcome {
    /// The command that records it.
    Action(Box<Action>),
    /// Content is erased, or why it is not.
    Erased(Result<Box<Erased>, EraseError>),
    /// The right to act was lost before it began.
    NotBegun,
}

impl From<Action> for WorkOutcome {
    fn from(action: Action) -> Self {
        Self::Action(Box::new(action))
    }
}

/// The outcome of an effect.
pub(super) struct LandedEffect {
    pub(super) effect: Effect,
    /// `None` if the work panicked.
    pub(super) outcome: Option<WorkOutcome>,
    /// When it was begun, among all effects.
    order: u64,
    /// The head of the log when it was begun.
    pub(super) begun_at: Position,
}

/// Work that was begun.
struct WorkUnderWay {
    order: u64,
    at: Position,
    handle: AbortHandle,
}

/// The set of effects that are under way.
pub(crate) struct Flight {
    /// The right to begin one.
    tenure: Arc<dyn Tenure>,
    tasks: JoinSet<WorkOutcome>,
    under_way: BTreeMap<Effect, WorkUnderWay>,
    by_task: HashMap<Id, Effect>,
    begun: u64,
    held: BTreeMap<u64, LandedEffect>,
}

impl Flight {
    /// An empty set, for whoever has the right to act.
    pub(super) fn under(tenure: Arc<dyn Tenure>) -> Self {
        Self {
            tenure,
            tasks: JoinSet::new(),
            under_way: BTreeMap::new(),
            by_task: HashMap::new(),
            begun: 0,
            held: BTreeMap::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty() && self.held.is_empty()
    }

    /// Tells whether outcomes were put aside.
    pub(super) fn holds_any(&self) -> bool {
        !self.held.is_empty()
    }

    /// Returns how many effects have not landed yet.
    pub(super) fn under_way(&self) -> usize {
        self.under_way.len()
    }

    pub(super) fn has(&self, key: &Effect) -> bool {
        self.under_way.contains_key(key) || self.held.values().any(|landed| landed.effect == *key)
    }

    /// Starts the work of an effect that is owed at the head `at`.
    pub(super) fn launch(
        &mut self,
        key: Effect,
        at: Position,
        work: impl Future<Output: Into<WorkOutcome>> + Send + 'static,
    ) {
        self.begun += 1;
        let tenure = Arc::clone(&self.tenure);
        let handle = self.tasks.spawn(async move {
            // Not before: what is spawned may begin late.
            if tenure.holds() {
                work.await.into()
            } else {
                WorkOutcome::NotBegun
            }
        });
        self.by_task.insert(handle.id(), key.clone());
        self.under_way.insert(
            key,
            WorkUnderWay {
                order: self.begun,
                at,
                handle,
            },
        );
    }

    /// Waits for the next outcome. Never ends while nothing is under way.
    pub(super) async fn next(&mut self) -> LandedEffect {
        loop {
            let Some(joined) = self.tasks.join_next_with_id().await else {
                return std::future::pending().await;
            };
            if let Some(landed) = self.join(joined) {
                return landed;
            }
        }
    }

    /// Forgets the task and says what came of it; `None` if it was aborted.
    fn join(&mut self, joined: Result<(Id, WorkOutcome), JoinError>) -> Option<LandedEffect> {
        let (id, outcome) = match joined {
            Ok((id, outcome)) => (id, Some(outcome)),
            Err(error) => (error.id(), None),
        };
        let effect = self.by_task.remove(&id)?;
        let WorkUnderWay {
            order,
            at: begun_at,
            ..
        } = self.under_way.remove(&effect)?;
        Some(LandedEffect {
            effect,
            outcome,
            order,
            begun_at,
        })
    }

    /// Puts an outcome aside until everything under way has landed.
    pub(super) fn hold(&mut self, landed: LandedEffect) {
        self.held.insert(landed.order, landed);
    }

    /// The outcomes that were put aside, in the order in which their work was begun.
    pub(super) fn take_held(&mut self) -> impl Iterator<Item = LandedEffect> + use<> {
        std::mem::take(&mut self.held).into_values()
    }

    /// Drops work that the world no longer wants: its turn was stopped, or its call closed.
    pub(super) fn drop_unwanted(&mut self, world: &World) {
        if self.under_way.is_empty() {
            return;
        }
        let owed: Vec<Effect> = world.owed().map(|effect| effect.key()).collect();
        let is_wanted = |effect: &Effect| match effect {
            // A run that has started is owed no more: the log says that it did.
            Effect::RunTool { agent, call, .. } => world.is_running(agent, *call),
            Effect::Wake { .. }
            | Effect::Continue { .. }
            | Effect::CallModel { .. }
            | Effect::RetryModel { .. }
            | Effect::Reconcile { .. }
            | Effect::DeclareUnknown { .. }
            | Effect::Sign { .. }
            | Effect::Erase { .. }
            | Effect::TickAt { .. } => owed.contains(effect),
        };
        self.keep(is_wanted);
    }

    /// Gives up all work but running tools and erasures.
    pub(super) fn abort_all_but_lasting(&mut self) {
        self.keep(|effect| matches!(effect, Effect::RunTool { .. } | Effect::Erase { .. }));
    }

    fn keep(&mut self, is_wanted: impl Fn(&Effect) -> bool) {
        let by_task = &mut self.by_task;
        self.under_way
            .retain(|effect, WorkUnderWay { handle, .. }| {
                let keep = is_wanted(effect);
                if !keep {
                    by_task.remove(&handle.id());
                    handle.abort();
                }
                keep
            });
    }

    pub(super) fn abort_all(&mut self) {
        self.tasks.abort_all();
        self.under_way.clear();
        self.by_task.clear();
    }
}
