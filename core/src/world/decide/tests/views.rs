//! What a tool's output becomes on its way to the model and to people.

use serde_json::{Value, json};

use crate::command::{Action, WorldAction};
use crate::event::{CallEvent, Event, ToolFinished, WarningRecorded, WorldEvent};
use crate::ids::ArtifactName;
use crate::prompt::Item;
use crate::spec::WorldSpec;
use crate::testing::*;
use crate::tool::{
    Artifact, ArtifactField, ArtifactSpec, FieldForm, Table, ToolOutcome, ToolOutput, ToolSpec,
    View, ViewPolicy,
};
use crate::world::projection::ToolResultProjection;

fn kind(name: &str) -> ArtifactName {
    ArtifactName::new(name).unwrap()
}

/// `look` gives estimates, and a model may read what `view` says.
fn room_of_estimates(view: ViewPolicy) -> WorldSpec {
    room_with(|spec| {
        let look = spec.tools.get_mut(&tool("look")).unwrap();
        look.view = view;
        let schema = json!({ "type": "object", "required": ["cost"], "properties": { "cost": { "type": "integer" } } });
        let cost = ArtifactField {
            path: "/cost".into(),
            label: "Cost".into(),
            form: FieldForm::Money("USD".into()),
        };
        let estimate = ArtifactSpec {
            title: "Estimate".into(),
            schema,
            fields: vec![cost],
        };
        look.artifacts.insert(kind("estimate"), estimate);
    })
}

fn artifact(name: &str, data: Value) -> View {
    View::Artifact(Artifact {
        kind: kind(name),
        data,
    })
}

const CANARIES: [u32; 6] = [771_000, 771_003, 771_010, 771_021, 771_044, 771_101];

fn canaries() -> View {
    let rows = CANARIES
        .map(|rent| vec![json!(format!("canary-{rent}")), json!(rent)])
        .into();
    View::Table(Table {
        title: None,
        columns: vec!["name".into(), "rent".into()],
        rows,
    })
}

/// Bob's call of `called` gave this.
fn gave(spec: WorldSpec, called: &str, output: &ToolOutput) -> Past {
    let past = Past::with(spec)
        .said("@bob do it")
        .woke("bob")
        .answered("bob", calls(&[(called, "{}")]));
    past.started("bob", 0, 1)
        .finished("bob", 0, 1, ToolOutcome::Done(output.clone()))
}

fn finished(past: &Past) -> &ToolFinished {
    let is_end = |event: &&Event| matches!(event, Event::Call(CallEvent::ToolFinished(_)));
    let Some(Event::Call(CallEvent::ToolFinished(finished))) = past.last().iter().find(is_end)
    else {
        panic!("it goes on")
    };
    finished
}

fn read_by_bob(past: &Past) -> String {
    let result = |item: &Item| {
        if let Item::Result { text, .. } = item {
            Some(text.to_string())
        } else {
            None
        }
    };
    past.memory("bob")
        .items
        .iter()
        .rev()
        .find_map(|kept| result(&kept.item))
        .unwrap()
}

#[test]
fn artifact_that_fits_its_kind_is_shown() {
    let output = ToolOutput::text("about 1200").with(artifact("estimate", json!({ "cost": 1200 })));
    let past = gave(room_of_estimates(ViewPolicy::Full), "look", &output);
    assert_eq!(past.last().len(), 1);
    assert_eq!(
        finished(&past).views().cloned().collect::<Vec<_>>(),
        output.views
    );
    assert_eq!(
        past.world.tool_results(&agent("bob"))[0].views(),
        output.views
    );
}

