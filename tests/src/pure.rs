//! A room without a runtime: the pure core alone, driven to the end by a shell of forty lines.

use std::time::Duration;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::command::{Action, Command, ShellAction, WorldAction};
use folkmoot::core::event::refusal::Refusal;
use folkmoot::core::event::{ClockKind, TreeHead};
use folkmoot::core::ids::{AgentName, Digest, NodeId, Position, Seed, Time, WorldId, WorldName};
use folkmoot::core::model::Parameters;
use folkmoot::core::model::response::{LLMResponse, ModelError};
use folkmoot::core::port::Reaction;
use folkmoot::core::spec::Definition;
use folkmoot::core::tool::{Reconciliation, ToolOutcome};
use folkmoot::core::world::effect::{Due, Effect};
use folkmoot::core::world::{ModelAsk, World};

/// Numbers that look random and are the same for the same seed.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Dice of their own for every seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The next number.
    pub const fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `sides`.
    pub fn below(&mut self, sides: usize) -> usize {
        usize::try_from(self.roll() >> 1)
            .unwrap_or_default()
            .checked_rem(sides)
            .unwrap_or_default()
    }

    /// Whether something happens that happens `percent` times of a hundred.
    pub fn happens(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `all`.
    pub fn one<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let at = self.below(all.len());
        all.get(at).expect("there is something to choose from")
    }
}

/// What stands behind a room: models and tools.
pub trait Cast {
    /// What the model of `agent` does about a request.
    ///
    /// # Errors
    /// The attempt fails.
    fn answer(
        &mut self,
        agent: &AgentName,
        ask: &ModelAsk,
        dice: &mut Dice,
    ) -> Result<LLMResponse, ModelError>;
    /// What a tool does.
    fn run(&mut self, dice: &mut Dice) -> ToolOutcome;
}

/// A room and its log.
#[derive(Debug)]
pub struct PureRoom {
    /// The state.
    pub world: World,
    /// All that happened.
    pub commits: Vec<Commit>,
    now: Time,
    dice: Dice,
}

impl PureRoom {
    /// Opens a room.
    #[must_use]
    pub fn open(definition: Definition, dice: Dice) -> Self {
        let mut room = Self {
            world: World::default(),
            commits: Vec::new(),
            now: Time::SIMULATED_START,
            dice,
        };
        let (world, node) = (WorldId(uuid::Uuid::nil()), NodeId(uuid::Uuid::nil()));
        let name = WorldName::new("room").expect("a fitting name");
        let signer = room.key();
        let (clock, base, copy) = (ClockKind::Simulated, None, None);
        let create = Action::World(WorldAction::Create {
            world,
            name,
            clock,
            base,
            definition,
            node,
            signer,
            copy,
            labelled: Default::default(),
        });
        room.give(&Command::of_runtime(create))
            .expect("the room can be opened");
        room
    }

    /// Gives a command: decides, keeps the commit, folds it.
    ///
    /// # Errors
    /// The refusal.
    pub fn give(&mut self, command: &Command) -> Result<(), Refusal> {
        let mut seed = [0; 16];
        seed.iter_mut()
            .for_each(|byte| *byte = self.dice.roll().to_le_bytes()[0]);
        let stamp = self.world.stamp(self.now, Seed::new(seed));
        let decision = self.world.decide(command, &stamp);
        if let Some(commit) = self.world.commit(command, &stamp, &decision) {
            self.world.apply(&commit);
            self.commits.push(commit);
        }
        decision.answer.map(|_| ())
    }

    /// A process opens the room anew; what an older one had started is lost.
    pub fn crash(&mut self) {
        let signer = self.key();
        let open = Action::World(WorldAction::Open {
            node: NodeId(uuid::Uuid::nil()),
            base: None,
            revise: None,
            signer,
            copy: None,
        });
        self.give(&Command::of_runtime(open))
            .expect("a room can be opened again");
    }

    /// The key of an opening: one of two, or none.
    fn key(&mut self) -> Option<String> {
        let key = *self.dice.one(&[
            None,
            Some("example.com/one+00000001"),
            Some("example.com/two+00000002"),
        ]);
        key.map(str::to_owned)
    }

    /// Moves the clock on and records what became due.
    pub fn advance(&mut self, by: Duration) {
        self.now = self.now.max(self.world.time()).after(by);
        self.give(&Command::of_runtime(Action::Shell(ShellAction::Tick)))
            .expect("a tick is accepted");
    }

