use std::sync::OnceLock;

use serde_json::{Value, json};

use super::*;
use crate::text::firewall::ArtifactFamily;

mod bounds;
mod comments;
mod corpus;
mod costs;
mod dialects;
mod laws;
mod odd;

/// The tools `search`, `get_weather`, `delete_file` and `run_command`, and two kinds of domain artifacts.
fn known() -> Known {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    KNOWN
        .get_or_init(|| {
            let schema = |names: &[&str]| -> Value {
                let properties = names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"})));
                json!({"type": "object", "properties": serde_json::Map::from_iter(properties), "required": names})
            };
            let argv = json!({"type": "array", "items": {"type": "string"}});
            let tools = [
                ("run_command", json!({"type": "object", "properties": {"argv": argv}})),
                ("search", schema(&["query"])),
                ("get_weather", schema(&["city", "unit"])),
                ("delete_file", schema(&["path"])),
            ];
            let kinds = ["installation_estimate", "contractor_list"];
            Known::new(tools.iter().map(|(name, schema)| (*name, schema)), kinds)
        })
        .clone()
}

/// What became of a text.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Scanned {
    kept: String,
    withheld: Vec<Withheld>,
}

/// Pushes the deltas, and checks that the spans are the whole text, in order.
fn scanned<'d>(deltas: impl IntoIterator<Item = &'d str>) -> Scanned {
    let (mut scanned, mut firewall) = (Scanned::default(), Firewall::new(known()));
    let (mut at, mut len) = (0, 0);
    let mut out = |span: SpokenSpan<'_>| match span {
        SpokenSpan::Pass { from, text } => {
            assert_eq!(from, at, "{text:?}");
            at += u32::try_from(text.len()).unwrap();
            scanned.kept.push_str(text);
        }
        SpokenSpan::Withheld(withheld) => {
            assert_eq!(withheld.from, at);
            assert!(withheld.from < withheld.to);
            at = withheld.to;
            scanned.withheld.push(withheld);
        }
    };
    for delta in deltas {
        len += delta.len();
        firewall.push(delta, &mut out);
    }
    firewall.finish(&mut out);
    assert_eq!(usize::try_from(at).unwrap(), len);
    scanned
}

/// A row of a corpus: what is said, what of it stays, and what the artifacts are.
struct Row {
    title: &'static str,
    said: String,
    kept: String,
    withheld: Vec<String>,
}

/// Reads rows that begin with a line of `---` and a title. Artifacts stand between `⟦` and `⟧`.
fn rows(text: &'static str) -> impl Iterator<Item = Row> {
    text.split("--- ").filter(|row| !row.is_empty()).map(|row| {
        let (title, body) = row.split_once('\n').unwrap();
        marked(title, body.strip_suffix('\n').unwrap_or(body))
    })
}

fn marked(title: &'static str, body: &str) -> Row {
    let mut row = Row {
        title,
        said: String::new(),
        kept: String::new(),
        withheld: Vec::new(),
    };
    for part in body.split('⟦') {
        let (artifact, prose) = part.split_once('⟧').unwrap_or(("", part));
        row.said.extend([artifact, prose]);
        row.kept.push_str(prose);
        row.withheld
            .extend(Some(artifact.to_owned()).filter(|artifact| !artifact.is_empty()));
    }
    row
}

impl Row {
    #[track_caller]
    fn check(&self) -> Result<(), String> {
        let Scanned { kept, withheld } = scanned([self.said.as_str()]);
        let found: Vec<&str> = withheld
            .iter()
            .map(|w| &self.said[w.from as usize..w.to as usize])
            .collect();
        if kept == self.kept && found == self.withheld {
            return Ok(());
        }
        Err(format!(
            "{}\n said {:?}\n kept {kept:?}\n  not {:?}\n found {found:?}\n   not {:?}\n",
            self.title, self.said, self.kept, self.withheld
        ))
    }
}

fn artifacts() -> impl Iterator<Item = Row> {
    rows(include_str!("tests/artifacts.txt")).chain(rows(include_str!("tests/dialects.txt")))
}

fn clean() -> impl Iterator<Item = Row> {
    rows(include_str!("tests/clean.txt")).chain(rows(include_str!("tests/samples.txt")))
}
