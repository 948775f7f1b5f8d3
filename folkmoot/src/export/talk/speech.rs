//! Messages, as they read now.

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Attachment, Author};
use folkmoot_core::ids::MessageId;
use folkmoot_core::ids::Position;
use folkmoot_core::world::projection::{Revised, TextProjection};

use super::{Blank, Body, Entry, EntryKind, Talk};

/// Words that somebody said.
pub(super) struct Said<'e> {
    pub(super) author: &'e Author,
    /// The message they answer.
    pub(super) reply_to: Option<MessageId>,
    /// The note about the words that these took the place of; `None` if there were none.
    pub(super) instead: Option<String>,
}

impl Talk {
    /// A message as it reads now; of one that is gone, what became of it.
    pub(super) fn said(&self, blank: &Blank, commit: &Commit, said: Said<'_>) -> Entry {
        let Said {
            author,
            reply_to,
            instead,
        } = said;
        let entry = match author {
            Author::Person(name) => blank.entry(EntryKind::Person, name, String::new()),
            Author::Service(_) => blank.entry(EntryKind::Service, author, String::new()),
            Author::Agent(name) => blank.entry(EntryKind::Agent, name, String::new()),
            Author::World => blank.entry(EntryKind::World, "world", String::new()),
        };
        let at = blank.at;
        if let Some((by, how)) = self.revisions.of(at) {
            return Entry {
                gone: Some(became(by, at, how)),
                ..entry
            };
        }
        let found = TextProjection::default()
            .take(commit)
            .into_iter()
            .find(|message| message.at == at);
        let (text, files) = found
            .map(|message| (message.text, message.attachments))
            .unwrap_or_default();
        let answers = reply_to.map(|to| format!("answers #{to}"));
        let notes = instead
            .into_iter()
            .chain(answers)
            .chain(files.iter().map(attached))
            .collect();
        // A message has words or files; one without either was erased.
        let body = if text.is_empty() && files.is_empty() {
            Body::Erased
        } else {
            Body::Prose(text)
        };
        Entry {
            body,
            notes,
            ..entry
        }
    }
}

fn became(by: Position, at: Position, (message, how): (Position, Revised)) -> String {
    match how {
        Revised::Edited if message == at => format!("now says what #{by} says"),
        Revised::Retracted if message == at => format!("taken back by #{by}"),
        Revised::Regenerated if message == at => format!("made anew by #{by}"),
        Revised::Edited | Revised::Retracted | Revised::Regenerated => {
            format!("gone with #{message}, which it answered (#{by})")
        }
    }
}

fn attached(file: &Attachment) -> String {
    format!(
        "attached: {} ({}, {} bytes, {})",
        file.name,
        file.media_type,
        file.bytes,
        file.blob.short()
    )
}
