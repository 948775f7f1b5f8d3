//! What operators and people may know and models may not: planted everywhere, found in no encoded request.

use std::sync::Arc;

use async_trait::async_trait;
use folkmoot::core::ids::Digest;
use folkmoot::core::model::response::{LLMResponse, ModelError, ModelErrorKind};
use folkmoot::core::port::{
    Agent, AgentError, Drafts, Model, ModelCall, Reaction, TextEvent, ToolResultEvent, TurnView,
};
use folkmoot::core::text::redaction::RedactionKind;
use folkmoot::core::tool::{
    BlobRef, EffectClass, Question, Table, ToolErrorCode, ToolFailure, ToolOutcome, ToolOutput,
    View, ViewPolicy,
};
use folkmoot::providers::codec::{AnswerMode, Codec as _, OpenAiChat};
use folkmoot::{Asks, File, Post, Store, WorldHandle};
use folkmoot_tests::{FakeModel, FakeTool, Room, person, says, wants};
use serde_json::json;

/// What must not reach a model, and where it is planted.
const CANARIES: [&str; 24] = [
    "canary-path",
    "canary-sql",
    "canary-host",
    "canary-header",
    "canary-key",
    "canary-stderr",
    "canary-row",
    "canary-column",
    "canary-title",
    "canary-json",
    "canary-alt",
    "canary-text",
    "canary-cell",
    "canary-total",
    "canary-view",
    "canary-question",
    "canary-option",
    "canary-reason",
    "canary-note",
    "canary-agent",
    "canary-file",
    "canary-mail",
    "canary-secret",
    "4111 1111 1111 1111",
];

/// What a model is to read: the search would find it.
const READ: [&str; 6] = [
    "seen-text",
    "seen-summary",
    "seen-answer",
    "seen-file",
    "[email]",
    "<tool_output>",
];

/// An agent in code that leaves a note, or fails.
struct Coded(Result<Reaction, AgentError>);

#[async_trait]
impl Agent for Coded {
    async fn on_text(&self, _view: &TurnView, _news: &[TextEvent]) -> Result<Reaction, AgentError> {
        self.0.clone()
    }

    async fn on_tool_results(
        &self,
        _view: &TurnView,
        _results: &[ToolResultEvent],
    ) -> Result<Reaction, AgentError> {
        self.0.clone()
    }
}

/// A model whose provider says in its error what it was sent.
#[derive(Debug)]
struct Broken;

#[async_trait]
impl Model for Broken {
    async fn call(
        &self,
        _call: &ModelCall,
        _drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        let detail = "POST https://canary-host.internal/v1: 401, authorization: Bearer canary-key, x-trace: canary-header";
        Err(ModelError::new(ModelErrorKind::RefusesAccount, detail))
    }
}

fn gives(name: &str, outcome: ToolOutcome) -> FakeTool {
    FakeTool::new(name, EffectClass::Read, move |_call| {
        let outcome = outcome.clone();
        async { outcome }
    })
}

fn table(title: &str, column: &str, cell: &str) -> View {
    let rows = vec![vec![json!(cell)], vec![json!(cell)]];
    View::Table(Table {
        title: Some(title.to_owned()),
        columns: vec![column.to_owned()],
        rows,
    })
}

/// An output of which people see everything.
fn rich() -> ToolOutput {
    let blob = BlobRef {
        blob: Digest::sha256(b"canary"),
        bytes: 6,
        media_type: "image/png".to_owned(),
    };
    let image = View::Image {
        image: blob.clone(),
        alt: "canary-alt".to_owned(),
    };
    ToolOutput {
        whole: Some(blob),
        ..ToolOutput::text("canary-text")
    }
    .with(table("canary-title", "canary-column", "canary-row"))
    .with(View::Json(json!({ "canary-json": "canary-json" })))
    .with(image)
}

fn fails() -> ToolOutcome {
    let detail = "/home/canary-path: SELECT canary-sql; canary-stderr".to_owned();
    ToolOutcome::Failed(ToolFailure {
        code: ToolErrorCode::Failed,
        detail,
        named: None,
    })
}

/// A tool that asks before it gives anything.
fn asks() -> FakeTool {
    FakeTool::new("asks", EffectClass::Read, |call| async move {
        if call.input.is_some() {
            return ToolOutcome::text("seen-answer");
        }
        let options = vec!["canary-option".to_owned(), "no".to_owned()];
        ToolOutcome::NeedsInput(Question {
            text: "canary-question?".to_owned(),
            options,
            ..Question::default()
        })
    })
}

const TOOLS: [&str; 7] = [
    "fails", "hidden", "summed", "counted", "shown", "asks", "push",
];

