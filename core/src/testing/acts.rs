//! Commands as tests say them, and the same as verbs on a past.

use super::{Past, ada, agent, at, node, runtime};
use crate::command::{
    Action, Command, ConsentAction, Judgement, Reply, Settlement, ShellAction, TalkAction,
    WorldAction,
};
use crate::event::reaction::Reaction;
use crate::event::{ForkEffects, TreeHead, Verdict};
use crate::ids::principal::Principal;
use crate::ids::{
    Attempt, CallId, CopyId, Digest, MessageId, RequestId, Stamp, TurnId, WorldId, WorldName,
};
use crate::model::Parameters;
use crate::model::response::{
    CallPart, LLMResponse, ModelError, ModelErrorKind, Part, Reply as ModelReply,
};
use crate::tool::{Question, Reconciliation, ToolOutcome};
use crate::world::World;
use crate::world::effect::Effect;
use crate::world::memory::Memory;

pub(crate) fn ask() -> Reaction {
    Reaction::AskModel(Parameters::default())
}

pub(crate) fn text(said: &str) -> LLMResponse {
    LLMResponse::text(said)
}

/// An answer with calls, each of a tool with arguments.
pub(crate) fn calls(calls: &[(&str, &str)]) -> LLMResponse {
    LLMResponse::Calls(ModelReply {
        parts: parts(calls),
        ..ModelReply::default()
    })
}

pub(crate) fn parts(calls: &[(&str, &str)]) -> Vec<Part> {
    let part = |(tool, arguments): &(&str, &str)| {
        Part::Call(CallPart {
            label: String::new(),
            tool: (*tool).to_owned(),
            arguments: (*arguments).to_owned(),
        })
    };
    calls.iter().map(part).collect()
}

pub(crate) fn answer(response: LLMResponse) -> Reaction {
    Reaction::Answer {
        response,
        note: None,
    }
}

pub(crate) fn post(said: &str) -> Command {
    Command::of(
        ada(),
        Action::Talk(TalkAction::PostMessage {
            text: said.to_owned(),
            attachments: Vec::new(),
            reply_to: None,
        }),
    )
}

pub(crate) fn reopen() -> Command {
    reopen_with(None)
}

/// An opening in the `n`-th copy of the store.
pub(crate) fn reopen_in(n: u8) -> Command {
    let copy = Some(CopyId(uuid::Uuid::from_bytes([n; 16])));
    runtime(Action::World(WorldAction::Open {
        node: node(),
        base: None,
        revise: None,
        signer: None,
        copy,
    }))
}

/// An opening that signs heads with a key.
pub(crate) fn reopen_with(key: Option<&str>) -> Command {
    runtime(Action::World(WorldAction::Open {
        node: node(),
        base: None,
        revise: None,
        signer: key.map(str::to_owned),
        copy: None,
    }))
}

pub(crate) fn settle(request: RequestId, settlement: Settlement) -> Command {
    Command::of(
        ada(),
        Action::Consent(ConsentAction::Settle {
            request,
            settlement,
        }),
    )
}

pub(crate) fn reply(request: RequestId, reply: Reply) -> Command {
    Command::of(
        ada(),
        Action::Consent(ConsentAction::Answer { request, reply }),
    )
}

pub(crate) fn edit(message: u64, said: &str) -> Command {
    Command::of(
        ada(),
        Action::Talk(TalkAction::Edit {
            message: MessageId(at(message)),
            text: said.to_owned(),
        }),
    )
}

pub(crate) fn retract(message: u64) -> Command {
    Command::of(
        ada(),
        Action::Talk(TalkAction::Retract {
            message: MessageId(at(message)),
        }),
    )
}

pub(crate) fn regenerate(message: u64) -> Command {
    Command::of(
        ada(),
        Action::Talk(TalkAction::Regenerate {
            message: MessageId(at(message)),
        }),
    )
}

/// The same command, given by another.
pub(crate) fn of(principal: Principal, command: &Command) -> Command {
    Command {
        principal,
        ..command.clone()
    }
}

pub(crate) fn stop() -> Command {
    Command::of(ada(), Action::Talk(TalkAction::Stop { episode: None }))
}

