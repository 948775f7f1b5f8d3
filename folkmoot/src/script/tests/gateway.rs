//! The gateway: which models go through it, and with what.

use folkmoot_core::ids::ModelName;
use serde_json::{Value, json};

use super::*;

const MODELS: &str = "plain: { provider: openai-chat, model: m }, \
    own: { provider: openai-chat, model: m, base_url: \"http://own/v1\" }, \
    rich: { provider: openai-chat, model: m, key: null, headers: { X-Room: mine, x-b: b } }, m: {";

/// The settings of the model `name` in `ROOM` with `MODELS` in it and `rest` behind it.
fn settings(rest: &str, name: &str) -> Value {
    let script = parse(&format!("{}{rest}", ROOM.replace("m: {", MODELS)))
        .unwrap_or_else(|error| panic!("{error}"));
    script.spec.models[&ModelName::new(name).unwrap()]
        .settings
        .clone()
}

const GATEWAY: &str = "gateway: { base_url: \"${GATE}/{provider}\", key: \"${GATE_KEY}\", headers: { x-room: room, x-a: a } }";

#[test]
fn a_model_that_says_not_where_it_is_goes_through_the_gateway() {
    let expected = json!({
        "provider": "openai-chat", "model": "m", "base_url": "${GATE}/openai-chat", "key": "${GATE_KEY}",
        "headers": { "x-room": "room", "x-a": "a" },
    });
    assert_eq!(settings(GATEWAY, "plain"), expected);
}

#[test]
fn what_a_model_says_itself_wins() {
    let expected = json!({
        "provider": "openai-chat", "model": "m", "base_url": "${GATE}/openai-chat", "key": null,
        "headers": { "X-Room": "mine", "x-a": "a", "x-b": "b" },
    });
    assert_eq!(settings(GATEWAY, "rich"), expected);
}

#[test]
fn models_elsewhere_and_those_that_are_played_are_left_alone() {
    for name in ["own", "m"] {
        assert_eq!(settings(GATEWAY, name), settings("", name));
    }
}

#[test]
fn what_is_wrong_with_a_gateway_is_shown_at_its_place() {
    check(
        "gateway: {}",
        &[
            "1:1 the gateway needs `base_url` | Its URL; `{provider}` stands for a model's provider.",
        ],
    );
    check(
        "gateway: { base_url: \"http://a/{model}\" }",
        &[
            "1:22 this place holder is not known | write `{provider}` where the name of the provider belongs",
        ],
    );
    check(
        "gateway: { base_url: \"${A\", key: sk-1 }",
        &[
            "1:22 this `${` is not the beginning of a variable | write `${NAME}` or `${NAME:-default}`",
            "1:34 a secret must not stand in a script | write `${NAME}`, and set NAME in the environment",
        ],
    );
}

#[test]
fn a_gateway_comes_with_an_included_file_too() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("shared.yaml"), format!("{GATEWAY}\n")).unwrap();
    let room = ROOM.replace("provider: scripted", "provider: openai-chat, model: m");
    let script = Script::parse(
        &format!("include: shared.yaml\n{room}"),
        &folder.path().join("room.yaml"),
    )
    .unwrap();
    let settings = &script.spec.models[&ModelName::new("m").unwrap()].settings;
    assert_eq!(settings["base_url"], json!("${GATE}/openai-chat"));
}