    /// Does what is owed, in a random order, until nothing is but what waits for people. At most `steps_max` pieces of
    /// work; gives how many it were, `None` if there is no end.
    pub fn rest(&mut self, cast: &mut impl Cast, steps_max: usize) -> Option<usize> {
        for step in 0..steps_max {
            let owed: Vec<Effect> = self
                .world
                .owed()
                .filter(|effect| !is_expiry(effect))
                .collect();
            if owed.is_empty() {
                return Some(step);
            }
            let due: Vec<&Effect> = owed.iter().filter(|effect| self.is_due(effect)).collect();
            match due.is_empty() {
                true => {
                    self.now = owed
                        .iter()
                        .filter_map(Effect::not_before)
                        .min()
                        .unwrap_or(self.now)
                }
                false => {
                    let effect = (*self.dice.one(&due)).clone();
                    self.perform(&effect, cast);
                }
            }
        }
        None
    }

    fn is_due(&self, effect: &Effect) -> bool {
        effect
            .not_before()
            .is_none_or(|at| at <= self.now.max(self.world.time()))
    }

    fn perform(&mut self, effect: &Effect, cast: &mut impl Cast) {
        let ask = || Reaction::AskModel(Parameters::default());
        let horizon = self.world.head();
        let action = match effect.clone() {
            Effect::Wake { agent, .. } => Action::Shell(ShellAction::OpenTurn {
                agent,
                horizon,
                reaction: ask(),
            }),
            Effect::Continue { agent, turn, .. } => Action::Shell(ShellAction::ContinueTurn {
                agent,
                turn,
                reaction: ask(),
            }),
            Effect::CallModel {
                agent,
                call,
                attempt,
            } => {
                let asked = self
                    .world
                    .model_ask(&agent)
                    .expect("a call that is owed has a request");
                match cast.answer(&agent, &asked, &mut self.dice) {
                    Ok(response) => Action::Shell(ShellAction::RecordAnswer {
                        agent,
                        call,
                        attempt,
                        response,
                    }),
                    Err(error) => Action::Shell(ShellAction::RecordFailure {
                        agent,
                        call,
                        attempt,
                        error,
                    }),
                }
            }
            Effect::RetryModel { agent, call, .. } => {
                Action::Shell(ShellAction::RetryModel { agent, call })
            }
            Effect::RunTool {
                agent,
                call,
                attempt,
            } => {
                let start = Action::Shell(ShellAction::StartTool {
                    agent: agent.clone(),
                    call,
                    attempt,
                });
                self.give(&Command::of_runtime(start))
                    .expect("an owed run can be started");
                if !self.world.is_running(&agent, call) || self.dice.happens(3) {
                    return;
                }
                match self.dice.happens(5) {
                    true => Action::Shell(ShellAction::TimeOutTool {
                        agent,
                        call,
                        attempt,
                    }),
                    false => Action::Shell(ShellAction::FinishTool {
                        agent,
                        call,
                        attempt,
                        outcome: cast.run(&mut self.dice),
                        progress: None,
                    }),
                }
            }
            Effect::Reconcile { agent, call, .. } => Action::Shell(ShellAction::RecordReconcile {
                agent,
                call,
                result: Reconciliation::CannotTell,
            }),
            Effect::DeclareUnknown { agent, call } => {
                Action::Shell(ShellAction::DeclareUnknown { agent, call })
            }
            Effect::Sign { occasion, .. } => {
                let commits = u64::try_from(self.commits.len()).expect("a number");
                let head = TreeHead {
                    of: horizon,
                    commits,
                    root: Digest::of(&[]),
                };
                let key = self
                    .world
                    .upkeep()
                    .signer()
                    .expect("whoever owes a signature has a key")
                    .to_owned();
                Action::Shell(ShellAction::Sign {
                    head,
                    key,
                    signature: String::new(),
                    occasion,
                })
            }
            Effect::Erase { request } => Action::Shell(ShellAction::RecordErased {
                request,
                events: 0,
                files: 0,
            }),
            Effect::TickAt { .. } => Action::Shell(ShellAction::Tick),
        };
        self.give(&Command::of_runtime(action))
            .expect("what is owed is accepted");
    }

    /// Folds the log from its beginning and decides every command again.
    ///
    /// # Errors
    /// Where it came out otherwise.
    pub fn decide_again(&self) -> Result<(), Position> {
        let mut world = World::default();
        for commit in &self.commits {
            if let Ok(command) = Command::rebuild(commit) {
                let decision = world.decide(&command, &commit.header.stamp);
                if decision.events != commit.events {
                    return Err(commit.header.first);
                }
            }
            world.apply(commit);
        }
        if world == self.world {
            Ok(())
        } else {
            Err(world.head())
        }
    }
}

/// Whether an effect waits for nothing but the end of a request.
const fn is_expiry(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::TickAt {
            due: Due::Expiry,
            ..
        }
    )
}