/// Branches `world` off as it stands.
pub(crate) fn fork_of(world: &World) -> Command {
    let deep = world.lineage().len() + 1;
    let action = Action::World(WorldAction::Fork {
        world: WorldId::from_stamp(&Stamp {
            time: world.time(),
            seed: crate::ids::Seed::new([10 + deep as u8; 16]),
        }),
        name: WorldName::new(format!("branch-{deep}")).unwrap(),
        base: TreeHead {
            of: world.head(),
            commits: 1,
            root: Digest::of(&[]),
        },
        link: Digest::of(&[b"link"]),
        effects: ForkEffects::Recorded,
        node: node(),
        signer: None,
        copy: None,
        labelled: None,
    });
    Command::of(ada(), action)
}

pub(crate) fn allow(request: RequestId) -> Command {
    decide_of("bob", request, Verdict::Allow)
}

pub(crate) fn deny(request: RequestId) -> Command {
    decide_of("bob", request, Verdict::Deny)
}

pub(crate) fn decide_of(name: &str, request: RequestId, verdict: Verdict) -> Command {
    Command::of(
        ada(),
        Action::Consent(ConsentAction::Decide {
            agent: Some(agent(name)),
            request,
            judgement: Judgement::new(verdict),
        }),
    )
}

pub(crate) fn question() -> ToolOutcome {
    ToolOutcome::NeedsInput(Question {
        text: "Which?".to_owned(),
        options: vec!["a".to_owned(), "b".to_owned()],
        ..Question::default()
    })
}

impl Past {
    pub(crate) fn memory(&self, name: &str) -> &Memory {
        self.world.memory(&agent(name)).unwrap()
    }

    pub(crate) fn turn(&self, name: &str) -> TurnId {
        self.memory(name).turn.as_ref().unwrap().id
    }

    /// The `n`-th call of the agent's last answer.
    pub(crate) fn call(&self, name: &str, n: usize) -> CallId {
        self.memory(name).turn.as_ref().unwrap().slots[n].call
    }

    /// The only request that waits.
    pub(crate) fn request(&self) -> RequestId {
        assert_eq!(self.world.consent().pending().len(), 1);
        *self.world.consent().pending().keys().next().unwrap()
    }

    pub(crate) fn wake(&self, name: &str, reaction: Reaction) -> Command {
        runtime(Action::Shell(ShellAction::OpenTurn {
            agent: agent(name),
            horizon: self.world.head(),
            reaction,
        }))
    }

    pub(crate) fn carry_on(&self, name: &str, reaction: Reaction) -> Command {
        runtime(Action::Shell(ShellAction::ContinueTurn {
            agent: agent(name),
            turn: self.turn(name),
            reaction,
        }))
    }

    pub(crate) fn fail_agent(&self, name: &str) -> Command {
        let turn = self.memory(name).turn.as_ref().map(|turn| turn.id);
        runtime(Action::Shell(ShellAction::FailAgent {
            agent: agent(name),
            turn,
            code: "broken".to_owned(),
            detail: "why".to_owned(),
        }))
    }

    pub(crate) fn answer(&self, name: &str, response: LLMResponse) -> Command {
        let model = self
            .memory(name)
            .turn
            .as_ref()
            .unwrap()
            .model
            .as_ref()
            .unwrap();
        runtime(Action::Shell(ShellAction::RecordAnswer {
            agent: agent(name),
            call: model.call,
            attempt: model.attempt,
            response,
        }))
    }

    pub(crate) fn fail_model(&self, name: &str, error: ModelError) -> Command {
        let model = self
            .memory(name)
            .turn
            .as_ref()
            .unwrap()
            .model
            .as_ref()
            .unwrap();
        runtime(Action::Shell(ShellAction::RecordFailure {
            agent: agent(name),
            call: model.call,
            attempt: model.attempt,
            error,
        }))
    }

    pub(crate) fn retry(&self, name: &str) -> Command {
        let call = self
            .memory(name)
            .turn
            .as_ref()
            .unwrap()
            .model
            .as_ref()
            .unwrap()
            .call;
        runtime(Action::Shell(ShellAction::RetryModel {
            agent: agent(name),
            call,
        }))
    }

    pub(crate) fn stream(&self, name: &str) -> Command {
        let model = self
            .memory(name)
            .turn
            .as_ref()
            .unwrap()
            .model
            .as_ref()
            .unwrap();
        runtime(Action::Shell(ShellAction::StartStream {
            agent: agent(name),
            call: model.call,
            attempt: model.attempt,
        }))
    }

