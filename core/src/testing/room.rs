//! The room of the tests: two agents with a model, one in code, and a tool of each kind.

use serde_json::json;

use crate::command::{Action, WorldAction};
use crate::event::{ClockKind, Labelled};
use crate::ids::principal::{Person, Principal};
use crate::ids::{
    AgentName, CopyId, Digest, ModelName, NodeId, PersonName, Seed, Stamp, Time, ToolName, WorldId,
    WorldName,
};
use crate::spec::{AgentSpec, Definition, ModelSpec, SpecText, WorldSpec};
use crate::tool::{EffectClass, Repeat, ToolKind, ToolSpec};

pub(crate) fn agent(name: &str) -> AgentName {
    AgentName::new(name).unwrap()
}

pub(crate) fn tool(name: &str) -> ToolName {
    ToolName::new(name).unwrap()
}

pub(crate) fn model() -> ModelName {
    ModelName::new("m").unwrap()
}

pub(crate) fn person(name: &str) -> Person {
    Person {
        method: "local".to_owned(),
        subject: name.to_owned(),
        display: PersonName::new(name).unwrap(),
    }
}

pub(crate) fn ada() -> Principal {
    Principal::Person(person("ada"))
}

pub(crate) fn world_id() -> WorldId {
    WorldId::from_stamp(&Stamp {
        time: Time(1),
        seed: Seed::new([1; 16]),
    })
}

pub(crate) fn node() -> NodeId {
    NodeId::from_stamp(&Stamp {
        time: Time(1),
        seed: Seed::new([2; 16]),
    })
}

/// `bob` and `eve` have a model and all tools; `cody` is in code.
pub(crate) fn room() -> WorldSpec {
    let tools = [
        tool_spec("look", EffectClass::Read, Repeat::Never, false),
        tool_spec("write", EffectClass::Write, Repeat::Never, false),
        tool_spec("wipe", EffectClass::Destructive, Repeat::Never, true),
        tool_spec("keep", EffectClass::Write, Repeat::Always, false),
        tool_spec("brief", EffectClass::Write, Repeat::Within(60_000), false),
    ];
    let names: Vec<ToolName> = tools.iter().map(|tool| tool.name.clone()).collect();
    let member = |name: &str, model: Option<ModelName>| AgentSpec {
        tools: names.clone(),
        ..AgentSpec::new(agent(name), model)
    };
    WorldSpec {
        agents: vec![
            member("bob", Some(model())),
            member("eve", Some(model())),
            member("cody", None),
        ],
        models: [(
            model(),
            ModelSpec {
                timeout_ms: 1_000,
                ..ModelSpec::new("scripted", "m-1")
            },
        )]
        .into(),
        tools: tools
            .into_iter()
            .map(|tool| (tool.name.clone(), tool))
            .collect(),
        ..WorldSpec::default()
    }
}

/// The same room, changed by `change`.
pub(crate) fn room_with(change: impl FnOnce(&mut WorldSpec)) -> WorldSpec {
    let mut spec = room();
    change(&mut spec);
    spec
}

/// The same room, where each agent can `ask` each other one, and hand over with `hand`.
pub(crate) fn room_that_asks() -> WorldSpec {
    room_with(|spec| {
        let kinds = [
            ("ask", ToolKind::Ask { agents: Vec::new() }),
            ("hand", ToolKind::Handoff { agents: Vec::new() }),
        ];
        for (name, kind) in kinds {
            spec.tools.insert(
                tool(name),
                ToolSpec {
                    kind,
                    ..tool_spec(name, EffectClass::Read, Repeat::Never, false)
                },
            );
            spec.agents
                .iter_mut()
                .for_each(|agent| agent.tools.push(tool(name)));
        }
    })
}

fn tool_spec(name: &str, effect: EffectClass, repeat: Repeat, reconciles: bool) -> ToolSpec {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    ToolSpec {
        repeat,
        reconciles,
        timeout_ms: 1_000,
        model_bytes_max: 1_000,
        settings: Digest::default(),
        ..ToolSpec::new(tool(name), effect, format!("It can {name}."), schema)
    }
}

pub(crate) fn definition(spec: WorldSpec) -> Definition {
    let text = SpecText {
        prompts: [(agent("bob"), "Be brief.".to_owned())].into(),
        ..SpecText::default()
    };
    Definition {
        spec,
        text: text.into(),
        source: None,
    }
}

pub(crate) fn create(spec: WorldSpec) -> Action {
    create_with(spec, None, Labelled::default())
}

/// The beginning of a world in a copy of its store, with an owner and labels.
pub(crate) fn create_with(spec: WorldSpec, copy: Option<CopyId>, labelled: Labelled) -> Action {
    Action::World(WorldAction::Create {
        world: world_id(),
        name: WorldName::new("home").unwrap(),
        clock: ClockKind::Simulated,
        base: None,
        definition: definition(spec),
        node: node(),
        signer: None,
        copy,
        labelled,
    })
}
