//! An endless conversation, made by the room's own decisions: a person asks, an agent calls a tool and answers.

use folkmoot::core::command::commit::Commit;
use folkmoot::core::command::{Action, Command, ShellAction, TalkAction, WorldAction};
use folkmoot::core::event::ClockKind;
use folkmoot::core::ids::principal::{Person, Principal};
use folkmoot::core::ids::{
    AgentName, Attempt, CallId, Digest, NodeId, Seed, Stamp, Time, WorldId, WorldName,
};
use folkmoot::core::model::Parameters;
use folkmoot::core::model::response::LLMResponse;
use folkmoot::core::port::Reaction;
use folkmoot::core::tool::ToolOutcome;
use folkmoot::core::world::World;
use folkmoot::core::world::effect::Effect;

use crate::{Fallible, room};

/// A world that says what comes next in it.
pub(crate) struct Conversation {
    pub(crate) world: World,
    person: Principal,
    steps: u64,
    running: Option<(AgentName, CallId, Attempt)>,
    calls_next: bool,
}

impl Conversation {
    /// Begins the world `name`; the second value is its first commit.
    pub(crate) fn begin(name: &str) -> Fallible<(Self, Commit)> {
        let display = room::person()?;
        let person = Principal::Person(Person {
            method: "local".to_owned(),
            subject: "uid=1".to_owned(),
            display,
        });
        let mut own = Self {
            world: World::default(),
            person,
            steps: 0,
            running: None,
            calls_next: true,
        };
        let name = WorldName::new(name)?;
        let stamp = stamp(Digest::of(&[name.as_str().as_bytes()]), 0);
        let create = Action::World(WorldAction::Create {
            world: WorldId::from_stamp(&stamp),
            name,
            clock: ClockKind::System,
            base: None,
            definition: room::definition()?,
            node: NodeId::from_stamp(&stamp),
            signer: None,
            copy: None,
            labelled: Default::default(),
        });
        let first = own.commit(&Command::of_runtime(create), &stamp)?;
        Ok((own, first))
    }

    /// What happens next, folded already.
    pub(crate) fn next(&mut self) -> Fallible<Commit> {
        self.steps += 1;
        let seed = Digest::of(&[&self.steps.to_le_bytes()]);
        let command = self.command()?;
        self.commit(&command, &stamp(seed, self.steps))
    }

    fn command(&mut self) -> Fallible<Command> {
        if let Some((agent, call, attempt)) = self.running.take() {
            let outcome = ToolOutcome::text(room::TEXT);
            return Ok(Command::of_runtime(Action::Shell(
                ShellAction::FinishTool {
                    agent,
                    call,
                    attempt,
                    outcome,
                    progress: None,
                },
            )));
        }
        let Some(effect) = self.world.owed().next() else {
            let text = format!("{}: {}", self.steps, room::TEXT);
            let post = Action::Talk(TalkAction::PostMessage {
                text,
                attachments: Vec::new(),
                reply_to: None,
            });
            return Ok(Command::of(self.person.clone(), post));
        };
        let reaction = Reaction::AskModel(Parameters::default());
        let action = match effect {
            Effect::Wake { agent, .. } => {
                let horizon = self.world.head();
                Action::Shell(ShellAction::OpenTurn {
                    agent,
                    horizon,
                    reaction,
                })
            }
            Effect::Continue { agent, turn, .. } => Action::Shell(ShellAction::ContinueTurn {
                agent,
                turn,
                reaction,
            }),
            Effect::CallModel {
                agent,
                call,
                attempt,
            } => {
                let response = self.response();
                Action::Shell(ShellAction::RecordAnswer {
                    agent,
                    call,
                    attempt,
                    response,
                })
            }
            Effect::RunTool {
                agent,
                call,
                attempt,
            } => {
                self.running = Some((agent.clone(), call, attempt));
                Action::Shell(ShellAction::StartTool {
                    agent,
                    call,
                    attempt,
                })
            }
            Effect::RetryModel { .. }
            | Effect::Reconcile { .. }
            | Effect::DeclareUnknown { .. }
            | Effect::Sign { .. }
            | Effect::Erase { .. }
            | Effect::TickAt { .. } => {
                return Err(format!("{effect:?} is not part of the conversation").into());
            }
        };
        Ok(Command::of_runtime(action))
    }

    fn response(&mut self) -> LLMResponse {
        self.calls_next = !self.calls_next;
        if !self.calls_next {
            room::one_call()
        } else {
            LLMResponse::text(room::TEXT)
        }
    }

    fn commit(&mut self, command: &Command, stamp: &Stamp) -> Fallible<Commit> {
        let decision = self.world.decide(command, stamp);
        decision
            .answer
            .clone()
            .map_err(|refusal| format!("{refusal:?}"))?;
        let commit = self
            .world
            .commit(command, stamp, &decision)
            .ok_or("nothing happened")?;
        self.world.apply(&commit);
        Ok(commit)
    }
}

fn stamp(seed: Digest, step: u64) -> Stamp {
    let mut bytes = [0; 16];
    bytes
        .iter_mut()
        .zip(seed.as_bytes())
        .for_each(|(to, from)| *to = *from);
    Stamp {
        time: Time(1_700_000_000_000 + step),
        seed: Seed::new(bytes),
    }
}
