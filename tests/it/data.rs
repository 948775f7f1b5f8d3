//! Data sets in a room: no cell of a file, no path and no error of an engine comes to a model.

use std::sync::Arc;

use folkmoot::core::ids::ToolName;
use folkmoot::core::model::response::{CallPart, LLMResponse, Part, Reply};
use folkmoot::core::port::ToolCall;
use folkmoot::tools::build_tool;
use folkmoot::{File, Post, Store};
use folkmoot_tests::{FakeModel, FakeTool, Room, person, says};
use serde_json::{Value, json};

const CANARY: &str = "canary-";

/// A shipped tool.
fn shipped(name: &str, settings: &Value, base: &std::path::Path) -> FakeTool {
    let tool = build_tool(&ToolName::new(name).unwrap(), settings, base)
        .unwrap()
        .tool;
    let spec = tool.spec().clone();
    let run = move |call: ToolCall| {
        let tool = Arc::clone(&tool);
        async move { tool.run(&call).await }
    };
    FakeTool::new(name, spec.effect, run)
        .reading_files()
        .showing(spec.view)
}

fn calling(tool: &str, arguments: &Value) -> LLMResponse {
    LLMResponse::Calls(Reply {
        parts: vec![Part::Call(CallPart {
            label: "label".to_owned(),
            tool: tool.to_owned(),
            arguments: arguments.to_string(),
        })],
        ..Reply::default()
    })
}

/// Twenty rows, each with a canary in a text, and one that cannot be read.
fn rows() -> String {
    let row = |number: u32| {
        format!("{number},2026-01-{number:02},{CANARY}{number}@example.org,{CANARY}word {number}\n")
    };
    let rows: String = (1..=20).map(row).collect();
    format!("id,day,email,note\n{rows}21,2026-01-21,{CANARY}bad,\"{CANARY}never ends\n")
}

#[tokio::test]
async fn no_cell_no_path_and_no_error_comes_to_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let inbox = folder.path().join(format!("{CANARY}inbox"));
    std::fs::create_dir(&inbox).unwrap();
    std::fs::write(inbox.join("broken.csv"), format!("{CANARY}a,\"{CANARY}b\n")).unwrap();
    let kinds = [
        "list", "describe", "preview", "query", "search", "chart", "status", "delete",
    ];
    let calls = [
        ("list", json!({})),
        ("describe", json!({ "name": "orders" })),
        ("preview", json!({ "name": "orders" })),
        (
            "query",
            json!({ "query": "SELECT email, note FROM orders" }),
        ),
        (
            "query",
            json!({ "query": "SELECT email FROM orders WHERE id = 3" }),
        ),
        (
            "query",
            json!({ "query": "SELECT min(email) AS m, max(note) AS n FROM orders" }),
        ),
        (
            "query",
            json!({ "query": "SELECT abs(email) + 1 / 0 AS x, json(note) AS y FROM orders" }),
        ),
        ("query", json!({ "query": "SELECT nothing FROM orders" })),
        ("search", json!({ "name": "orders", "words": "word" })),
        (
            "chart",
            json!({ "form": "bar", "title": "T", "query": "SELECT email, id FROM orders", "x": "email", "y": ["id"] }),
        ),
        (
            "chart",
            json!({ "form": "bar", "title": "T", "query": "SELECT email, id FROM orders", "x": "id", "y": ["email"] }),
        ),
        ("take_in", json!({ "path": "gone.csv" })),
        ("take_in", json!({ "path": "broken.csv" })),
        ("describe", json!({ "name": "broken" })),
        ("status", json!({})),
        ("delete", json!({ "name": "orders" })),
        ("query", json!({ "query": "SELECT email FROM orders" })),
    ];
    // Five calls of the model in an episode, the answer among them.
    let script: Vec<LLMResponse> = calls
        .chunks(4)
        .flat_map(|calls| {
            let calls = calls
                .iter()
                .map(|(tool, arguments)| calling(tool, arguments));
            calls.chain([says("Done.")]).collect::<Vec<_>>()
        })
        .collect();
    let model = FakeModel::new(script);
    let names: Vec<&str> = kinds.into_iter().chain(["take_in"]).collect();
    let room = kinds.into_iter().fold(Room::auto(), |room, name| {
        let settings = json!({ "use": format!("data.{name}") });
        room.tool(shipped(name, &settings, folder.path()))
    });
    let take_in = json!({ "use": "data.import", "root": inbox });
    let (_runtime, world) = room
        .tool(shipped("take_in", &take_in, folder.path()))
        .agent("bob", &names, Arc::clone(&model) as _)
        .open(&Store::memory())
        .await;
    let ada = person(&world, "ada");
    let file = ada
        .attach(File {
            name: "orders.csv".to_owned(),
            media_type: "text/csv".to_owned(),
            bytes: rows().into(),
        })
        .await
        .unwrap();
    let mut attachments = vec![file];
    for _ in calls.chunks(4) {
        let post = Post {
            attachments: std::mem::take(&mut attachments),
            ..Post::text("@bob go on")
        };
        ada.publish_message(post).await.unwrap();
        world.quiet().await.unwrap();
    }
    let asked = model.asked();
    assert_eq!(asked.len(), calls.len() + calls.len().div_ceil(4));
    let told = format!("{:?}", asked.last().unwrap().request.items());
    assert!(!told.contains(CANARY), "{told}");
    // The model is told what it needs all the same.
    for word in [
        "orders has 20 rows",
        "20 rows. People see them",
        "of 20 rows",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
}
