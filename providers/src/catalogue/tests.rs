use serde_json::json;

use super::*;

fn build(provider: &str, settings: &Value) -> Result<Arc<dyn Model>, BuildError> {
    build_model(provider, settings, &BTreeMap::new(), None)
}

fn text(error: &dyn std::error::Error) -> String {
    std::iter::successors(error.source(), |cause| cause.source())
        .fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

fn refusal(provider: &str, settings: &Value) -> String {
    text(&build(provider, settings).unwrap_err())
}

#[test]
fn every_known_provider_can_be_built() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    for provider in PROVIDERS.iter().copied() {
        let settings = match provider {
            "recorded" => json!({ "provider": provider, "wire": "openai-chat", "from": "recording.jsonl" }),
            _ => json!({ "provider": provider, "model": "small-1" }),
        };
        let built = build_model(provider, &settings, &BTreeMap::new(), Some(Path::new(folder)));
        assert!(built.is_ok(), "{provider}: {:?}", built.err());
    }
    assert!(build("scripted", &Value::Null).is_ok());
}

#[test]
fn an_unknown_provider_is_answered_with_the_known_ones() {
    assert_eq!(
        refusal("openai_chat", &json!({})),
        "there is no provider `openai_chat`, did you mean `openai-chat`?; there are openai-chat, recorded, scripted"
    );
    assert_eq!(refusal("zzz", &json!({})), "there is no provider `zzz`; there are openai-chat, recorded, scripted");
}

#[test]
fn unknown_settings_are_errors_that_name_them() {
    for provider in PROVIDERS.iter().copied() {
        let text = refusal(provider, &json!({ "modell": "x" }));
        assert!(text.contains("unknown field `modell`"), "{text}");
    }
}

#[test]
fn a_missing_recording_is_named() {
    let settings = json!({ "wire": "openai-chat", "from": "no/such.jsonl" });
    let text = text(&build_model("recorded", &settings, &BTreeMap::new(), Some(Path::new("/base"))).unwrap_err());
    assert!(text.starts_with("cannot read the recording /base/no/such.jsonl: "), "{text}");
}

#[test]
fn a_bad_reply_is_told_with_its_agent_and_number() {
    let worker = AgentName::new("worker").unwrap();
    let replies = BTreeMap::from([(worker, json!([{ "text": "a" }, { "txt": "b" }]))]);
    let text = text(&build_model("scripted", &json!({}), &replies, None).unwrap_err());
    assert!(
        text.starts_with("the replies of worker do not fit: reply 2 cannot be read: unknown field `txt`"),
        "{text}"
    );
}
