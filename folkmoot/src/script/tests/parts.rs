//! The tables against the tools and providers that they describe.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::event::AnswerKind;
use folkmoot_core::ids::ToolName;
use folkmoot_core::model::response::LLMResponse;
use folkmoot_core::spec::rules::Rules;
use folkmoot_providers::codec::{Codec as _, OpenAiChat};
use folkmoot_providers::{PROVIDERS, Preset, build_model};
use folkmoot_tools::{FEATURES, Kind, build_tool, kinds};

use super::*;
use crate::script::grammar::{MCP_TOOL, MODEL, OWN, Record, Shape, TOOL};
use crate::script::spec::STRUCTURE;

#[test]
fn tools_have_the_settings_that_the_tables_say() {
    let of_tables: BTreeMap<&str, BTreeSet<&str>> = TOOL
        .records
        .iter()
        .filter(|(word, _)| *word != OWN)
        .map(|(word, record)| (*word, written(word, record)))
        .collect();
    let lacking: BTreeSet<&str> = FEATURES.iter().map(|(kind, _)| *kind).collect();
    let of_tools: BTreeMap<&str, BTreeSet<&str>> = kinds()
        .map(|kind| {
            (
                kind.name,
                kind.keys.iter().copied().chain(Kind::COMMON_KEYS).collect(),
            )
        })
        .collect();
    for (word, keys) in &of_tables {
        match of_tools.get(word) {
            Some(known) => assert_eq!(keys, known, "{word}"),
            None => assert!(lacking.contains(word), "{word}"),
        }
    }
    assert!(of_tools.keys().all(|word| of_tables.contains_key(word)));
}

/// The settings of a tool that a table describes. Each tool of a server has those of the server and its own.
fn written(word: &str, record: &Record) -> BTreeSet<&'static str> {
    let names = |record: &Record| {
        record
            .fields()
            .map(|field| field.name)
            .collect::<BTreeSet<_>>()
    };
    let mut keys = names(record);
    if word == "mcp" {
        keys.extend(names(&MCP_TOOL));
        keys.extend(["server", "tool"]);
        keys.remove("tools");
        keys.remove("as");
    }
    keys
}

#[test]
fn providers_are_those_of_the_tables() {
    assert_eq!(
        MODEL
            .words()
            .filter(|word| *word != OWN)
            .collect::<BTreeSet<_>>(),
        PROVIDERS.iter().copied().collect()
    );
}

#[test]
fn every_setting_of_a_model_is_known_to_its_provider() {
    let transport = "model: m, base_url: \"${URL}\", key: \"${KEY}\", headers: { a: b }, stream: false, \
                     timeouts: { connect: 1s, first_byte: 1s, idle: 1s, total: 1s }, body_bytes_max: 1, timeout: 1s, \
                     proxy: none, ca_file: gone.pem, rate_limit: { requests: 1, per: 1m }, \
                     response_cache: { entries: 1, for: 1h }";
    let codecs = [
        (
            "openai-chat",
            "output_limit: max_tokens, reasoning_echo: never, reasoning_style: thinking, call_ids: nine, \
             system_role: developer, stream_usage: unasked, output_forms: json, choice_word: unnamed, \
             parallel_field: left_out, seed_field: random_seed, file_parts: document_url, cache_hints: cache_control, key_header: api_key",
        ),
        (
            "openai-responses",
            "store: always, encrypted_reasoning: never, strict_tools: unsaid, item_echo: never",
        ),
        (
            "anthropic-messages",
            "api_version: \"2026-10-21\", output_tokens_default: 9",
        ),
        ("google-generate-content", "prefix: v1"),
    ];
    for (provider, codec) in codecs {
        let model = format!("provider: {provider}, {transport}, {codec}");
        let script = parse(&ROOM.replace("provider: scripted", &model))
            .unwrap_or_else(|error| panic!("{error}"));
        let model = script.spec.models.values().next().unwrap();
        let built = build_model(
            &model.spec.provider,
            &model.settings,
            &BTreeMap::new(),
            Some(Path::new("/base")),
        );
        assert_eq!(
            built.unwrap_err().to_string(),
            "cannot read the ca_file /base/gone.pem"
        );
        let mut settings = model.settings.clone();
        settings.as_object_mut().unwrap().remove("ca_file");
        build_model(&model.spec.provider, &settings, &BTreeMap::new(), None).unwrap();
        let seen: BTreeSet<&str> = model
            .settings
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let known = MODEL
            .record(provider)
            .unwrap()
            .fields()
            .map(|field| field.name);
        let known: BTreeSet<_> = known.filter(|name| !STRUCTURE.contains(name)).collect();
        assert_eq!(
            seen, known,
            "a setting of {provider} that is not tried here"
        );
    }
}

