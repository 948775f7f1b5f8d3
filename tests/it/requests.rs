//! What models are asked, in every script: each request extends the one before it, and no call is without its result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Event, ModelCalled, Purpose, TurnEvent};
use folkmoot::core::ids::AgentName;
use folkmoot::core::model::response::Part;
use folkmoot::core::prompt::{Item, ModelRequest};
use folkmoot::core::world::World;
use folkmoot_tests::{Cut, Kept, Stage, commits_of};

use crate::scripts;

/// The requests of a log, held against the laws as they are made.
#[derive(Default)]
struct Requests {
    last: BTreeMap<AgentName, Vec<Arc<Item>>>,
    broken: BTreeSet<AgentName>,
    purposes: Vec<Purpose>,
}

impl Requests {
    fn take(&mut self, commit: &Commit, world: &World) {
        for event in &commit.events {
            if let Event::Turn(TurnEvent::PrefixBroken(broken)) = event {
                self.broken.insert(broken.agent.clone());
            }
        }
        for event in &commit.events {
            if let Event::Turn(TurnEvent::ModelCalled(called)) = event {
                let ask = world.model_ask(&called.agent).unwrap();
                assert_eq!(ask.purpose, called.purpose);
                self.asked(called, &ask.request);
            }
        }
    }

    fn asked(&mut self, called: &ModelCalled, request: &ModelRequest) {
        assert_eq!(
            (request.fingerprint(), request.items().len()),
            (called.fingerprint, called.items as usize)
        );
        every_call_has_its_result(request.items());
        self.purposes.push(called.purpose);
        if called.purpose == Purpose::Compaction {
            return;
        }
        let before = self
            .last
            .insert(called.agent.clone(), request.items().to_vec())
            .unwrap_or_default();
        let extends = request.items().starts_with(&before);
        assert!(
            self.broken.remove(&called.agent) || extends,
            "{} is asked something else at {}",
            called.agent,
            called.call
        );
    }
}

/// The results of an answer's calls stand right behind it, in their order.
fn every_call_has_its_result(items: &[Arc<Item>]) {
    let mut open: Vec<&str> = Vec::new();
    for item in items {
        match &**item {
            Item::Result { label, .. } => assert_eq!(open.pop(), Some(label.as_str()), "{items:?}"),
            Item::Said { parts } => {
                assert!(open.is_empty(), "{items:?}");
                open = parts.iter().rev().filter_map(label).collect();
            }
            Item::Heard { .. }
            | Item::Notice { .. }
            | Item::State { .. }
            | Item::Summary { .. } => {
                assert!(open.is_empty(), "{items:?}")
            }
        }
    }
    assert!(open.is_empty(), "{items:?}");
}

fn label(part: &Part) -> Option<&str> {
    if let Part::Call(call) = part {
        Some(call.label.as_str())
    } else {
        None
    }
}

#[tokio::test]
async fn requests_of_every_script_extend_one_another_and_pair_their_calls() {
    let mut all = Vec::new();
    for file in scripts::all() {
        let stage = Stage::of(&file, Kept::InMemory);
        let runtime = stage.runtime(crate::helper(), Arc::new(Cut::never(&stage.probe)));
        stage.run(&runtime).await.unwrap();
        runtime.shutdown().await;
        let (mut world, mut requests) = (World::default(), Requests::default());
        for commit in commits_of(stage.store(), &stage.script.world).await {
            world.apply(&commit);
            requests.take(&commit, &world);
        }
        all.extend(requests.purposes);
    }
    assert!(
        [Purpose::Turn, Purpose::Compaction]
            .iter()
            .all(|purpose| all.contains(purpose)),
        "{all:?}"
    );
}
