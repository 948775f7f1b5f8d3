//! An agent that is code instead of a model: it reacts to what it is told, and remembers by the note it leaves.
//!
//! It holds no handle on its world and keeps nothing in memory. What it wants to know next time goes into its note, so
//! that it goes on after a crash as if nothing had happened.

use async_trait::async_trait;
use folkmoot::{
    Agent, AgentError, LLMResponse, OpenMode, PersonName, Post, Proof, Reaction, Room, Runtime,
    Store, TextEvent, ToolResultEvent, TurnView,
};
use serde_json::json;

/// Works sums out with a tool, and counts them.
struct Abacus;

impl Abacus {
    fn sums_before(view: &TurnView) -> u32 {
        view.note
            .as_deref()
            .and_then(|note| note.parse().ok())
            .unwrap_or(0)
    }
}

#[async_trait]
impl Agent for Abacus {
    async fn on_text(&self, view: &TurnView, news: &[TextEvent]) -> Result<Reaction, AgentError> {
        let note = Some((Self::sums_before(view) + 1).to_string());
        let response = match news.last().map(|message| message.text.trim()) {
            Some(sum) if !sum.is_empty() => {
                LLMResponse::call("calc", &json!({ "expression": sum }))
            }
            Some(_) | None => return Ok(Reaction::Pass { note: None }),
        };
        Ok(Reaction::Answer { response, note })
    }

    async fn on_tool_results(
        &self,
        view: &TurnView,
        results: &[ToolResultEvent],
    ) -> Result<Reaction, AgentError> {
        let results: Vec<&str> = results.iter().map(ToolResultEvent::text).collect();
        let text = format!(
            "Sum number {}: {}",
            Self::sums_before(view),
            results.join(", ")
        );
        Ok(Reaction::Answer {
            response: LLMResponse::text(text),
            note: None,
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let room = Room::new("sums")?
        .agent_in_code("abacus", Abacus)?
        .shipped_tool("calc", json!({ "use": "calc" }))?
        .give_tool("abacus", "calc")?;

    let dir = tempfile::tempdir()?;
    let store = Store::open(dir.path().join("store"), OpenMode::Create)?;
    let runtime = Runtime::builder(&store).build();
    let world = runtime.open_room(&room).await?;
    let ada = world.as_principal(Proof::script(PersonName::new("ada")?));
    let mut messages = ada.subscribe_text().await?;
    for sum in ["6 * 7", "1 + 2 + 3"] {
        ada.publish_message(Post::text(sum)).await?;
        for _ in 0..2 {
            if let Some(message) = messages.next().await? {
                say(&format!("{}: {}", message.from, message.text));
            }
        }
    }
    runtime.shutdown().await;
    Ok(store.close()?)
}

#[expect(clippy::print_stdout, reason = "the example shows what happens")]
fn say(line: &str) {
    println!("{line}");
}
