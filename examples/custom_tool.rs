//! A tool of your own: a type says which arguments it takes, and it is never called with others.

use folkmoot::providers::{ScriptedModel, ScriptedReply};
use folkmoot::{
    AgentName, Effect, OpenMode, PersonName, Post, Proof, Room, Runtime, Store, Tool, ToolOutcome,
};
use serde_json::json;

/// What models are told of the arguments, comments and all.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct OnCall {
    /// The day that is asked about.
    day: Day,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Day {
    Saturday,
    Sunday,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Only needed with tools that run programs: then the runtime starts this very program as their helper.
    folkmoot::tool_helper_main();

    // `Read` runs at once; `Write` and `Destructive` wait until a person allows the call.
    let on_call = Tool::typed::<OnCall>(
        "on_call",
        Effect::Read,
        "Tells who is on call.",
        |asked, _call| async move {
            match asked.day {
                Day::Saturday => ToolOutcome::text("Grace"),
                Day::Sunday => ToolOutcome::text("Edsger"),
            }
        },
    )?;

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
        .tool("on_call", on_call)?
        .give_tool("desk", "on_call")?;

    let dir = tempfile::tempdir()?;
    let store = Store::open(dir.path().join("store"), OpenMode::Create)?;
    let runtime = Runtime::builder(&store).build();
    let world = runtime.open_room(&room).await?;

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