#[test]
fn every_word_of_a_setting_is_known_to_its_provider_and_every_provider_has_its_settings() {
    for (provider, record) in MODEL
        .records
        .iter()
        .filter(|(name, _)| !matches!(*name, "scripted" | "recorded" | OWN))
    {
        let known = Preset::named(provider).unwrap().wire.settings();
        let names: BTreeSet<&str> = record.fields().map(|field| field.name).collect();
        assert!(
            known.iter().all(|setting| names.contains(setting)),
            "{provider}: {known:?}"
        );
        for field in record.fields().filter(|field| known.contains(&field.name)) {
            let Shape::Word(words, _) = field.shape else {
                continue;
            };
            for word in words {
                let settings =
                    serde_json::json!({ "provider": provider, "model": "m", field.name: word });
                let built = build_model(provider, &settings, &BTreeMap::new(), None);
                assert!(
                    built.is_ok(),
                    "{provider}: {}: {word}: {:?}",
                    field.name,
                    built.err()
                );
            }
        }
    }
}

#[test]
fn every_example_is_a_definition_that_a_room_can_be_opened_with() {
    for file in examples::examples() {
        let script = Script::load(&file).unwrap();
        if script.spec.tools.values().any(is_lacked) {
            continue;
        }
        let build = |(name, tool): (&ToolName, &ToolDraft)| {
            let built = build_tool(name, &tool.settings, &script.base);
            (
                name.clone(),
                built
                    .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
                    .tool
                    .spec()
                    .clone(),
            )
        };
        let definition = script
            .spec
            .definition(script.spec.tools.iter().map(build).collect());
        Rules::check(definition.spec).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for (_, model) in script.spec.models_in_use() {
            build_model(
                &model.spec.provider,
                &model.settings,
                &script.spec.replies,
                Some(&script.base),
            )
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
    }
}

/// Whether this build leaves out the tool's feature.
fn is_lacked(tool: &ToolDraft) -> bool {
    FEATURES.iter().any(|(kind, _)| *kind == tool.uses)
        && kinds().all(|kind| kind.name != tool.uses)
}

#[test]
fn recorded_bodies_of_the_example_decode_without_a_warning() {
    let recording =
        fs::read_to_string(examples::folder().join("recordings/release.jsonl")).unwrap();
    let answers = recording.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let body = line["body"].as_str().unwrap().as_bytes();
        if line["stream"] == true {
            let mut decoder = OpenAiChat::default().stream_decoder();
            decoder.push(body).unwrap();
            decoder.finish().unwrap()
        } else {
            OpenAiChat::default().decode(body).unwrap()
        }
    });
    let answers: Vec<LLMResponse> = answers.collect();
    assert!(
        answers
            .iter()
            .all(|answer| answer.reply().warnings.is_empty()),
        "{answers:#?}"
    );
    let kinds: Vec<_> = answers.iter().map(AnswerKind::of).collect();
    assert_eq!(
        kinds,
        [
            AnswerKind::Text,
            AnswerKind::Calls,
            AnswerKind::Text,
            AnswerKind::Text
        ]
    );
    assert!(answers[3].spoken().starts_with("@ada New in 1.2"));
}

#[test]
fn fault_of_a_tools_schema_is_shown_at_the_schema() {
    let tool = "use: scripted, effect: read, results: [{ text: a }], schema: { type: object, properties: 3 }";
    let text = ROOM.replace("use: clock.now", tool);
    let script = parse(&text).unwrap();
    let (name, tool) = script.spec.tools.iter().next().unwrap();
    let error = build_tool(name, &tool.settings, &script.base).unwrap_err();
    let fault = script
        .sources
        .fault(tool.at.of(error.path()), error.to_string(), None);
    let (start, len) = fault.span;
    assert_eq!(&text[start..start + len], "{ type: object, properties: 3 }");
}
