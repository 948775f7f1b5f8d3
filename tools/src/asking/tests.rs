use std::path::Path;

use folkmoot_core::ids::AgentName;
use folkmoot_core::tool::{EffectClass, ToolErrorCode, ToolKind, ToolSpec};
use serde_json::{Value, json};

use crate::stage::{build, call, failure, try_build};

fn spec(settings: &Value) -> ToolSpec {
    build(settings, Path::new("/")).spec().clone()
}

fn agent(name: &str) -> AgentName {
    AgentName::new(name).unwrap()
}

#[test]
fn a_tool_that_asks_says_whom_it_may_ask() {
    let some = spec(&json!({ "use": "ask", "agents": ["expert", "lawyer"] }));
    assert_eq!(
        some.kind,
        ToolKind::Ask {
            agents: vec![agent("expert"), agent("lawyer")]
        }
    );
    assert_eq!(
        some.schema["properties"]["agent"]["enum"],
        json!(["expert", "lawyer"])
    );
    assert_eq!(some.schema["required"], json!(["agent", "text"]));
    assert_eq!(some.effect, EffectClass::Read);
    let all = spec(&json!({ "use": "ask" }));
    assert_eq!(
        (all.kind, &all.schema["properties"]["agent"]["enum"]),
        (ToolKind::Ask { agents: vec![] }, &Value::Null)
    );
}

#[test]
fn a_tool_that_hands_over_says_to_whom() {
    let some = spec(&json!({ "use": "handoff", "agents": ["sales"] }));
    assert_eq!(
        some.kind,
        ToolKind::Handoff {
            agents: vec![agent("sales")]
        }
    );
    assert_eq!(some.schema["properties"]["agent"]["enum"], json!(["sales"]));
    assert_eq!(
        spec(&json!({ "use": "handoff" })).kind,
        ToolKind::Handoff { agents: vec![] }
    );
}

#[test]
fn arguments_without_words_do_not_fit_the_schema() {
    let spec = spec(&json!({ "use": "ask", "agents": ["expert"] }));
    let fits = |arguments: &Value| {
        jsonschema::draft202012::new(&spec.schema)
            .unwrap()
            .is_valid(arguments)
    };
    assert!(fits(&json!({ "agent": "expert", "text": "Why?" })));
    for arguments in [
        json!({ "agent": "expert" }),
        json!({ "agent": "expert", "text": "" }),
        json!({ "agent": "other", "text": "Why?" }),
        json!({ "agent": "expert", "text": "Why?", "urgent": true }),
    ] {
        assert!(!fits(&arguments), "{arguments}");
    }
}

#[test]
fn settings_that_mean_nothing_here_are_refused() {
    for word in ["ask", "handoff"] {
        for (settings, path, why) in [
            (
                json!({ "use": word, "timeout": "5s" }),
                "timeout",
                "`ask_ttl`",
            ),
            (
                json!({ "use": word, "model_bytes": 500 }),
                "model_bytes",
                "leave it out",
            ),
            (
                json!({ "use": word, "agents": [] }),
                "agents",
                "at least one",
            ),
            (
                json!({ "use": word, "agents": ["a@b"] }),
                "agents[0]",
                "a@b",
            ),
        ] {
            let error = try_build(&settings, Path::new("/")).unwrap_err();
            assert_eq!(error.path(), path, "{error}");
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}

#[tokio::test]
async fn running_it_is_a_failure_and_no_answer() {
    let tool = build(&json!({ "use": "ask" }), Path::new("/"));
    let outcome = tool
        .run(&call(json!({ "agent": "expert", "text": "Why?" })))
        .await;
    assert_eq!(failure(&outcome).0, ToolErrorCode::Failed);
}
