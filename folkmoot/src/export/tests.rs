use folkmoot_core::command::commit::Commit;
use folkmoot_core::command::{
    Action, Command, ConsentAction, Judgement, ShellAction, TalkAction, WorldAction,
};
use folkmoot_core::event::{CallEvent, ClockKind, Event, StoredContent, Verdict};
use folkmoot_core::ids::principal::{Person, Principal};
use folkmoot_core::ids::{
    AgentName, ArtifactName, Attempt, Digest, MessageId, ModelName, NodeId, PersonName, Seed,
    Stamp, Time, ToolName, WorldId,
};
use folkmoot_core::model::Parameters;
use folkmoot_core::model::response::{CallPart, LLMResponse, Part, Reply};
use folkmoot_core::port::Reaction;
use folkmoot_core::spec::{AgentSpec, Definition, ModelSpec, SpecText, WorldSpec};
use folkmoot_core::tool::{
    Artifact, ArtifactSpec, BlobRef, EffectClass, Table, ToolOutcome, ToolOutput, ToolSpec, View,
};
use folkmoot_core::world::World;

use super::*;

mod hostile;
mod kept;
mod page;

const NAME: &str = "home";

/// A room with one agent, `bob`, who may `wipe` if a person allows it, and what happened there.
#[derive(Default)]
struct Past {
    world: World,
    commits: Vec<Commit>,
}

impl Past {
    fn began() -> Self {
        let (bob, model) = (AgentName::new("bob").unwrap(), ModelName::new("m").unwrap());
        let wipe = ToolName::new("wipe").unwrap();
        let schema = serde_json::json!({ "type": "object" });
        let spec = WorldSpec {
            agents: vec![AgentSpec {
                tools: vec![wipe.clone()],
                ..AgentSpec::new(bob, Some(model.clone()))
            }],
            models: [(model, ModelSpec::new("scripted", "m-1"))].into(),
            tools: [(
                wipe.clone(),
                ToolSpec {
                    artifacts: [(estimate(), kind())].into(),
                    ..ToolSpec::new(wipe, EffectClass::Destructive, "It wipes.", schema)
                },
            )]
            .into(),
            ..WorldSpec::default()
        };
        let stamp = Stamp {
            time: Time(1),
            seed: Seed::new([1; 16]),
        };
        let text = SpecText {
            description: Some("A room for <tests>".to_owned()),
            ..SpecText::default()
        };
        Self::default().then(&Command::of_runtime(Action::World(WorldAction::Create {
            world: WorldId::from_stamp(&stamp),
            name: WorldName::new(NAME).unwrap(),
            clock: ClockKind::Simulated,
            base: None,
            definition: Definition {
                spec,
                text: text.into(),
                source: None,
            },
            node: NodeId::from_stamp(&stamp),
            signer: None,
            copy: None,
            labelled: Default::default(),
        })))
    }

    fn then(mut self, command: &Command) -> Self {
        let time =
            Time(Time::SIMULATED_START.0 + 1_000 * u64::try_from(self.commits.len()).unwrap());
        let stamp = self.world.stamp(time, Seed::new([0; 16]));
        let decision = self.world.decide(command, &stamp);
        assert!(decision.answer.is_ok(), "{command:?}: {decision:?}");
        let commit = self.world.commit(command, &stamp, &decision).unwrap();
        self.world.apply(&commit);
        self.commits.push(commit);
        self
    }

    fn said(self, who: &str, text: &str) -> Self {
        self.then(&Command::of(
            principal(who),
            Action::Talk(TalkAction::PostMessage {
                text: text.to_owned(),
                attachments: Vec::new(),
                reply_to: None,
            }),
        ))
    }

    fn woke(self) -> Self {
        let horizon = self.world.head();
        let reaction = Reaction::AskModel(Parameters::default());
        self.then(&Command::of_runtime(Action::Shell(ShellAction::OpenTurn {
            agent: bob(),
            horizon,
            reaction,
        })))
    }

    fn answered(self, response: LLMResponse) -> Self {
        let turn = self.world.memory(&bob()).unwrap().turn.as_ref().unwrap();
        let model = turn.model.as_ref().unwrap();
        let action = Action::Shell(ShellAction::RecordAnswer {
            agent: bob(),
            call: model.call,
            attempt: model.attempt,
            response,
        });
        self.then(&Command::of_runtime(action))
    }

    fn calls(self, arguments: &str) -> Self {
        let call = CallPart {
            label: String::new(),
            tool: "wipe".to_owned(),
            arguments: arguments.to_owned(),
        };
        self.answered(LLMResponse::Calls(Reply {
            parts: vec![Part::Call(call)],
            ..Reply::default()
        }))
    }

    fn allowed(self, who: &str, reason: &str) -> Self {
        let (request, asked) = self.world.consent().pending().iter().next().unwrap();
        let shown = self
            .commits
            .iter()
            .flat_map(|commit| &commit.events)
            .find_map(shown)
            .unwrap();
        let judgement = Judgement::new(Verdict::Allow).because(Some(reason.to_owned()));
        let judgement = judgement.having_seen(Some(shown.to_string().chars().take(8).collect()));
        let action = Action::Consent(ConsentAction::Decide {
            agent: Some(asked.agent.clone()),
            request: *request,
            judgement,
        });
        self.then(&Command::of(principal(who), action))
    }

    /// Gives a command that the room refuses, and records why.
    fn refused(mut self, command: &Command) -> Self {
        let stamp = self.world.stamp(Time::SIMULATED_START, Seed::new([0; 16]));
        let decision = self.world.decide(command, &stamp);
        assert!(decision.answer.is_err(), "{command:?}");
        let commit = self.world.commit(command, &stamp, &decision).unwrap();
        self.world.apply(&commit);
        self.commits.push(commit);
        self
    }

