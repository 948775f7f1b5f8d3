//! Reads a folder of recorded exchanges, one by one, and prints a JSON line for each.
//!
//! ```console
//! cargo run -p folkmoot-providers --example read_recordings -- DIR
//! ```
//!
//! It reads `.jsonl` and `.json`, also with `.gz` behind it, in all folders below: lines, lists or single exchanges with
//! the fields `status`, `body`, and where they are known `id`, `path`, `wire`, `provider`, `stream`, `request` and
//! `headers`. `folkmoot run --record` writes such lines. An exchange that cannot be read is a line with its error, and
//! the next one follows. The last line, on the error output, counts.
#![expect(clippy::print_stderr, reason = "it is a program")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use flate2::read::MultiGzDecoder;
use folkmoot_core::model::response::{LLMResponse, ModelError, Part};
use folkmoot_providers::codec::{BodyReader, Codec, DecodeError, Delta, Wire, WireFailure};
use serde_json::{Map, Value, json};

/// How many bytes a stream comes in at once, besides whole.
const SPLITS: [usize; 4] = [1, 2, 7, 61];

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(folder), None) = (arguments.next(), arguments.next()) else {
        eprintln!(
            "usage: read_recordings DIR: names the folder, or the file, with the recorded exchanges"
        );
        return ExitCode::from(2);
    };
    let mut report = Report {
        out: BufWriter::new(std::io::stdout().lock()),
        counts: BTreeMap::new(),
    };
    match report.read(Path::new(&folder)) {
        Ok(()) => {
            eprintln!("{}", json!(report.counts));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("read_recordings: cannot write the report: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Where the lines go, and what they were.
pub(crate) struct Report<W: std::io::Write> {
    pub(crate) out: W,
    pub(crate) counts: BTreeMap<String, usize>,
}

impl<W: std::io::Write> Report<W> {
    /// Reads a file, or all files of a folder in the order of their names.
    pub(crate) fn read(&mut self, path: &Path) -> std::io::Result<()> {
        if path.is_dir() {
            let entries = std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            let mut paths: Vec<PathBuf> = match entries {
                Ok(entries) => entries.iter().map(std::fs::DirEntry::path).collect(),
                Err(error) => return self.unreadable(path, None, &error.to_string()),
            };
            paths.sort();
            return paths.iter().try_for_each(|path| self.read(path));
        }
        let Some(form) = Form::of(path) else {
            return Ok(());
        };
        match text(path, form.is_packed) {
            Ok(text) if form.is_lines => self.read_lines(path, &text),
            Ok(text) => self.read_document(path, &text),
            Err(error) => self.unreadable(path, None, &error.to_string()),
        }
    }

    fn read_lines(&mut self, path: &Path, text: &str) -> std::io::Result<()> {
        for (number, line) in (1_usize..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty())
        {
            match serde_json::from_str::<Value>(line) {
                Ok(exchange) => self.exchange(path, number, &exchange)?,
                Err(error) => self.unreadable(path, Some(number), &error.to_string())?,
            }
        }
        Ok(())
    }

    /// A file with one exchange, a list of them, or, in spite of its name, lines.
    fn read_document(&mut self, path: &Path, text: &str) -> std::io::Result<()> {
        let document = match serde_json::from_str::<Value>(text) {
            Ok(document) => document,
            Err(_) if text.lines().count() > 1 && text.lines().all(is_line) => {
                return self.read_lines(path, text);
            }
            Err(error) => return self.unreadable(path, None, &error.to_string()),
        };
        let list = document
            .as_array()
            .or_else(|| document.get("exchanges")?.as_array())
            .cloned();
        let exchanges = list.unwrap_or_else(|| vec![document]);
        (1_usize..)
            .zip(&exchanges)
            .try_for_each(|(number, exchange)| self.exchange(path, number, exchange))
    }

    fn exchange(&mut self, path: &Path, number: usize, exchange: &Value) -> std::io::Result<()> {
        let told = catch_unwind(AssertUnwindSafe(|| tell(path, exchange)));
        let mut line = told.unwrap_or_else(|_| error("panic", "the decoder panicked"));
        let own = exchange.get("id").filter(|id| !id.is_null()).cloned();
        line.insert(
            "id".to_owned(),
            own.unwrap_or_else(|| json!(format!("{}:{number}", file_name(path)))),
        );
        self.line(path, line)
    }

    fn unreadable(&mut self, path: &Path, number: Option<usize>, why: &str) -> std::io::Result<()> {
        let mut line = error("unreadable", why);
        let place = number.map_or_else(
            || file_name(path),
            |number| format!("{}:{number}", file_name(path)),
        );
        line.insert("id".to_owned(), json!(place));
        self.line(path, line)
    }

    fn line(&mut self, path: &Path, mut line: Map<String, Value>) -> std::io::Result<()> {
        let kind = line
            .get("error")
            .and_then(|error| error.get("kind"))
            .or_else(|| line.get("kind"));
        *self
            .counts
            .entry(kind.and_then(Value::as_str).unwrap_or_default().to_owned())
            .or_default() += 1;
        if line.get("splits_agree") == Some(&Value::Bool(false)) {
            *self.counts.entry("splits disagree".to_owned()).or_default() += 1;
        }
        line.insert("file".to_owned(), json!(path.display().to_string()));
        writeln!(self.out, "{}", Value::Object(line))
    }
}

/// What a file's name says of it.
struct Form {
    is_packed: bool,
    is_lines: bool,
}

impl Form {
    fn of(path: &Path) -> Option<Self> {
        let name = file_name(path).to_ascii_lowercase();
        let plain = name.strip_suffix(".gz");
        let is_lines = plain.unwrap_or(&name).ends_with(".jsonl")
            || plain.unwrap_or(&name).ends_with(".ndjson");
        (is_lines || plain.unwrap_or(&name).ends_with(".json")).then_some(Self {
            is_packed: plain.is_some(),
            is_lines,
        })
    }
}

fn is_line(line: &str) -> bool {
    line.trim().is_empty() || serde_json::from_str::<Value>(line).is_ok()
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn text(path: &Path, is_packed: bool) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    let mut file = File::open(path)?;
    if is_packed {
        MultiGzDecoder::new(file).read_to_end(&mut bytes)?;
    } else {
        file.read_to_end(&mut bytes)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn error(kind: &str, detail: &str) -> Map<String, Value> {
    Map::from_iter([(
        "error".to_owned(),
        json!({ "kind": kind, "detail": detail }),
    )])
}

/// Reads one exchange.
fn tell(path: &Path, exchange: &Value) -> Map<String, Value> {
    // Some recorders keep the answer apart.
    let answer = exchange
        .get("response")
        .filter(|answer| answer.get("body").is_some())
        .unwrap_or(exchange);
    let field = |name: &str| {
        answer
            .get(name)
            .or_else(|| exchange.get(name))
            .filter(|value| !value.is_null())
    };
    let beside = || field("response_body").or_else(|| field("response"));
    let Some(body) = field("body").or_else(beside).map(text_of) else {
        return error("unreadable", "the exchange has no `body`");
    };
    let Some(wire) = wire_of(path, exchange, &body) else {
        return error(
            "unreadable",
            "neither the exchange nor its file tells the wire",
        );
    };
    let status = field("status")
        .or_else(|| field("status_code"))
        .and_then(Value::as_u64);
    let status = status
        .and_then(|status| u16::try_from(status).ok())
        .unwrap_or(200);
    let codec = wire.default_codec();
    let mut line = if (200..300).contains(&status) {
        read_body(&*codec, body.as_bytes())
    } else {
        failed(&codec.decode_error(WireFailure {
            status,
            retry_after: None,
            body: body.as_bytes(),
        }))
    };
    line.insert("wire".to_owned(), json!(wire.name()));
    line.insert("status".to_owned(), json!(status));
    line
}

/// A body: the exact text, or in recordings made by hand the JSON itself.
fn text_of(body: &Value) -> String {
    body.as_str()
        .map_or_else(|| body.to_string(), str::to_owned)
}

fn read_body(codec: &dyn Codec, body: &[u8]) -> Map<String, Value> {
    let whole = read_in_pieces(codec, body, body.len().max(1));
    let agree = SPLITS
        .iter()
        .all(|bytes| read_in_pieces(codec, body, *bytes) == whole);
    let mut line = match &whole.answer {
        Ok(response) => said(response),
        Err(error) => failed(&ModelError::from(error.clone())),
    };
    line.insert("shown".to_owned(), json!(whole.shown));
    line.insert("splits_agree".to_owned(), json!(agree));
    line
}

/// What a body gives, and what was shown of it on the way.
#[derive(PartialEq)]
struct Outcome {
    answer: Result<LLMResponse, DecodeError>,
    shown: String,
}

fn read_in_pieces(codec: &dyn Codec, body: &[u8], bytes: usize) -> Outcome {
    let mut reader = BodyReader::new(codec, body.len());
    let mut shown = String::new();
    for piece in body.chunks(bytes) {
        match reader.push(piece) {
            Ok(deltas) => shown.extend(deltas.iter().filter_map(|delta| match delta {
                Delta::Text(text) | Delta::Refusal(text) => Some(text.as_str()),
                Delta::Reasoning(_) => None,
            })),
            Err(error) => {
                return Outcome {
                    answer: Err(error),
                    shown,
                };
            }
        }
    }
    Outcome {
        answer: reader.finish(),
        shown,
    }
}

fn said(response: &LLMResponse) -> Map<String, Value> {
    let reply = response.reply();
    let kind = match response {
        LLMResponse::Text(_) => "text",
        LLMResponse::Calls(_) => "calls",
        LLMResponse::Refused(_) => "refused",
        LLMResponse::Truncated(_) => "truncated",
        LLMResponse::Filtered(_) => "filtered",
    };
    let reasoning = |part: &Part| {
        if let Part::Reasoning(text) = part {
            Some(text.clone())
        } else {
            None
        }
    };
    let calls = reply
        .calls()
        .map(|call| json!({ "id": call.label, "name": call.tool, "arguments": call.arguments }));
    let fields = [
        ("kind", json!(kind)),
        ("text", json!(response.spoken())),
        (
            "reasoning",
            json!(reply.parts.iter().filter_map(reasoning).collect::<String>()),
        ),
        ("calls", calls.collect()),
        ("usage", json!(reply.usage)),
        ("finish", json!(reply.finish)),
        ("model", json!(reply.model)),
        ("warnings", json!(reply.warnings)),
    ];
    fields
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn failed(error: &ModelError) -> Map<String, Value> {
    self::error(error.kind.code(), &error.detail)
}

/// The wire: as the exchange says, else as its path, its request, its file or its body looks.
fn wire_of(path: &Path, exchange: &Value, body: &str) -> Option<Wire> {
    let told = |field: &str| {
        exchange
            .get(field)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let named = |name: &str| {
        Wire::ALL
            .into_iter()
            .find(|wire| wire.name() == name.replace('_', "-"))
    };
    let request = exchange.get("request").cloned().unwrap_or_default();
    let of_request = |field: &str| {
        request
            .get(field)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let addresses = [
        told("path"),
        told("url"),
        of_request("path"),
        of_request("url"),
        of_request("uri"),
    ];
    let of_file = || {
        let parts = path
            .iter()
            .rev()
            .map(|part| part.to_string_lossy().replace('_', "-"));
        parts
            .flat_map(|part| {
                Wire::ALL
                    .into_iter()
                    .find(|wire| part.contains(wire.name()))
            })
            .next()
    };
    named(told("wire"))
        .or_else(|| addresses.into_iter().find_map(of_address))
        .or_else(|| of_shape(request.get("body").unwrap_or(&request)))
        .or_else(of_file)
        .or_else(|| of_body(body))
}

fn of_address(address: &str) -> Option<Wire> {
    let path = address
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
        .trim_end_matches('/');
    if path.ends_with("/completions") {
        Some(Wire::OpenaiChat)
    } else if path.contains("enerateContent") {
        Some(Wire::GoogleGenerateContent)
    } else if path.ends_with("/messages") {
        Some(Wire::AnthropicMessages)
    } else if path.ends_with("/responses") {
        Some(Wire::OpenaiResponses)
    } else {
        None
    }
}

/// The wire of a request by the fields that only it has.
fn of_shape(request: &Value) -> Option<Wire> {
    let has = |field: &str| request.get(field).is_some();
    if has("contents") {
        Some(Wire::GoogleGenerateContent)
    } else if has("input") && !has("messages") {
        Some(Wire::OpenaiResponses)
    } else if has("messages")
        && (has("system") || has("anthropic_version") || has("thinking") && has("max_tokens"))
    {
        Some(Wire::AnthropicMessages)
    } else {
        None // the file or the body tells
    }
}

/// The wire of an answer by words that only it has.
fn of_body(body: &str) -> Option<Wire> {
    let has = |word: &str| body.contains(word);
    if has("\"candidates\"") || has("\"promptFeedback\"") || has("\"usageMetadata\"") {
        Some(Wire::GoogleGenerateContent)
    } else if has("\"message_start\"") || has("\"stop_reason\"") || has("content_block_") {
        Some(Wire::AnthropicMessages)
    } else if has("\"choices\"") || has("chat.completion") {
        Some(Wire::OpenaiChat)
    } else if has("\"response.") || has("\"output\"") {
        Some(Wire::OpenaiResponses)
    } else {
        None
    }
}