    pub(crate) fn start(&self, name: &str, n: usize, attempt: u32) -> Command {
        let (agent, call) = (agent(name), self.call(name, n));
        runtime(Action::Shell(ShellAction::StartTool {
            agent,
            call,
            attempt: Attempt(attempt),
        }))
    }

    pub(crate) fn finish(
        &self,
        name: &str,
        n: usize,
        attempt: u32,
        outcome: ToolOutcome,
    ) -> Command {
        let (agent, call) = (agent(name), self.call(name, n));
        runtime(Action::Shell(ShellAction::FinishTool {
            agent,
            call,
            attempt: Attempt(attempt),
            outcome,
            progress: None,
        }))
    }

    pub(crate) fn time_out(&self, name: &str, n: usize, attempt: u32) -> Command {
        let (agent, call) = (agent(name), self.call(name, n));
        runtime(Action::Shell(ShellAction::TimeOutTool {
            agent,
            call,
            attempt: Attempt(attempt),
        }))
    }

    pub(crate) fn reconcile(&self, name: &str, n: usize, result: Reconciliation) -> Command {
        runtime(Action::Shell(ShellAction::RecordReconcile {
            agent: agent(name),
            call: self.call(name, n),
            result,
        }))
    }

    pub(crate) fn declare(&self, name: &str, n: usize) -> Command {
        runtime(Action::Shell(ShellAction::DeclareUnknown {
            agent: agent(name),
            call: self.call(name, n),
        }))
    }
}

/// The verbs.
impl Past {
    pub(crate) fn said(self, said: &str) -> Self {
        self.then(post(said))
    }

    pub(crate) fn woke(self, name: &str) -> Self {
        let command = self.wake(name, ask());
        self.then(command)
    }

    pub(crate) fn answered(self, name: &str, response: LLMResponse) -> Self {
        let command = self.answer(name, response);
        self.then(command)
    }

    pub(crate) fn carried_on(self, name: &str) -> Self {
        let command = self.carry_on(name, ask());
        self.then(command)
    }

    pub(crate) fn started(self, name: &str, n: usize, attempt: u32) -> Self {
        let command = self.start(name, n, attempt);
        self.then(command)
    }

    pub(crate) fn finished(self, name: &str, n: usize, attempt: u32, outcome: ToolOutcome) -> Self {
        let command = self.finish(name, n, attempt, outcome);
        self.then(command)
    }

    pub(crate) fn model_failed(self, name: &str, kind: ModelErrorKind) -> Self {
        let command = self.fail_model(name, ModelError::new(kind, "d"));
        self.then(command)
    }

    pub(crate) fn crashed(self) -> Self {
        self.then(reopen())
    }

    /// The signature that is owed is made.
    pub(crate) fn signed(self) -> Self {
        let owed = self.owed();
        let signature = owed
            .iter()
            .find(|effect| matches!(effect, Effect::Sign { .. }))
            .unwrap();
        let action = upkeep(&self.world, signature);
        self.then(runtime(action))
    }

    /// The world that is branched off this one as it stands, and goes on in its place.
    pub(crate) fn forked(self) -> Self {
        let command = fork_of(&self.world);
        self.then(command)
    }

    /// Somebody asked bob, and his model answered with calls.
    pub(crate) fn bob_calls(self, wanted: &[(&str, &str)]) -> Self {
        self.said("@bob do it")
            .woke("bob")
            .answered("bob", calls(wanted))
    }
}

/// Does what is owed to the log itself: nothing that a world decides hangs on what the signature is.
pub(crate) fn upkeep(world: &World, effect: &Effect) -> Action {
    match effect {
        Effect::Sign { occasion, .. } => Action::Shell(ShellAction::Sign {
            head: TreeHead {
                of: world.head(),
                commits: 1,
                root: Digest::of(&[]),
            },
            key: world.upkeep().signer().unwrap().to_owned(),
            signature: "signature".to_owned(),
            occasion: *occasion,
        }),
        Effect::Erase { request } => Action::Shell(ShellAction::RecordErased {
            request: *request,
            events: 1,
            files: 0,
        }),
        Effect::Wake { .. }
        | Effect::Continue { .. }
        | Effect::CallModel { .. }
        | Effect::RetryModel { .. }
        | Effect::RunTool { .. }
        | Effect::Reconcile { .. }
        | Effect::DeclareUnknown { .. }
        | Effect::TickAt { .. } => panic!("{effect:?} is owed to somebody else"),
    }
}
