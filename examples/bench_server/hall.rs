//! The rooms of all measurements: people talk to one another, and no agent answers.

use crate::Fallible;
use crate::server::Server;
use crate::wire::{Wire, request};

/// The script of a hall, which everybody may read.
pub(crate) const HALL: &str = "
world: hall
models: { scripted: { provider: scripted } }
agents: [{ name: clerk, model: scripted }]
replies: { clerk: [{ text: Welcome. }] }
policy: { rights: { default: [read, post] } }
";

/// The script of a room that only its owner may read.
pub(crate) const STUDY: &str = "
world: study
models: { scripted: { provider: scripted } }
agents: [{ name: clerk, model: scripted }]
replies: { clerk: [{ text: Welcome. }] }
";

/// The first message of a hall, by Eve: whoever says `@eve` later speaks to her, and wakes no agent.
pub(crate) const FIRST: &str = "Good morning.";

/// A message as people write it.
pub(crate) fn text(number: usize) -> String {
    format!(
        "@eve {number}: the release notes are ready, the changelog has been read twice, and nobody has found a reason to \
         wait any longer; if the tests on the last two platforms are green by noon we tag it."
    )
}

/// A hall in a server.
#[derive(Debug, Clone)]
pub(crate) struct Hall {
    name: String,
}

impl Hall {
    /// Opens a room from a template.
    pub(crate) async fn open(server: &Server, owner: &str, template: &str) -> Fallible<Self> {
        let mut wire = Wire::to(server.rooms).await?;
        let body = serde_json::json!({ "template": template }).to_string();
        let opened = wire
            .ask(&request(owner, "POST", "/v1/worlds", &body))
            .await?;
        let opened: serde_json::Value = serde_json::from_str(&opened.done()?)?;
        let name = opened.get("world").and_then(|name| name.as_str());
        let name = name.ok_or("no name")?.to_owned();
        Ok(Self { name })
    }

    /// Opens a hall in which Eve has spoken.
    pub(crate) async fn with_eve(server: &Server, owner: &str) -> Fallible<Self> {
        let hall = Self::open(server, owner, "hall").await?;
        let mut eve = Wire::to(server.rooms).await?;
        eve.follow(&hall.feed("eve")).await?;
        let mut wire = Wire::to(server.rooms).await?;
        wire.ask(&hall.post("eve", FIRST)).await?.done()?;
        eve.until(b"episode_ended").await?;
        Ok(hall)
    }

    /// The request that posts a message.
    pub(crate) fn post(&self, name: &str, text: &str) -> Vec<u8> {
        let body = serde_json::json!({ "text": text }).to_string();
        request(
            name,
            "POST",
            &format!("/v1/worlds/{}/messages", self.name),
            &body,
        )
    }

    /// The request that follows the feed from now on.
    pub(crate) fn feed(&self, name: &str) -> Vec<u8> {
        request(
            name,
            "GET",
            &format!("/v1/worlds/{}/feed?after=now", self.name),
            "",
        )
    }

    /// The request that reads it in short.
    pub(crate) fn show(&self, name: &str) -> Vec<u8> {
        request(name, "GET", &format!("/v1/worlds/{}", self.name), "")
    }

    /// A room of a name as long, which is not there.
    pub(crate) fn absent(&self) -> Self {
        let mut name = self.name.clone();
        // No name that the server makes has a zero.
        name.pop();
        name.push('0');
        Self { name }
    }
}
