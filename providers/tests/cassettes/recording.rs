//! Reads the recordings.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;

use folkmoot_providers::codec::Wire;
use serde::Deserialize;
use serde_json::Value;

/// One recorded exchange.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Exchange {
    pub(crate) id: String,
    /// Where it was sent.
    pub(crate) path: String,
    pub(crate) status: u16,
    pub(crate) stream: bool,
    /// What was sent.
    pub(crate) request: Value,
    pub(crate) body: String,
}

/// All exchanges of a wire; none if there are no recordings, which is said.
pub(crate) fn exchanges(wire: Wire) -> Vec<Exchange> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/cassettes");
    let folder =
        std::env::var_os("FOLKMOOT_CASSETTES").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    let path = folder.join(format!("{}.jsonl.gz", wire.name()));
    let Ok(file) = std::fs::File::open(&path) else {
        println!("skipped: no recordings at {}", path.display());
        return Vec::new();
    };
    let lines = BufReader::new(flate2::read::GzDecoder::new(file)).lines();
    let mut exchanges: Vec<Exchange> = lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect();
    // Some servers name no content type, from which the recorder told streams.
    exchanges
        .iter_mut()
        .for_each(|exchange| exchange.stream |= exchange.body.starts_with("event: "));
    exchanges
}

impl Exchange {
    /// The body, as one document.
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The documents of a stream, by the plainest reading of it that its recordings allow.
    pub(crate) fn chunks(&self) -> Vec<Value> {
        let data = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .map(str::trim);
        data.filter(|data| *data != "[DONE]")
            .map(|data| serde_json::from_str(data).unwrap())
            .collect()
    }
}

/// All texts in a value.
pub(crate) fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(leaves).collect(),
        Value::Object(fields) => fields.values().flat_map(leaves).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
