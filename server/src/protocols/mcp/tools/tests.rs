use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;

fn shown(tool: Named) -> Value {
    serde_json::to_value(tool.tool()).unwrap()
}

#[test]
fn each_tool_says_its_title_its_effects_and_all_that_it_takes() {
    for tool in Named::ALL {
        let shown = shown(tool);
        assert_eq!(Named::of(tool.name()), Some(tool));
        assert_eq!(shown["inputSchema"]["type"], "object", "{shown}");
        assert_eq!(
            shown["inputSchema"]["additionalProperties"], false,
            "{shown}"
        );
        for property in shown["inputSchema"]["properties"]
            .as_object()
            .unwrap()
            .values()
        {
            assert!(property["description"].is_string(), "{shown}");
        }
        for hint in [
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        ] {
            assert!(shown["annotations"][hint].is_boolean(), "{hint}: {shown}");
        }
        assert_eq!(shown["title"], shown["annotations"]["title"]);
    }
}

#[test]
fn a_tool_that_reads_destroys_nothing() {
    let reading = Named::ALL.map(shown).into_iter();
    let reading = reading.filter(|tool| tool["annotations"]["readOnlyHint"] == true);
    let names: BTreeSet<String> = reading
        .inspect(|tool| assert_eq!(tool["annotations"]["destructiveHint"], false))
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    let expected = ["list_worlds", "pending_requests", "read_transcript", "why"];
    assert_eq!(names, expected.map(str::to_owned).into());
}

#[test]
fn no_tool_takes_a_decision_or_a_name() {
    let takes = |tool: Named| {
        let schema = shown(tool)["inputSchema"].clone();
        let properties = schema["properties"].as_object().unwrap().clone();
        properties.into_iter().map(|(name, _)| name)
    };
    let taken: BTreeSet<String> = Named::ALL.into_iter().flat_map(takes).collect();
    let expected = [
        "after", "at", "before", "key", "limit", "message", "query", "reply_to", "template",
        "text", "title", "wait", "world",
    ];
    assert_eq!(taken, expected.map(str::to_owned).into());
    for name in [
        "approve", "deny", "decide", "answer", "settle", "revoke", "",
    ] {
        assert_eq!(Named::of(name), None);
    }
}

#[test]
fn an_argument_that_there_is_not_is_refused() {
    let lies = [
        json!({ "world": "desk", "text": "hello", "author": "ada" }),
        json!({ "world": "desk", "text": "hello", "approved": true }),
    ];
    for lie in lies {
        serde_json::from_value::<PostMessage>(lie).unwrap_err();
    }
    let text = json!({ "world": "desk", "text": "hello" });
    serde_json::from_value::<PostMessage>(text).unwrap();
}
