//! Who is told what, and when.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use folkmoot::core::event::{CallEvent, Event};
use folkmoot::core::model::response::{LLMResponse, ModelError};
use folkmoot::core::port::{
    Agent, AgentError, Drafts, Model, ModelCall, Reaction, TextEvent, ToolResultEvent, TurnView,
};
use folkmoot::core::prompt::Item;
use folkmoot::core::tool::{EffectClass, ToolOutcome};
use folkmoot::core::world::Activity;
use folkmoot::{Post, Store};
use folkmoot_tests::{FakeModel, FakeTool, Room, agent_name, person, says, wants};
use tokio::sync::{Barrier, Notify, Semaphore};

use super::events;

#[tokio::test]
async fn tools_of_one_answer_run_at_once_and_report_in_the_order_of_the_answer() {
    let model = FakeModel::new([wants(&["first", "second", "third"]), says("done")]);
    let all_run = Arc::new(Barrier::new(3));
    // Each tool ends only once the one behind it has: they end in the opposite order.
    let ended: Vec<Arc<Semaphore>> = (0..4).map(|_| Arc::new(Semaphore::new(0))).collect();
    ended[3].add_permits(1);
    let tool = |number: usize, name: &'static str| {
        let (all_run, own, next) = (
            Arc::clone(&all_run),
            Arc::clone(&ended[number]),
            Arc::clone(&ended[number + 1]),
        );
        FakeTool::new(name, EffectClass::Read, move |_call| {
            let (all_run, own, next) = (Arc::clone(&all_run), Arc::clone(&own), Arc::clone(&next));
            async move {
                all_run.wait().await;
                next.acquire().await.unwrap().forget();
                own.add_permits(1);
                ToolOutcome::text(name)
            }
        })
    };
    let store = Store::memory();
    let room = Room::auto().agent("a", &["first", "second", "third"], Arc::clone(&model) as _);
    let room = room
        .tool(tool(0, "first"))
        .tool(tool(1, "second"))
        .tool(tool(2, "third"));
    let (_runtime, world) = room.open(&store).await;
    person(&world, "ada")
        .publish_message(Post::text("go"))
        .await
        .unwrap();
    assert_eq!(world.quiet().await, Ok(Activity::Idle));

    let asked = model.asked();
    let results: Vec<_> = asked[1]
        .request
        .items()
        .iter()
        .skip(2)
        .map(|item| item.to_plain())
        .collect();
    let result = |label: &str, text: &str| Item::Result {
        label: label.to_owned(),
        text: format!("<tool_output>{text}</tool_output>"),
        failed: false,
    };
    assert_eq!(
        results,
        [
            result("label-0", "first"),
            result("label-1", "second"),
            result("label-2", "third")
        ]
    );
    let finished = events(&store)
        .await
        .into_iter()
        .filter(|event| matches!(event, Event::Call(CallEvent::ToolFinished(_))));
    let started = events(&store)
        .await
        .into_iter()
        .filter(|event| matches!(event, Event::Call(CallEvent::ToolStarted(_))));
    let call = |event: Event| match event {
        Event::Call(CallEvent::ToolFinished(event)) => event.call,
        Event::Call(CallEvent::ToolStarted(event)) => event.call,
        other => panic!("{other:?}"),
    };
    let (finished, mut started): (Vec<_>, Vec<_>) =
        (finished.map(call).collect(), started.map(call).collect());
    started.reverse();
    assert_eq!(finished, started, "they ended in the opposite order");
}

/// An agent in code that counts how often it is told anything.
#[derive(Debug, Default)]
struct Counting {
    texts: AtomicUsize,
    results: AtomicUsize,
    /// What it answers to its first text.
    first: Option<LLMResponse>,
}

impl Counting {
    fn told(&self) -> (usize, usize) {
        (
            self.texts.load(Ordering::SeqCst),
            self.results.load(Ordering::SeqCst),
        )
    }
}

#[async_trait]
impl Agent for Counting {
    async fn on_text(&self, _view: &TurnView, _news: &[TextEvent]) -> Result<Reaction, AgentError> {
        let told = self.texts.fetch_add(1, Ordering::SeqCst);
        Ok(match &self.first {
            Some(response) if told == 0 => Reaction::Answer {
                response: response.clone(),
                note: None,
            },
            Some(_) | None => Reaction::Pass { note: None },
        })
    }

