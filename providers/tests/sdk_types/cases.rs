//! Requests with everything that a request can have.

use std::sync::Arc;

use folkmoot_core::ids::Digest;
use folkmoot_core::model::response::{CallPart, Part};
use folkmoot_core::model::{
    CachePlace, CacheTtl, Effort, OutputFormat, Parameters, Reasoning, ToolChoice,
};
use folkmoot_core::port::Files;
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Attached, Item, Layer, LayerKind, ModelRequest, ToolDeclaration};
use folkmoot_providers::codec::{Codec, Wire};
use serde_json::json;

/// Fixtures with fields that no server sends, to see that they are kept and go back: no SDK knows them.
const INVENTED: [&str; 2] = [
    "google-generate-content/filtered.json",
    "google-generate-content/tools.json",
];

type Case = (String, ModelRequest, Files);

/// All cases for a wire: each parameter alone and all together, files, a long conversation, and the answers of the
/// wire's fixtures sent back.
pub(crate) fn cases(wire: Wire, codec: &dyn Codec) -> Vec<Case> {
    let parameters = parameters().into_iter().map(|(name, parameters)| {
        let request = ForgedRequest {
            parameters,
            ..conversation()
        };
        (name.to_owned(), request.into_request(), Files::new())
    });
    parameters
        .chain(files())
        .chain(echoes(wire, codec))
        .collect()
}

fn parameters() -> Vec<(&'static str, Parameters)> {
    let one = |change: fn(&mut Parameters)| {
        let mut parameters = Parameters {
            output_tokens_max: Some(4_096),
            ..Parameters::default()
        };
        change(&mut parameters);
        parameters
    };
    let reasoning = |effort, tokens_max, show| {
        let reasoning = Some(Reasoning {
            effort,
            tokens_max,
            show,
        });
        Parameters {
            output_tokens_max: Some(4_096),
            reasoning,
            ..Parameters::default()
        }
    };
    let cache = |ttl| {
        CachePlace::ALL
            .into_iter()
            .map(|place| (place, ttl))
            .collect()
    };
    vec![
        ("nothing", Parameters::default()),
        ("length", one(|_| {})),
        ("temperature", one(|all| all.temperature_milli = Some(700))),
        ("top_p", one(|all| all.top_p_milli = Some(900))),
        ("stop", one(|all| all.stop = vec!["END".into()])),
        ("seed", one(|all| all.seed = Some(7))),
        (
            "any tool",
            one(|all| all.tool_choice = Some(ToolChoice::Auto)),
        ),
        (
            "no tool",
            one(|all| all.tool_choice = Some(ToolChoice::None)),
        ),
        (
            "some tool",
            one(|all| all.tool_choice = Some(ToolChoice::Required)),
        ),
        (
            "this tool",
            one(|all| all.tool_choice = Some(ToolChoice::Tool("add".into()))),
        ),
        ("one call", one(|all| all.parallel_calls = Some(false))),
        ("several calls", one(|all| all.parallel_calls = Some(true))),
        ("strict tools", one(|all| all.strict_tools = Some(true))),
        ("loose tools", one(|all| all.strict_tools = Some(false))),
        ("json", one(|all| all.output = Some(OutputFormat::Json))),
        ("schema", one(|all| all.output = Some(sum_format(None)))),
        (
            "strict schema",
            one(|all| all.output = Some(sum_format(Some(true)))),
        ),
        ("no reasoning", reasoning(Some(Effort::None), None, None)),
        ("little reasoning", reasoning(Some(Effort::Low), None, None)),
        (
            "shown reasoning",
            reasoning(Some(Effort::High), None, Some(true)),
        ),
        (
            "hidden reasoning",
            reasoning(Some(Effort::Medium), None, Some(false)),
        ),
        ("bounded reasoning", reasoning(None, Some(1_024), None)),
        (
            "cache",
            Parameters {
                cache: cache(CacheTtl::Default),
                ..Parameters::default()
            },
        ),
        (
            "long cache",
            Parameters {
                cache: cache(CacheTtl::OneHour),
                ..Parameters::default()
            },
        ),
    ]
}

