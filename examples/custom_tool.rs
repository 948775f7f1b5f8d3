//! A tool of your own: it says what it may do and what arguments it takes, and is never called with others.

use async_trait::async_trait;
use folkmoot::providers::{ScriptedModel, ScriptedReply};
use folkmoot::{
    AgentName, EffectClass, OpenMode, PersonName, Post, Proof, Room, Runtime, Store, Tool,
    ToolCall, ToolErrorCode, ToolName, ToolOutcome, ToolSpec,
};
use serde_json::json;

/// Looks up who is on call.
#[derive(Debug)]
struct OnCall(ToolSpec);

impl OnCall {
    fn new() -> Result<Self, Box<dyn std::error::Error>> {
        let schema = json!({
            "type": "object",
            "properties": { "day": { "enum": ["saturday", "sunday"] } },
            "required": ["day"],
            "additionalProperties": false
        });
        // `Read` runs at once; `Write` and `Destructive` wait until a person allows the call.
        Ok(Self(ToolSpec::new(
            ToolName::new("on_call")?,
            EffectClass::Read,
            "Tells who is on call.",
            schema,
        )))
    }
}

#[async_trait]
impl Tool for OnCall {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        match call.arguments.get("day").and_then(|day| day.as_str()) {
            Some("saturday") => ToolOutcome::text("Grace"),
            Some("sunday") => ToolOutcome::text("Edsger"),
            // The schema keeps this from happening; a model would be told the code's fixed sentence.
            Some(_) | None => ToolOutcome::failed(ToolErrorCode::BadArguments, "no such day"),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Only needed with tools that run programs: then the runtime starts this very program as their helper.
    folkmoot::tool_helper_main();

    let replies = ScriptedReply::list(&json!([
        { "calls": [
            { "tool": "on_call", "args": { "day": "saturday" } },
            { "tool": "on_call", "args": { "day": "someday" } }
        ] },
        { "text": "Grace is on call on Saturday. There is no someday." }
    ]))?;
    let desk = AgentName::new("desk")?;
    let room = Room::new("on-call")?
        .model(
            "scripted",
            ScriptedModel::new([(desk.clone(), replies)].into()),
        )?
        .agent("desk", "scripted", "You know who is on call.")?
        .tool("desk", OnCall::new()?)?;

    let dir = tempfile::tempdir()?;
    let store = Store::open(dir.path().join("store"), OpenMode::Create)?;
    let runtime = Runtime::builder(&store).assembler(room.assembler()).build();
    let world = runtime.open(room.opening()).await?;

    let ada = world.as_principal(Proof::script(PersonName::new("ada")?));
    let mut results = ada.subscribe_tool_results(&desk).await?;
    let mut messages = ada.subscribe_text().await?;
    ada.publish_message(Post::text("Who is on call on Saturday, and who someday?"))
        .await?;
    for _ in 0..2 {
        if let Some(result) = results.next().await? {
            let how = if result.has_failed() {
                "did not run"
            } else {
                "gave"
            };
            say(&format!("{} {how}: {}", result.tool(), result.text()));
        }
    }
    for _ in 0..2 {
        if let Some(message) = messages.next().await? {
            say(&format!("{}: {}", message.from, message.text));
        }
    }
    runtime.shutdown().await;
    Ok(store.close()?)
}

#[expect(clippy::print_stdout, reason = "the example shows what happens")]
fn say(line: &str) {
    println!("{line}");
}
