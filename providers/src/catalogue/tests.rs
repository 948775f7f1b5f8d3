use serde_json::json;

use super::*;
use crate::codec::Wire;

fn build(provider: &str, settings: &Value) -> Result<Arc<dyn Model>, ModelBuildError> {
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
            "recorded" => {
                json!({ "provider": provider, "wire": "openai-chat", "from": "recording.jsonl" })
            }
            _ => json!({ "provider": provider, "model": "small-1" }),
        };
        let built = build_model(
            provider,
            &settings,
            &BTreeMap::new(),
            Some(Path::new(folder)),
        );
        assert!(built.is_ok(), "{provider}: {:?}", built.err());
    }
    assert!(build("scripted", &Value::Null).is_ok());
}

#[test]
fn an_unknown_provider_is_answered_with_the_known_ones() {
    let there_are = format!("the providers are {}", PROVIDERS.join(", "));
    let expected =
        format!("there is no provider `openai_chat` (did you mean `openai-chat`?); {there_are}");
    assert_eq!(refusal("openai_chat", &json!({})), expected);
    assert_eq!(
        refusal("zzz", &json!({})),
        format!("there is no provider `zzz`; {there_are}")
    );
}

#[test]
fn an_unknown_setting_is_answered_with_the_nearest_and_all_known_ones() {
    let expected = "the scripted model has no setting `modell` (did you mean `model`?); its settings are model, provider";
    assert_eq!(refusal("scripted", &json!({ "modell": "x" })), expected);
    for (setting, nearest) in [
        ("modell", "model"),
        ("baseurl", "base_url"),
        ("reasoning_stile", "reasoning_style"),
    ] {
        for preset in PRESETS
            .iter()
            .filter(|preset| preset.wire == Wire::OpenaiChat)
        {
            let text = refusal(preset.name, &json!({ setting: "x" }));
            let begin = format!(
                "the {} model has no setting `{setting}` (did you mean `{nearest}`?); its settings are ",
                preset.name
            );
            assert!(text.starts_with(&begin), "{text}");
        }
    }
    let unlike = refusal("mistral", &json!({ "zzz": 1 }));
    assert!(
        unlike.starts_with(
            "the mistral model has no setting `zzz`; its settings are base_url, body_bytes_max, ca_file, "
        ),
        "{unlike}"
    );
}

#[test]
fn a_setting_of_the_codec_is_that_of_the_preset_unless_a_script_says_otherwise() {
    let complete = |settings: Value| {
        Preset::named("mistral")
            .unwrap()
            .complete(settings.as_object().unwrap())
    };
    assert_eq!(
        (
            &complete(json!({}))["call_ids"],
            &complete(json!({}))["choice_word"]
        ),
        (&json!("nine"), &json!("any"))
    );
    let own = complete(json!({ "call_ids": "any", "key": null }));
    assert_eq!(
        (&own["call_ids"], &own["key"], &own["seed_field"]),
        (&json!("any"), &Value::Null, &json!("random_seed"))
    );
}

#[test]
fn the_variables_of_a_model_are_those_of_its_settings_and_of_its_preset() {
    let names = |provider: &str, settings: Value| {
        let templates = templates_of(provider, &settings);
        templates
            .iter()
            .flat_map(|template| template.variables().map(str::to_owned).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names("azure", json!({ "model": "m" })),
        ["AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY"]
    );
    let own =
        json!({ "base_url": "http://${HOST}", "key": null, "headers": { "x-team": "${TEAM}" } });
    assert_eq!(names("openai-chat", own), ["HOST", "TEAM"]);
    assert_eq!(names("scripted", json!({})), Vec::<String>::new());
    assert_eq!(
        Preset::named("ollama")
            .unwrap()
            .variables()
            .collect::<Vec<_>>(),
        ["OLLAMA_HOST"]
    );
}

#[test]
fn a_missing_recording_is_named() {
    let settings = json!({ "wire": "openai-chat", "from": "no/such.jsonl" });
    let text = text(
        &build_model(
            "recorded",
            &settings,
            &BTreeMap::new(),
            Some(Path::new("/base")),
        )
        .unwrap_err(),
    );
    assert!(
        text.starts_with("cannot read the recording /base/no/such.jsonl: "),
        "{text}"
    );
}

#[test]
fn a_bad_reply_is_told_with_its_agent_and_number() {
    let worker = AgentName::new("worker").unwrap();
    let replies = BTreeMap::from([(worker, json!([{ "text": "a" }, { "txt": "b" }]))]);
    let text = text(&build_model("scripted", &json!({}), &replies, None).unwrap_err());
    assert!(
        text.starts_with(
            "the replies of worker cannot be used: reply 2 cannot be read: unknown field `txt`"
        ),
        "{text}"
    );
}

/// The row of a preset in the table of `docs/providers.md`.
fn row(preset: &Preset) -> String {
    let code = |text: &str| format!("`{text}`");
    let quirks: Vec<String> = preset
        .quirks
        .iter()
        .map(|(name, word)| format!("`{name}: {word}`"))
        .collect();
    let quirks = if quirks.is_empty() {
        "–".to_owned()
    } else {
        quirks.join(", ")
    };
    let key = preset.key.map_or("–".to_owned(), code);
    format!(
        "| `{}` | {} | {} | {key} | {quirks} |",
        preset.name,
        preset.wire.name(),
        code(preset.base_url)
    )
}

#[test]
fn the_documented_table_is_that_of_the_presets() {
    let text = include_str!("../../../docs/providers.md");
    let rows: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("|---"))
        .skip(1)
        .collect();
    let rows: Vec<&str> = rows
        .into_iter()
        .take_while(|line| line.starts_with("| `"))
        .collect();
    for preset in PRESETS {
        assert!(
            rows.contains(&row(preset).as_str()),
            "docs/providers.md lacks this row:\n{}",
            row(preset)
        );
    }
    // A row of a wire that this build does not speak is about another one.
    let is_spoken = |row: &&&str| {
        Wire::ALL
            .iter()
            .any(|wire| row.contains(&format!("` | {} | ", wire.name())))
    };
    assert_eq!(
        rows.iter().filter(is_spoken).count(),
        PRESETS.len(),
        "{rows:#?}"
    );
}

#[test]
fn the_documented_settings_of_the_chat_wire_are_those_of_its_codec() {
    let text = include_str!("../../../docs/guide/reference.md");
    for setting in Wire::OpenaiChat.settings() {
        assert!(
            text.contains(&format!("* `{setting}` (`")),
            "the reference does not tell of `{setting}`"
        );
    }
}

#[test]
fn reasoning_goes_back_only_to_servers_that_take_it() {
    let takes = |preset: &&Preset| preset.quirks.contains(&("reasoning_echo", "as_received"));
    let names: Vec<&str> = PRESETS
        .iter()
        .filter(takes)
        .map(|preset| preset.name)
        .collect();
    assert_eq!(
        names,
        [
            "openrouter",
            "deepseek",
            "ollama",
            "vllm",
            "llamacpp",
            "lmstudio"
        ]
    );
}
