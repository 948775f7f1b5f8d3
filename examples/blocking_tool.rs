//! A tool that computes for long: every call is a process of its own, which is killed at the tool's time limit.

use folkmoot::providers::{ScriptedModel, ScriptedReply};
use folkmoot::{
    AgentName, BlockingTool, Effect, OpenMode, PersonName, Post, ProcessHost, Proof, Room, Runtime,
    Store, ToolName, ToolOutcome, ToolSpec, Worker, WorkerCall, Workers,
};
use serde_json::json;

/// Finds the least divisor of a number, by trying.
#[derive(Debug)]
struct Divisor(ToolSpec);

impl BlockingTool for Divisor {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn run(&self, call: &WorkerCall) -> ToolOutcome {
        let number = call
            .arguments
            .get("number")
            .and_then(serde_json::Value::as_u64)
            .unwrap_or_default();
        let divisor = (2..).find(|divisor| number.is_multiple_of(*divisor));
        ToolOutcome::text(divisor.unwrap_or(number).to_string())
    }
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the example shows what happens")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let schema = json!({ "type": "object", "properties": { "number": { "type": "integer", "minimum": 2 } } });
    let spec = ToolSpec::new(
        ToolName::new("divisor")?,
        Effect::Read,
        "Finds the least divisor.",
        schema,
    );
    let divisor = Divisor(ToolSpec {
        timeout_ms: 1000,
        ..spec
    });
    let tool = Worker::new(&divisor);
    // Started as the helper or as a worker, this very program serves as that, and does not come back from here.
    folkmoot::tool_helper_main_with(&Workers::new().with(divisor));

    let call = |number: u64| json!({ "tool": "divisor", "args": { "number": number } });
    let calls = json!([{ "calls": [call(91), call(18_446_744_073_709_551_557)] }, { "text": "The second took too long." }]);
    let desk = AgentName::new("desk")?;
    let model = ScriptedModel::new([(desk.clone(), ScriptedReply::list(&calls)?)].into());
    let room = Room::new("numbers")?.model("scripted", model)?.agent(
        "desk",
        "scripted",
        "You know numbers.",
    )?;
    let room = room.tool("divisor", tool)?.give_tool("desk", "divisor")?;

    let dir = tempfile::tempdir()?;
    let store = Store::open(dir.path().join("store"), OpenMode::Create)?;
    let host = ProcessHost::new(folkmoot::own_program()?, dir.path().join("locks"));
    let runtime = Runtime::builder(&store)
        .host(std::sync::Arc::new(host))
        .build();
    let ada = runtime
        .open_room(&room)
        .await?
        .as_principal(Proof::script(PersonName::new("ada")?));
    let mut results = ada.subscribe_tool_results(&desk).await?;
    ada.publish_message(Post::text("What divides these numbers?"))
        .await?;
    for _ in 0..2 {
        if let Some(result) = results.next().await? {
            println!("{}: {}", result.tool(), result.text());
        }
    }
    runtime.shutdown().await;
    Ok(store.close()?)
}