#[test]
fn artifact_that_does_not_fit_is_recorded_and_not_shown_and_the_text_stays() {
    let output = ToolOutput::text("about 1200")
        .with(artifact("estimate", json!({ "cost": "a lot" })))
        .with(View::Text("seen".into()))
        .with(artifact("estimation", json!({ "cost": 1200 })));
    let past = gave(room_of_estimates(ViewPolicy::Full), "look", &output);
    let code = "artifact_dropped".to_owned();
    let warning = Event::World(WorldEvent::WarningRecorded(WarningRecorded {
        code,
        agent: Some(agent("bob")),
    }));
    assert_eq!(past.last()[0], warning);
    let done = finished(&past);
    assert_eq!(
        (&done.dropped[..], done.outcome.present()),
        (&[0, 2][..], Some(&Some(ToolOutcome::Done(output))))
    );
    assert_eq!(
        done.views().collect::<Vec<_>>(),
        [&View::Text("seen".into())]
    );
    assert_eq!(
        past.world.tool_results(&agent("bob"))[0].views(),
        [View::Text("seen".into())]
    );
    assert_eq!(read_by_bob(&past), "<tool_output>about 1200</tool_output>");
}

#[test]
fn tool_cannot_give_a_kind_that_another_one_declares() {
    let output = ToolOutput::text("ok").with(artifact("estimate", json!({ "cost": 1200 })));
    let spec = room_of_estimates(ViewPolicy::Full);
    let peek = ToolSpec {
        name: tool("peek"),
        artifacts: [].into(),
        ..spec.tools[&tool("look")].clone()
    };
    let mut spec = WorldSpec {
        tools: spec
            .tools
            .into_iter()
            .chain([(tool("peek"), peek)])
            .collect(),
        ..spec
    };
    spec.agents[0].tools.push(tool("peek"));
    let past = gave(spec, "peek", &output);
    assert_eq!(finished(&past).views().count(), 0);
}

#[test]
fn no_row_reaches_the_memory_of_an_agent_whose_tool_keeps_rows_back() {
    let output = ToolOutput::text("canary-text").with(canaries());
    for view in [
        ViewPolicy::Aggregates { rows_min: 5 },
        ViewPolicy::Summary,
        ViewPolicy::None,
    ] {
        let past = gave(room_of_estimates(view), "look", &output);
        let memory = serde_json::to_string(&past.memory("bob").items).unwrap();
        assert!(!memory.contains("canary"), "{memory}");
        assert!(
            !CANARIES
                .iter()
                .any(|rent| memory.contains(&rent.to_string())),
            "{memory}"
        );
    }
    let counted = gave(
        room_of_estimates(ViewPolicy::Aggregates { rows_min: 5 }),
        "look",
        &output,
    );
    assert!(read_by_bob(&counted).starts_with("<tool_output>A table of 6 rows."));
}

#[test]
fn policy_is_that_of_the_turn_and_the_channel_of_results_says_the_same() {
    let output = ToolOutput::text("canary-text");
    let past = Past::with(room_of_estimates(ViewPolicy::None))
        .said("@bob do it")
        .woke("bob");
    let past = past
        .answered("bob", calls(&[("look", "{}")]))
        .started("bob", 0, 1);
    let revised = runtime(Action::World(WorldAction::Revise {
        definition: definition(room_of_estimates(ViewPolicy::Full)),
    }));
    let past = past.then(revised);
    let mut channel = ToolResultProjection::of(&past.world, &agent("bob"));
    let past = past.finished("bob", 0, 1, ToolOutcome::Done(output));
    assert!(!read_by_bob(&past).contains("canary"));
    assert_eq!(
        channel.take(past.commits.last().unwrap()),
        past.world.tool_results(&agent("bob"))
    );
}

#[test]
fn result_that_was_read_whole_does_not_stand_for_one_of_which_less_may_be_read() {
    let memoises = |view| {
        let mut spec = room_of_estimates(view);
        spec.tools.get_mut(&tool("look")).unwrap().memoises = true;
        spec
    };
    let past = gave(
        memoises(ViewPolicy::Full),
        "look",
        &ToolOutput::text("canary-text"),
    );
    let past = past.carried_on("bob").answered("bob", text("Done."));
    let past = past.then(runtime(Action::World(WorldAction::Revise {
        definition: definition(memoises(ViewPolicy::None)),
    })));
    let past = past
        .said("@bob again")
        .woke("bob")
        .answered("bob", calls(&[("look", "{}")]));
    assert!(
        !past
            .last()
            .iter()
            .any(|event| matches!(event, Event::Call(CallEvent::ToolFinished(_)))),
        "{:?}",
        past.last()
    );
}
