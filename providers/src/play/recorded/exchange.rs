//! A recorded exchange.

use std::collections::BTreeMap;
use std::time::Duration;

use folkmoot_core::ids::{AgentName, Digest};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use crate::codec::Wire;
use crate::transport::retry_after::retry_after;

/// An exchange, as a line of a recording has it. The last fields are some that recordings have and
/// nobody reads.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordedExchange {
    /// The fingerprint of the request that it answers; without one it is played in order.
    #[serde(default)]
    pub(super) fingerprint: Option<Digest>,
    /// The agent that it is for; without one it is for each.
    #[serde(default)]
    agent: Option<AgentName>,
    /// The wire that was spoken; without one it is that of the model.
    #[serde(default)]
    wire: Option<Wire>,
    #[serde(default = "ok")]
    pub(super) status: u16,
    /// True if the body is an event stream.
    #[serde(default)]
    pub(super) stream: bool,
    #[serde(deserialize_with = "body")]
    pub(super) body: String,
    /// By lower-case name.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Seconds.
    #[serde(default)]
    retry_after: Option<u64>,
    /// The body that was sent; it tells how a request that is not recorded differs.
    #[serde(default)]
    request: Option<Value>,

    #[serde(default, rename = "id")]
    _id: de::IgnoredAny,
    #[serde(default, rename = "provider")]
    _provider: de::IgnoredAny,
    #[serde(default, rename = "path")]
    _path: de::IgnoredAny,
    #[serde(default, rename = "tools")]
    _tools: de::IgnoredAny,
    #[serde(default, rename = "content_type")]
    _content_type: de::IgnoredAny,
}

impl RecordedExchange {
    pub(super) fn is_for(&self, agent: &AgentName, wire: Wire) -> bool {
        self.agent.as_ref().is_none_or(|own| own == agent)
            && self.wire.is_none_or(|own| own == wire)
    }

    pub(super) const fn request(&self) -> Option<&Value> {
        self.request.as_ref()
    }

    pub(super) const fn is_success(&self) -> bool {
        matches!(self.status, 200..=299)
    }

    pub(super) fn retry_after(&self) -> Option<Duration> {
        let of_headers = || {
            let pair =
                |(name, value): (&String, &String)| Some((name.parse().ok()?, value.parse().ok()?));
            retry_after(&self.headers.iter().filter_map(pair).collect())
        };
        self.retry_after
            .map(Duration::from_secs)
            .or_else(of_headers)
    }
}

const fn ok() -> u16 {
    200
}

/// The exact text, or, for recordings made by hand, the JSON itself.
fn body<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(text) => text,
        json @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_)) => json.to_string(),
    })
}
