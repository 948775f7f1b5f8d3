//! Quotes: events that say again, word for word, what is to be erased.

use std::collections::BTreeSet;

use folkmoot::core::event::{Event, StoredContent};
use folkmoot::core::ids::{Position, WorldName};
use folkmoot::core::port::EventLog;
use futures::TryStreamExt as _;
use serde_json::Value;

use super::selection::Selection;
use crate::exit::CliError;

/// The shortest sentence that is looked for, in characters: a shorter one says little about who
/// quotes whom.
const SENTENCE_MIN: usize = 24;
/// The most sentences that are looked for.
const SENTENCES_MAX: usize = 5_000;
/// The most events that are named.
const QUOTES_MAX: usize = 100;

/// Events that stay and hold sentences of those that go.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    pub(super) at: Vec<Position>,
    pub(super) has_more: bool,
}

impl Quotes {
    /// Reads the log twice: for the sentences, and for who has them.
    pub(super) async fn find(
        log: &dyn EventLog,
        name: &WorldName,
        chosen: &Selection,
    ) -> Result<Self, CliError> {
        let mut sentences = BTreeSet::new();
        each(log, name, |at, event| {
            if chosen.holds(at) {
                let found = texts(event)
                    .iter()
                    .flat_map(|text| self::sentences(text))
                    .collect::<Vec<_>>();
                let room = SENTENCES_MAX.saturating_sub(sentences.len());
                sentences.extend(found.into_iter().take(room));
            }
        })
        .await?;
        let mut quotes = Self::default();
        each(log, name, |at, event| {
            let is_quoted =
                |text: &String| sentences.iter().any(|sentence| text.contains(sentence));
            if !chosen.holds(at) && texts(event).iter().any(is_quoted) {
                quotes.add(at);
            }
        })
        .await?;
        Ok(quotes)
    }

    fn add(&mut self, at: Position) {
        if self.at.len() < QUOTES_MAX {
            self.at.push(at);
        } else {
            self.has_more = true;
        }
    }
}

async fn each(
    log: &dyn EventLog,
    name: &WorldName,
    mut look: impl FnMut(Position, &Event),
) -> Result<(), CliError> {
    let Some(entry) = log.find(name).await? else {
        return Ok(());
    };
    let mut commits = log.read(entry.world, Position::new(1)).await?;
    while let Some(stored) = commits.try_next().await? {
        stored
            .commit
            .numbered()
            .for_each(|(at, event)| look(at, event));
    }
    Ok(())
}

fn sentences(text: &str) -> Vec<String> {
    let pieces = text.split(['.', '!', '?', '\n']).map(str::trim);
    pieces
        .filter(|piece| piece.chars().count() >= SENTENCE_MIN)
        .map(str::to_owned)
        .collect()
}

/// All texts in an event's content. Arguments of calls are JSON in a text.
fn texts(event: &Event) -> Vec<String> {
    let mut texts = Vec::new();
    if let Ok(StoredContent::Present(bytes)) = event.to_record().map(|record| record.content)
        && let Ok(content) = serde_json::from_slice::<Value>(&bytes)
    {
        collect(content, &mut texts);
    }
    texts
}

fn collect(value: Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(&text) {
                collect(inner, into);
            }
            into.push(text);
        }
        Value::Array(items) => items.into_iter().for_each(|item| collect(item, into)),
        Value::Object(fields) => fields
            .into_iter()
            .for_each(|(_, value)| collect(value, into)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
