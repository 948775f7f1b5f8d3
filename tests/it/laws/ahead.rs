//! A room decides what needs nothing from outside before it appends, and nobody sees that it did.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use folkmoot::core::command::CommandKind;
use folkmoot::core::command::Judgement;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::Verdict;
use folkmoot::core::ids::Incarnation;
use folkmoot::core::model::Parameters;
use folkmoot::core::port::{
    Agent, AgentError, AppendError, Appended, EventLog, Reaction, TextEvent, ToolResultEvent,
    TurnView,
};
use folkmoot::core::tool::{EffectClass, ToolOutcome};
use folkmoot::store::{FailingEngine, MemoryEngine};
use folkmoot::{Gatekeeper, Post, Store};
use folkmoot_tests::{
    FakeModel, FakeTool, Hold, Room, agent_name, commits_of, person, room_name, says, wants,
};
use tokio::sync::mpsc;

/// Writes down which commands come in one append.
#[derive(Debug, Default)]
struct Groups(Mutex<Vec<Vec<CommandKind>>>);

#[async_trait]
impl Gatekeeper for Groups {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        let kinds = commits.iter().map(|commit| commit.header.command);
        self.0.lock().unwrap().push(kinds.collect());
        log.append(incarnation, commits).await
    }

    fn read(&self, _commits: usize) {}
}

fn room(rounds: usize) -> Room {
    let answers = (0..rounds).map(|_| wants(&["look"])).chain([says("done")]);
    let tool = FakeTool::new("look", EffectClass::Read, |_call| async {
        ToolOutcome::text("seen")
    });
    Room::auto()
        .agent("a", &["look"], FakeModel::new(answers))
        .tool(tool)
}

#[tokio::test]
async fn a_round_of_a_tool_call_costs_two_appends() {
    let (store, groups) = (Store::memory(), Arc::new(Groups::default()));
    let (_runtime, world) = room(2).open_through(&store, Arc::clone(&groups) as _).await;
    let seat = person(&world, "ada");
    seat.publish_message(Post::text("go")).await.unwrap();
    world.quiet().await.unwrap();
    let round = [
        vec![CommandKind::RecordAnswer, CommandKind::StartTool],
        vec![CommandKind::FinishTool, CommandKind::ContinueTurn],
    ];
    let expected = [
        vec![
            vec![CommandKind::Create],
            vec![CommandKind::PostMessage, CommandKind::OpenTurn],
        ],
        round.to_vec(),
        round.to_vec(),
        vec![vec![CommandKind::RecordAnswer]],
    ];
    assert_eq!(*groups.0.lock().unwrap(), expected.concat());
}

#[derive(Debug, PartialEq, Eq)]
enum Heard {
    News(usize),
    Results(usize),
}

/// An agent whose reaction stands, and who listens all the same.
#[derive(Debug)]
struct Listener(mpsc::UnboundedSender<Heard>);

#[async_trait]
impl Agent for Listener {
    fn standing(&self) -> Option<Parameters> {
        Some(Parameters::default())
    }

    async fn on_text(&self, _: &TurnView, news: &[TextEvent]) -> Result<Reaction, AgentError> {
        self.0.send(Heard::News(news.len())).unwrap();
        Ok(Reaction::Pass { note: None })
    }

    async fn on_tool_results(
        &self,
        _: &TurnView,
        results: &[ToolResultEvent],
    ) -> Result<Reaction, AgentError> {
        self.0.send(Heard::Results(results.len())).unwrap();
        Ok(Reaction::Pass { note: None })
    }
}

#[tokio::test]
async fn an_agent_whose_reaction_stands_is_told_what_is_durable() {
    let (store, hold) = (Store::memory(), Arc::new(Hold::default()));
    let (told, mut heard) = mpsc::unbounded_channel();
    let room = room(1).behind("a", Arc::new(Listener(told)));
    hold.release(1);
    let (_runtime, world) = room.open_through(&store, Arc::clone(&hold) as _).await;
    hold.arrival().await;
    let seat = person(&world, "ada");
    let posting = tokio::spawn(async move { seat.publish_message(Post::text("go")).await });
    hold.arrival().await;
    assert!(heard.try_recv().is_err(), "it was told before the append");
    hold.release(100);
    posting.await.unwrap().unwrap();
    world.quiet().await.unwrap();
    for expected in [Heard::News(1), Heard::Results(1)] {
        let next = tokio::time::timeout(Duration::from_secs(60), heard.recv());
        assert_eq!(next.await.unwrap(), Some(expected));
    }
}

#[tokio::test]
async fn a_world_that_cannot_read_its_log_keeps_what_it_has_just_decided() {
    let engine = Arc::new(FailingEngine::after(
        u64::MAX,
        Arc::new(MemoryEngine::new()),
    ));
    let store = Store::with_engine(Arc::clone(&engine) as _).unwrap();
    let tool = FakeTool::new("wipe", EffectClass::Destructive, |_call| async {
        ToolOutcome::text("all gone")
    });
    let model = FakeModel::new([wants(&["wipe"]), says("wiped")]);
    let room = Room::asking().agent("a", &["wipe"], model).tool(tool);
    let (_runtime, world) = room.open(&store).await;
    let ada = person(&world, "ada");
    ada.publish_message(Post::text("go")).await.unwrap();
    world.quiet().await.unwrap();
    let pending = ada.read(|world| world.consent().pending().keys().next().copied());
    let request = pending.await.unwrap().unwrap();

    engine.let_reads_through(0);
    let allowed = Judgement::new(Verdict::Allow);
    // The start of the call is read from the log, so the world stops behind the decision.
    let _stopped = ada.decide(&agent_name("a"), request, allowed, None).await;
    world.quiet().await.unwrap_err();
    engine.let_reads_through(u64::MAX);
    let commits = commits_of(&store, &room_name()).await;
    let last = commits.last().map(|commit| commit.header.command);
    assert_eq!(last, Some(CommandKind::Decide));

    let (_runtime, world) = room.open(&store).await;
    world.quiet().await.unwrap();
    let commits = commits_of(&store, &room_name()).await;
    let finished = commits.iter().map(|commit| commit.header.command);
    let finished = finished.filter(|command| *command == CommandKind::FinishTool);
    assert_eq!(finished.count(), 1);
}