    async fn on_tool_results(
        &self,
        view: &TurnView,
        results: &[ToolResultEvent],
    ) -> Result<Reaction, AgentError> {
        assert!(
            results.iter().all(|result| *result.agent() == view.agent),
            "a result of another agent's call"
        );
        self.results.fetch_add(1, Ordering::SeqCst);
        Ok(Reaction::Pass { note: None })
    }
}

#[tokio::test]
async fn only_the_addressed_agent_is_told_anything() {
    let agents: Vec<Arc<Counting>> = (0..3)
        .map(|number| {
            Arc::new(Counting {
                first: (number == 1).then(|| wants(&["look"])),
                ..Counting::default()
            })
        })
        .collect();
    let store = Store::memory();
    let mut room = Room::auto().tool(FakeTool::new("look", EffectClass::Read, |_| async {
        ToolOutcome::text("seen")
    }));
    for (name, agent) in ["a", "b", "c"].iter().zip(&agents) {
        room = room.code(name, &["look"], Arc::clone(agent) as _);
    }
    let (_runtime, world) = room.open(&store).await;
    let mut results = person(&world, "ada")
        .subscribe_tool_results(&agent_name("b"))
        .await
        .unwrap();
    person(&world, "ada")
        .publish_message(Post::text("@b look around"))
        .await
        .unwrap();
    world.quiet().await.unwrap();
    assert_eq!(
        agents.iter().map(|agent| agent.told()).collect::<Vec<_>>(),
        [(0, 0), (1, 1), (0, 0)]
    );
    let result = results.next().await.unwrap().unwrap();
    assert_eq!(
        (result.agent(), result.text(), result.has_failed()),
        (&agent_name("b"), "seen", false)
    );

    person(&world, "ada")
        .publish_message(Post::text("@c and\n@a too"))
        .await
        .unwrap();
    world.quiet().await.unwrap();
    assert_eq!(
        agents.iter().map(|agent| agent.told()).collect::<Vec<_>>(),
        [(1, 0), (1, 1), (1, 0)]
    );
}

#[tokio::test]
async fn what_no_agent_is_addressed_by_wakes_nobody() {
    let agents: Vec<Arc<Counting>> = (0..2).map(|_| Arc::default()).collect();
    let store = Store::memory();
    let talker = FakeModel::new([says("I said it to nobody in particular.")]);
    let mut room = Room::auto().agent("talker", &[], talker);
    for (name, agent) in ["a", "b"].iter().zip(&agents) {
        room = room.code(name, &[], Arc::clone(agent) as _);
    }
    let (_runtime, world) = room.open(&store).await;
    person(&world, "ada")
        .publish_message(Post::text("@talker well?"))
        .await
        .unwrap();
    world.quiet().await.unwrap();
    person(&world, "ada")
        .publish_message(Post::text("@nobody well?"))
        .await
        .unwrap();
    world.quiet().await.unwrap();
    assert_eq!(
        agents.iter().map(|agent| agent.told()).collect::<Vec<_>>(),
        [(0, 0), (0, 0)]
    );
}

/// A model that takes its time.
#[derive(Debug, Default)]
struct Slow {
    asked: AtomicUsize,
    go_on: Notify,
}

#[async_trait]
impl Model for Slow {
    async fn call(
        &self,
        _call: &ModelCall,
        _drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.go_on.notified().await;
        Ok(says("done"))
    }
}

#[tokio::test]
async fn a_model_that_takes_its_time_is_asked_once_whatever_happens_meanwhile() {
    let (store, slow) = (Store::memory(), Arc::new(Slow::default()));
    let (_runtime, world) = Room::auto()
        .agent("a", &[], Arc::clone(&slow) as _)
        .open(&store)
        .await;
    let ada = person(&world, "ada");
    ada.publish_message(Post::text("@a go")).await.unwrap();
    while slow.asked.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    for _ in 0..5 {
        ada.publish_message(Post::text("@nobody hi")).await.unwrap();
        tokio::task::yield_now().await;
    }
    assert_eq!(slow.asked.load(Ordering::SeqCst), 1);
    slow.go_on.notify_one();
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
    assert_eq!(slow.asked.load(Ordering::SeqCst), 1);
}
