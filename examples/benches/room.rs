//! What one message costs: posted, routed, taken up by the agent that it addresses, folded. It must grow neither with
//! what was said before nor with who else is in the room.

use std::error::Error;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, criterion_group};
use folkmoot::core::command::{Action, Command, ShellAction, TalkAction, WorldAction};
use folkmoot::core::event::ClockKind;
use folkmoot::core::ids::principal::{Person, Principal};
use folkmoot::core::ids::{AgentName, NodeId, PersonName, Seed, Stamp, Time, WorldId, WorldName};
use folkmoot::core::port::Reaction;
use folkmoot::core::spec::{AgentSpec, Definition, SpecText, WorldSpec};
use folkmoot::core::world::World;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How many agents are addressed, in turn. The others only listen.
const ACTIVE: usize = 10;

/// A room of agents in code that listen and say nothing.
struct Room {
    world: World,
    ada: Principal,
    said: usize,
}

impl Room {
    fn of(agents: usize) -> Fallible<Self> {
        let names = (0..agents).map(|n| AgentName::new(format!("agent-{n}")));
        let agents = names
            .map(|name| Ok(AgentSpec::new(name?, None)))
            .collect::<Fallible<Vec<_>>>()?;
        let spec = WorldSpec {
            agents,
            ..WorldSpec::default()
        };
        let stamp = Stamp {
            time: Time::SIMULATED_START,
            seed: Seed::new([0; 16]),
        };
        let create = Action::World(WorldAction::Create {
            world: WorldId::from_stamp(&stamp),
            name: WorldName::new("room")?,
            clock: ClockKind::Simulated,
            base: None,
            definition: Definition {
                spec,
                text: SpecText::default().into(),
                source: None,
            },
            node: NodeId::from_stamp(&stamp),
            signer: None,
            copy: None,
            labelled: Default::default(),
        });
        let display = PersonName::new("ada")?;
        let ada = Principal::Person(Person {
            method: "bench".to_owned(),
            subject: "ada".to_owned(),
            display,
        });
        let mut room = Self {
            world: World::default(),
            ada,
            said: 0,
        };
        room.give(&Command::of_runtime(create));
        Ok(room)
    }

    /// The same room after `messages` messages.
    fn after(mut self, messages: usize) -> Fallible<Self> {
        for _ in 0..messages {
            self.exchange()?;
        }
        Ok(self)
    }

    /// One message to one agent, who takes it up.
    fn exchange(&mut self) -> Fallible<()> {
        let place = self.said % ACTIVE;
        let agent = self
            .world
            .rules()
            .spec()
            .agents
            .get(place)
            .ok_or("nobody is here")?
            .name
            .clone();
        let text = format!(
            "@{agent} please look at number {}, and tell me what you think of it",
            self.said
        );
        let post = Action::Talk(TalkAction::PostMessage {
            text,
            attachments: Vec::new(),
            reply_to: None,
        });
        self.give(&Command::of(self.ada.clone(), post));
        let (horizon, reaction) = (self.world.head(), Reaction::Pass { note: None });
        self.give(&Command::of_runtime(Action::Shell(ShellAction::OpenTurn {
            agent,
            horizon,
            reaction,
        })));
        self.said += 1;
        Ok(())
    }

    fn give(&mut self, command: &Command) {
        let stamp = self.world.stamp(Time::SIMULATED_START, Seed::new([0; 16]));
        let decision = self.world.decide(command, &stamp);
        if let Some(commit) = self.world.commit(command, &stamp, &decision) {
            self.world.apply(&commit);
        }
    }
}

/// How long `messages` messages take in rooms of `agents` agents that have heard `before` already, and at most as many
/// again: each room lives through its own past, as a real one does.
fn timed(agents: usize, before: usize, messages: u64) -> Fallible<Duration> {
    let (mut took, mut left) = (Duration::ZERO, usize::try_from(messages)?);
    while left > 0 {
        let batch = left.min(before);
        let mut room = Room::of(agents)?.after(before)?;
        let begun = Instant::now();
        for _ in 0..batch {
            room.exchange()?;
        }
        took += begun.elapsed();
        left -= batch;
    }
    Ok(took)
}

fn rooms(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a message in a room of 200 agents");
    for before in [100, 1_000, 10_000] {
        let id = BenchmarkId::new("after messages", before);
        group.bench_function(id, |bencher| {
            bencher.iter_custom(|messages| sure(timed(200, before, messages)))
        });
    }
    group.finish();
    let mut group = criterion.benchmark_group("a message to one agent");
    for agents in [10, 100, 1_000, 10_000] {
        let id = BenchmarkId::new("in a room of", agents);
        group.bench_function(id, |bencher| {
            bencher.iter_custom(|messages| sure(timed(agents, 1_000, messages)))
        });
    }
    group.finish();
}

/// The time, or an absurd one that nobody takes for a result: a bench has nobody to tell of an error.
fn sure(took: Fallible<Duration>) -> Duration {
    took.unwrap_or(Duration::MAX)
}

criterion_group!(benches, rooms);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
}