fn sum_format(strict: Option<bool>) -> OutputFormat {
    let schema = json!({
        "type": "object", "properties": { "sum": { "type": "integer" } }, "required": ["sum"], "additionalProperties": false,
    });
    OutputFormat::Schema {
        name: "sum".into(),
        schema,
        strict,
    }
}

fn heard(text: &str) -> Item<String> {
    Item::Heard {
        from: "Ada".into(),
        text: text.into(),
        attachments: Vec::new(),
    }
}

fn call(label: &str, arguments: &str) -> Part {
    Part::Call(CallPart {
        label: label.into(),
        tool: "add".into(),
        arguments: arguments.into(),
    })
}

fn result(label: &str, text: &str, failed: bool) -> Item<String> {
    Item::Result {
        label: label.into(),
        text: text.into(),
        failed,
    }
}

/// A conversation with everything that the runtime puts into one.
fn conversation() -> ForgedRequest {
    let layer = |kind, text: &str| Layer {
        kind,
        text: text.to_owned(),
    };
    let schema = json!({
        "type": "object", "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } }, "required": ["a", "b"],
    });
    let add = ToolDeclaration {
        name: "add".to_owned(),
        description: "Adds.".to_owned(),
        schema,
    };
    let both = vec![
        Part::Reasoning("Two sums.".into()),
        Part::Text("Let me see.".into()),
        call("one", r#"{"a":1,"b":2}"#),
        call("two", r#"{"a":3,"b":9007199254740993}"#),
    ];
    ForgedRequest {
        model: "model-1".into(),
        system: vec![
            layer(LayerKind::Identity, "You are @adder."),
            layer(LayerKind::Role, "You add."),
        ],
        tools: vec![add],
        items: vec![
            Item::Summary {
                text: "Ada said hello.".into(),
            },
            heard("Add 1 and 2, and 3 and much."),
            Item::Said { parts: both },
            result("two", "9007199254740996", false),
            heard("Quick!"),
            result("one", "no such number", true),
            Item::Notice {
                text: "It may have run.".into(),
            },
            Item::Said {
                parts: vec![call("", "{bad")],
            },
            Item::State {
                text: "{\"screen\":1}".into(),
            },
            heard("And now?"),
        ],
        ..ForgedRequest::default()
    }
}

fn files() -> Vec<Case> {
    let kinds = [
        ("cat.png", "image/png"),
        ("doc.pdf", "application/pdf"),
        ("word.txt", "text/plain"),
        ("hum.wav", "audio/wav"),
    ];
    let case = |(name, media_type): (&str, &str)| {
        let bytes = name.as_bytes();
        let file = Attached {
            blob: Digest::sha256(bytes),
            media_type: media_type.to_owned(),
            name: name.to_owned(),
            bytes: u64::try_from(bytes.len()).unwrap(),
        };
        let files = Files::from([(file.blob, Arc::from(bytes))]);
        let items = vec![Item::Heard {
            from: "Ada".into(),
            text: "Look!".into(),
            attachments: vec![file],
        }];
        let request = ForgedRequest {
            items,
            ..conversation()
        };
        (
            format!("{media_type} attached"),
            request.into_request(),
            files,
        )
    };
    kinds.into_iter().map(case).collect()
}

/// What the fixtures' answers are when they are sent back, calls with their results.
fn echoes(wire: Wire, codec: &dyn Codec) -> Vec<Case> {
    let folder = format!(
        "{}/tests/fixtures/{}",
        env!("CARGO_MANIFEST_DIR"),
        wire.name()
    );
    let entries = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_real = |path: &std::path::PathBuf| !INVENTED.iter().any(|name| path.ends_with(name));
    let whole = entries
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .filter(is_real);
    let case = |path: std::path::PathBuf| {
        let response = codec.decode(&std::fs::read(&path).unwrap()).ok()?;
        let parts = response.reply().parts.clone();
        let items = [heard("Go on."), Item::Said { parts }].into_iter();
        let results = response
            .reply()
            .calls()
            .map(|call| result(&call.label, "done", false));
        let items = items.chain(results).chain([heard("Well?")]).collect();
        let request = ForgedRequest {
            items,
            ..conversation()
        };
        Some((
            format!("{} sent back", path.file_name()?.display()),
            request.into_request(),
            Files::new(),
        ))
    };
    whole.filter_map(case).collect()
}
