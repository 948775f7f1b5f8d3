use folkmoot_core::model::{Parameters, ToolChoice};
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Item, ToolDeclaration};

use super::*;

/// A request with the room's tool `add`, if it `has_own`, and these tools of the provider.
fn encode(wire: Wire, has_own: bool, tools: &[Value], parameters: Parameters) -> WireRequest {
    let schema = json!({ "type": "object", "properties": {} });
    let own = ToolDeclaration {
        name: "add".to_owned(),
        description: "Adds.".to_owned(),
        schema,
    };
    let mut parameters = parameters;
    if !tools.is_empty() {
        parameters.extra.insert("tools".to_owned(), json!(tools));
    }
    let tools = if has_own { vec![own] } else { Vec::new() };
    let heard = Item::Heard {
        from: "Ada".to_owned(),
        text: "Hi".to_owned(),
        attachments: Vec::new(),
    };
    let request = ForgedRequest {
        model: "m".into(),
        parameters,
        tools,
        items: vec![heard],
        ..ForgedRequest::default()
    };
    wire.default_codec()
        .encode(&request.into_request(), &Files::new(), AnswerMode::Whole)
}

const WIRES: [Wire; 3] = [
    Wire::OpenaiChat,
    Wire::OpenaiResponses,
    Wire::AnthropicMessages,
];

#[test]
fn tools_of_the_provider_go_out_behind_the_rooms_own() {
    let search = json!({ "type": "web_search_20250305", "name": "web_search" });
    let parameters = || Parameters {
        tool_choice: Some(ToolChoice::Required),
        parallel_calls: Some(false),
        ..Parameters::default()
    };
    for wire in WIRES {
        let name = wire.name();
        let both = encode(wire, true, std::slice::from_ref(&search), parameters());
        let tools = both.body["tools"].as_array().unwrap();
        assert_eq!((tools.len(), &tools[1]), (2, &search), "{name}");
        assert!(
            both.warnings.is_empty() && both.body.get("tool_choice").is_some(),
            "{name}: {both:?}"
        );
        let alone = encode(wire, false, std::slice::from_ref(&search), parameters());
        assert_eq!(alone.body["tools"], json!([search]), "{name}");
        assert!(
            alone.warnings.is_empty() && alone.body.get("tool_choice").is_some(),
            "{name}: {alone:?}"
        );
    }
    let google = encode(
        Wire::GoogleGenerateContent,
        true,
        &[json!({ "googleSearch": {} })],
        parameters(),
    );
    assert_eq!(google.body["tools"][1], json!({ "googleSearch": {} }));
}

#[test]
fn a_tool_of_the_provider_that_cannot_stand_there_is_left_out_with_a_warning() {
    let taken = [
        json!({ "type": "x", "name": "add" }),
        json!({ "type": "function", "function": { "name": "add" } }),
        json!("search"),
    ];
    for wire in WIRES {
        for tool in &taken {
            let asked = encode(
                wire,
                true,
                std::slice::from_ref(tool),
                Parameters::default(),
            );
            assert_eq!(
                asked.body["tools"].as_array().unwrap().len(),
                1,
                "{}: {tool}",
                wire.name()
            );
            assert_eq!(
                asked.warnings,
                ["provider_tools_not_carried"],
                "{}: {tool}",
                wire.name()
            );
        }
    }
}

#[test]
fn what_is_asked_about_tools_in_a_request_without_any_is_a_warning_on_every_wire() {
    let one = |change: fn(&mut Parameters)| {
        let mut parameters = Parameters::default();
        change(&mut parameters);
        parameters
    };
    for wire in Wire::ALL {
        for (parameters, code) in [
            (
                one(|all| all.tool_choice = Some(ToolChoice::Required)),
                "tool_choice_not_carried",
            ),
            (
                one(|all| all.parallel_calls = Some(false)),
                "parallel_calls_not_carried",
            ),
            (
                one(|all| all.strict_tools = Some(true)),
                "strict_tools_not_carried",
            ),
        ] {
            let asked = encode(wire, false, &[], parameters);
            assert_eq!(asked.warnings, [code], "{}", wire.name());
            assert!(
                asked.body.get("tool_choice").is_none() && asked.body.get("toolConfig").is_none(),
                "{asked:?}"
            );
        }
    }
}

#[test]
fn names_that_a_wire_refuses_are_known() {
    for (wire, taken, refused) in [
        (Wire::OpenaiChat, "9-a_B", "fs.read"),
        (Wire::OpenaiResponses, "-a", "fs.read"),
        (Wire::AnthropicMessages, "a", "fs.read"),
        (Wire::GoogleGenerateContent, "fs.read", "9a"),
        (Wire::GoogleGenerateContent, "_a", "-a"),
    ] {
        assert_eq!(wire.refuses_tool(taken), None, "{}", wire.name());
        assert!(wire.refuses_tool(refused).is_some(), "{}", wire.name());
    }
}
