//! What deciding a recorded log again costs, beside folding it: exchanges of a person and ten agents with a model.

use std::error::Error;

use criterion::{Criterion, Throughput, criterion_group};
use folkmoot_core::audit::{Auditor, Finding};
use folkmoot_core::command::commit::Commit;
use folkmoot_core::command::{Action, Command, ShellAction, TalkAction, WorldAction};
use folkmoot_core::event::ClockKind;
use folkmoot_core::ids::principal::{Person, Principal};
use folkmoot_core::ids::{
    AgentName, Attempt, ModelCallId, ModelName, NodeId, PersonName, Seed, Stamp, Time, WorldId,
    WorldName,
};
use folkmoot_core::model::Parameters;
use folkmoot_core::model::response::LLMResponse;
use folkmoot_core::port::Reaction;
use folkmoot_core::spec::{AgentSpec, Definition, ModelSpec, SpecText, WorldSpec};
use folkmoot_core::world::World;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

const AGENTS: usize = 10;
/// Three commits each.
const EXCHANGES: usize = 3_000;

#[derive(Default)]
struct Log {
    world: World,
    commits: Vec<Commit>,
}

impl Log {
    fn give(&mut self, command: &Command) {
        let stamp = self.world.stamp(Time::SIMULATED_START, Seed::new([0; 16]));
        let decision = self.world.decide(command, &stamp);
        if let Some(commit) = self.world.commit(command, &stamp, &decision) {
            self.world.apply(&commit);
            self.commits.push(commit);
        }
    }

    fn of(exchanges: usize) -> Fallible<Self> {
        let model = ModelName::new("main")?;
        let names = (0..AGENTS)
            .map(|n| AgentName::new(format!("agent-{n}")))
            .collect::<Result<Vec<_>, _>>()?;
        let agents = names
            .iter()
            .map(|name| AgentSpec::new(name.clone(), Some(model.clone())))
            .collect();
        let models = [(model, ModelSpec::new("scripted", "m-1"))].into();
        let spec = WorldSpec {
            agents,
            models,
            ..WorldSpec::default()
        };
        let stamp = Stamp {
            time: Time::SIMULATED_START,
            seed: Seed::new([0; 16]),
        };
        let (world, node) = (WorldId::from_stamp(&stamp), NodeId::from_stamp(&stamp));
        let definition = Definition {
            spec,
            text: SpecText::default().into(),
            source: None,
        };
        let (name, clock) = (WorldName::new("room")?, ClockKind::Simulated);
        let mut log = Self::default();
        log.give(&Command::of_runtime(Action::World(WorldAction::Create {
            world,
            name,
            clock,
            base: None,
            definition,
            node,
            signer: None,
            copy: None,
            labelled: Default::default(),
        })));
        let display = PersonName::new("ada")?;
        let ada = Principal::Person(Person {
            method: "bench".to_owned(),
            subject: "ada".to_owned(),
            display,
        });
        for (number, agent) in (0..exchanges).zip(names.iter().cycle()) {
            log.exchange(&ada, agent, number);
        }
        Ok(log)
    }

    /// A message to one agent, the request to its model, and the answer.
    fn exchange(&mut self, ada: &Principal, agent: &AgentName, number: usize) {
        let text =
            format!("@{agent} please look at number {number}, and tell me what you think of it");
        self.give(&Command::of(
            ada.clone(),
            Action::Talk(TalkAction::PostMessage {
                text,
                attachments: Vec::new(),
                reply_to: None,
            }),
        ));
        let (horizon, reaction) = (self.world.head(), Reaction::AskModel(Parameters::default()));
        self.give(&Command::of_runtime(Action::Shell(ShellAction::OpenTurn {
            agent: agent.clone(),
            horizon,
            reaction,
        })));
        let (call, attempt) = (ModelCallId(self.world.head()), Attempt(1));
        let response = LLMResponse::text(format!(
            "@ada number {number} is as it should be, as far as I can see"
        ));
        self.give(&Command::of_runtime(Action::Shell(
            ShellAction::RecordAnswer {
                agent: agent.clone(),
                call,
                attempt,
                response,
            },
        )));
    }
}

/// How many commits of `log` came out as they were.
fn audited(log: &[Commit]) -> usize {
    let mut auditor = Auditor::default();
    log.iter()
        .filter(|commit| auditor.take(commit) == Finding::Decided)
        .count()
}

fn folded(log: &[Commit]) -> World {
    let mut world = World::default();
    log.iter().for_each(|commit| world.apply(commit));
    world
}

fn audit(criterion: &mut Criterion) {
    let log = Log::of(EXCHANGES)
        .map(|log| log.commits)
        .unwrap_or_default();
    assert!(
        log.len() > 3 * EXCHANGES && audited(&log) == log.len(),
        "the log is not what the bench is about"
    );
    let mut group = criterion.benchmark_group("a log of ten agents with a model");
    group.throughput(Throughput::Elements(
        u64::try_from(log.len()).unwrap_or_default(),
    ));
    group.sample_size(10);
    group.bench_function("folded", |bencher| bencher.iter(|| folded(&log)));
    group.bench_function("decided again and folded", |bencher| {
        bencher.iter(|| audited(&log))
    });
    group.finish();
}

criterion_group!(benches, audit);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
}