    fn ran(self, output: ToolOutput) -> Self {
        let call = self
            .world
            .memory(&bob())
            .unwrap()
            .turn
            .as_ref()
            .unwrap()
            .slots[0]
            .call;
        let attempt = Attempt(1);
        let past = self.then(&Command::of_runtime(Action::Shell(
            ShellAction::StartTool {
                agent: bob(),
                call,
                attempt,
            },
        )));
        let outcome = ToolOutcome::Done(output);
        past.then(&Command::of_runtime(Action::Shell(
            ShellAction::FinishTool {
                agent: bob(),
                call,
                attempt,
                outcome,
                progress: None,
            },
        )))
    }

    fn continued(self) -> Self {
        let turn = self.world.memory(&bob()).unwrap().turn.as_ref().unwrap().id;
        let reaction = Reaction::AskModel(Parameters::default());
        self.then(&Command::of_runtime(Action::Shell(
            ShellAction::ContinueTurn {
                agent: bob(),
                turn,
                reaction,
            },
        )))
    }

    fn retracted(self, at: u64) -> Self {
        let message = MessageId(Position::new(at));
        self.then(&Command::of(
            principal("ada"),
            Action::Talk(TalkAction::Retract { message }),
        ))
    }

    fn edited(self, at: u64, text: &str) -> Self {
        let action = Action::Talk(TalkAction::Edit {
            message: MessageId(Position::new(at)),
            text: text.to_owned(),
        });
        self.then(&Command::of(principal("ada"), action))
    }

    /// Everything that can happen, with these words everywhere.
    fn full_of(words: &str, who: &str) -> Self {
        // Arguments with characters that nobody sees are refused.
        let seen: String = words
            .chars()
            .filter(|c| !crate::text::is_obeyed(*c))
            .collect();
        let arguments = serde_json::json!({ "what": seen }).to_string();
        let past = Self::began()
            .said(who, words)
            .said(who, &format!("@bob {words}"))
            .woke()
            .calls(&arguments);
        let past = past
            .allowed(who, words)
            .ran(shown_as_all(words))
            .continued()
            .answered(LLMResponse::text(words));
        past.said("ada", &format!("{words} again"))
    }

    /// The same, after all that anybody wrote was erased.
    fn erased(mut self) -> Self {
        for event in self
            .commits
            .iter_mut()
            .flat_map(|commit| &mut commit.events)
        {
            let mut record = event.to_record().unwrap();
            if record.content != StoredContent::None {
                record.content = StoredContent::Erased {
                    by: Some(Position::new(9)),
                };
            }
            *event = Event::from_record(record).unwrap();
        }
        self
    }

    fn stored(&self) -> Vec<StoredCommit> {
        let link = |commit: &Commit| Digest::of(&[&commit.header.first.get().to_be_bytes()]);
        self.commits
            .iter()
            .map(|commit| StoredCommit {
                link: link(commit),
                commit: commit.clone(),
            })
            .collect()
    }

    fn export(&self, format: ExportFormat) -> String {
        self.export_with(format, &Integrity::NotChecked)
    }

    fn export_with(&self, format: ExportFormat, integrity: &Integrity) -> String {
        let mut survey = Survey::default();
        self.commits.iter().for_each(|commit| survey.take(commit));
        let name = WorldName::new(NAME).unwrap();
        let mut writer =
            FormatWriter::new(format, &name, self.world.head(), survey, integrity).unwrap();
        let mut text = writer.begin().unwrap();
        self.stored()
            .iter()
            .for_each(|stored| text.push_str(&writer.take(stored).unwrap()));
        text + &writer.end().unwrap()
    }
}

fn bob() -> AgentName {
    AgentName::new("bob").unwrap()
}

fn estimate() -> ArtifactName {
    ArtifactName::new("estimate").unwrap()
}

fn kind() -> ArtifactSpec {
    let kind = serde_json::json!({ "title": "Estimate", "schema": {}, "fields": [
        { "path": "/cost", "label": "Cost", "as": { "money_range": "USD" } },
        { "path": "/notes", "label": "Notes", "as": "bullets" },
    ] });
    serde_json::from_value(kind).unwrap()
}

/// The words, and views of every form with them.
fn shown_as_all(words: &str) -> ToolOutput {
    let table = Table {
        title: Some(words.to_owned()),
        columns: vec![words.to_owned(), "Number".to_owned()],
        rows: vec![vec![words.into(), 12.into()], vec!["b".into(), 7.into()]],
    };
    let image = BlobRef {
        blob: Digest::of(&[]),
        bytes: 7,
        media_type: "image/png".to_owned(),
    };
    let artifact = Artifact {
        kind: estimate(),
        data: serde_json::json!({ "cost": { "min": 1200, "max": 3400 }, "notes": [words] }),
    };
    ToolOutput::text(words)
        .with(View::Text(words.to_owned()))
        .with(View::Table(table))
        .with(View::Json(serde_json::json!({ words: words })))
        .with(View::Image {
            image,
            alt: words.to_owned(),
        })
        .with(View::Artifact(artifact))
}

fn principal(name: &str) -> Principal {
    let display = PersonName::new(name).unwrap();
    Principal::Person(Person {
        method: "local".to_owned(),
        subject: name.to_owned(),
        display,
    })
}

fn shown(event: &Event) -> Option<Digest> {
    if let Event::Call(CallEvent::ApprovalRequested(asked)) = event {
        Some(asked.shown)
    } else {
        None
    }
}