fn room(models: [Arc<FakeModel>; 2]) -> Room {
    let [a, b] = models;
    let summed = ToolOutput {
        summary: Some("seen-summary".to_owned()),
        ..rich()
    };
    let counted = ToolOutput::text("canary-total").with(table("", "c", "canary-cell"));
    let shown = ToolOutput::text("seen-text").with(View::Text("canary-view".to_owned()));
    let note = Ok(Reaction::Pass {
        note: Some("canary-note".to_owned()),
    });
    let failure = Err(AgentError {
        code: "lost".to_owned(),
        detail: "canary-agent".to_owned(),
    });
    Room::asking()
        .agent("a", &TOOLS, a)
        .agent("b", &[], b)
        .agent("broken", &[], Arc::new(Broken))
        .code("notes", &[], Arc::new(Coded(note)))
        .code("fails", &[], Arc::new(Coded(failure)))
        .tool(gives("fails", fails()))
        .tool(gives("hidden", ToolOutcome::Done(rich())).showing(ViewPolicy::None))
        .tool(gives("summed", ToolOutcome::Done(summed)).showing(ViewPolicy::Summary))
        .tool(
            gives("counted", ToolOutcome::Done(counted))
                .showing(ViewPolicy::Aggregates { rows_min: 5 }),
        )
        .tool(gives("shown", ToolOutcome::Done(shown)))
        .tool(asks())
        .tool(FakeTool::new("push", EffectClass::Write, |_call| async {
            ToolOutcome::text("canary-text")
        }))
        .with(|spec| {
            spec.limits.tool_calls_per_answer = 10;
            spec.policy.redact = RedactionKind::ALL.into();
        })
}

async fn say(world: &WorldHandle, text: &str) {
    person(world, "ada")
        .publish_message(Post::text(text))
        .await
        .unwrap();
    world.quiet().await.unwrap();
}

async fn begin(world: &WorldHandle) {
    let ada = person(world, "ada");
    let (name, media_type) = (
        "seen-file of canary-mail@example.org.txt".to_owned(),
        "text/plain".to_owned(),
    );
    let file = ada
        .attach(File {
            name,
            media_type,
            bytes: b"canary-file".to_vec(),
        })
        .await
        .unwrap();
    let text = "@a do it. I am canary-mail@example.org, api_key=canary-secret-5Gh1Jk9QwZx8, card 4111 1111 1111 1111";
    ada.publish_message(Post {
        attachments: vec![file],
        ..Post::text(text)
    })
    .await
    .unwrap();
    world.quiet().await.unwrap();
}

/// Answers the question, and says no to the rest without telling the agent why.
async fn decide_all(world: &WorldHandle) {
    let ada = person(world, "ada");
    for request in world.operator().waiting().await.unwrap() {
        match request.asks {
            Asks::Approval { .. } => ada.deny(&request, "canary-reason").await.unwrap(),
            Asks::Question { .. } => ada.answer(&request, vec![0]).await.unwrap(),
            Asks::Outcome { .. } => panic!("nothing was lost: {request}"),
        };
    }
    world.quiet().await.unwrap();
}

#[tokio::test]
async fn no_canary_is_in_any_encoded_request() {
    let a = FakeModel::new([
        wants(&TOOLS),
        says("@ada done"),
        says("@ada still here"),
        says("@ada yes"),
    ]);
    let b = FakeModel::new([says("@ada I heard"), says("@ada yes")]);
    let store = Store::memory();
    let (_runtime, world) = room([Arc::clone(&a), Arc::clone(&b)]).open(&store).await;
    for text in ["@broken hi", "@notes hi", "@fails hi"] {
        say(&world, text).await;
    }
    begin(&world).await;
    decide_all(&world).await;
    for text in ["@a and now?", "@b what do you know?"] {
        say(&world, text).await;
    }
    let asked: Vec<ModelCall> = a.asked().into_iter().chain(b.asked()).collect();
    assert!(asked.len() >= 4, "{}", asked.len());
    let encode = |call: &ModelCall| {
        OpenAiChat::default().encode(&call.request, &call.files, AnswerMode::Stream)
    };
    let encoded: Vec<String> = asked
        .iter()
        .map(|call| format!("{:?}", encode(call)))
        .collect();
    for canary in CANARIES {
        assert!(
            !encoded.iter().any(|request| request.contains(canary)),
            "{canary} reached a model: {encoded:#?}"
        );
    }
    for read in READ {
        assert!(
            encoded.iter().any(|request| request.contains(read)),
            "no model read {read}: {encoded:#?}"
        );
    }
}
