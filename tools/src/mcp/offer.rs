//! The tools that a server offers, for the person who writes the script.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::ToolName;
use folkmoot_core::port::ToolHost;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::server::{Means, Server};
use super::settings::{McpSettings, is_fit};
use super::words::line;
use crate::build::{BuildError, Shared, ToolDraft};

/// The most bytes of a description that are shown.
const DESCRIPTION_MAX: usize = 1000;
/// The keys of an entry that say where its server is.
const CONNECTION: [&str; 7] = ["use", "command", "cwd", "env", "sandbox", "url", "token"];

folkmoot_core::debug_in_words!(OfferError);

/// A reason why nobody knows what a server offers.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum OfferError {
    /// The script does not say where it is.
    #[error(transparent)]
    Settings(#[from] BuildError),
    /// It could not be asked.
    #[error("{0}")]
    Server(String),
    /// It did not answer in time.
    #[error("the server `{server}` did not answer within {limit:?}")]
    Late {
        /// The script's name of it.
        server: ToolName,
        /// The time that it had.
        limit: Duration,
    },
}

/// A tool that a server offers. Shown, it is an entry to paste into a script, under `tools` of the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// The server's name of it.
    pub name: String,
    /// The server's words about it, on one line.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
    /// The server's own hints of what it does. They are not to be believed.
    pub hints: Vec<String>,
}

/// Asks the server of the script's entry `settings` for its tools. Nothing is run but the server itself, if it is a
/// program.
///
/// # Errors
/// [`OfferError`].
pub async fn offers(
    server: &ToolName,
    settings: &Value,
    base: &Path,
    host: Arc<dyn ToolHost>,
    limit: Duration,
) -> Result<Vec<Offer>, OfferError> {
    let given = settings.as_object().into_iter().flatten();
    let mut asked: Map<String, Value> = given
        .filter(|(key, _)| CONNECTION.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    // One tool, as every recorded entry has; it is never called.
    let any = json!({ "server": server, "tool": "any", "schema": { "type": "object" } });
    asked.extend(any.as_object().cloned().unwrap_or_default());
    let (shared, asked) = (Shared::default(), Value::Object(asked));
    let draft = ToolDraft::read(server, &asked, base, &[&super::MCP], &shared)?;
    let settings: McpSettings = draft.settings()?;
    settings.check(&draft)?;
    let key = settings.key();
    let server_of = Arc::new(Server::new(
        server.as_str(),
        settings.endpoint(&draft)?,
        key,
    ));
    let listed = async {
        let means = Means {
            host: Some(&host),
            world: "none",
            timeout: limit,
        };
        let flight = server_of.take(means).await?;
        flight.tools().await
    };
    match tokio::time::timeout(limit, listed).await {
        Ok(Ok(tools)) => Ok(tools.into_iter().map(Offer::from).collect()),
        Ok(Err(failure)) => Err(OfferError::Server(failure.detail)),
        Err(_) => Err(OfferError::Late {
            server: server.clone(),
            limit,
        }),
    }
}

impl From<Tool> for Offer {
    fn from(tool: Tool) -> Self {
        Self {
            schema: tool.schema_as_json_value(),
            description: described(&tool.description.unwrap_or_default()),
            hints: tool.annotations.iter().flat_map(hints).collect(),
            name: tool.name.into_owned(),
        }
    }
}

/// The words of a server on one line. No variable of a script begins in them.
fn described(text: &str) -> String {
    line(text, DESCRIPTION_MAX).replace("${", "$ {")
}

fn hints(annotations: &ToolAnnotations) -> Vec<String> {
    let hints = [
        ("read only", annotations.read_only_hint),
        ("destructive", annotations.destructive_hint),
        ("idempotent", annotations.idempotent_hint),
        ("open world", annotations.open_world_hint),
    ];
    let said = hints
        .into_iter()
        .filter_map(|(name, hint)| Some((name, hint?)));
    said.map(|(name, hint)| format!("{name}: {}", if hint { "yes" } else { "no" }))
        .collect()
}

/// The entry in YAML, as deep as it stands in a script.
impl fmt::Display for Offer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Value::from(line(&self.name, DESCRIPTION_MAX));
        if !is_fit(&self.name, &self.schema) {
            return writeln!(
                f,
                "      # {name} is left out: its name or schema is too long, or has characters that nobody sees"
            );
        }
        writeln!(f, "      {name}:")?;
        if !self.hints.is_empty() {
            writeln!(f, "        # the server says: {}", self.hints.join(", "))?;
        }
        writeln!(
            f,
            "        effect: destructive # or read, or write: what you know of it"
        )?;
        if !self.description.is_empty() {
            writeln!(
                f,
                "        description: {}",
                Value::from(self.description.as_str())
            )?;
        }
        writeln!(f, "        schema: {}", self.schema)
    }
}
