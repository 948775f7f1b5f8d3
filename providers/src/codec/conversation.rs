//! The conversation in the order that all wires want: the results of an answer's calls stand right
//! behind it, each exactly once, and what was heard in between comes after them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use folkmoot_core::model::response::Part;
use folkmoot_core::port::Files;
use folkmoot_core::prompt::{Attached, Item, ModelRequest};

use super::Codec;
use super::warning;

/// The text that a model reads in place of a result that is not there.
const NO_RESULT: &str = "[no result of this call is known]";

/// A turn of the conversation.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WireTurn<'r> {
    /// The words of somebody else, or of the runtime.
    Heard(HeardTurn<'r>),
    /// The agent's own answer.
    Said {
        /// The parts of the answer.
        parts: &'r [Part],
        /// The ids of its calls on the wire, in order.
        ids: Vec<String>,
    },
    /// The results of all calls of the last answer, in their order. Never empty.
    Results(Vec<WireResult>),
}

/// Words, and the files that came with them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HeardTurn<'r> {
    /// The speaker, the words, and a line for each file.
    pub(super) text: String,
    /// The files that the wire carries.
    pub(super) files: Vec<SentFile<'r>>,
}

/// A file whose bytes are there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SentFile<'r> {
    pub(super) name: &'r str,
    pub(super) media_type: &'r str,
    pub(super) bytes: &'r [u8],
}

/// The result of a call.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WireResult {
    /// The call's id on the wire.
    pub(super) id: String,
    /// The tool, as the model wrote it.
    pub(super) tool: String,
    /// The text that the model reads.
    pub(super) text: String,
    /// True if the call failed or did not run.
    pub(super) failed: bool,
}

/// A conversation, and what could not be carried of it.
#[derive(Debug, Default)]
pub(super) struct Conversation<'r> {
    /// The turns in order. Results follow the answer with their calls.
    pub(super) turns: Vec<WireTurn<'r>>,
    /// The codes of what the conversation could not carry.
    pub(super) warnings: BTreeSet<&'static str>,
}

/// Makes the label of a call, of ours or of another provider, into an id that the wire takes. The
/// number is that of the call; without a label the id is of the number alone, and another one for
/// each.
pub(super) type IdOf = fn(label: &str, call: usize) -> String;

/// The label itself, or `call_<n>`: for wires that take any text.
pub(super) fn any_id(label: &str, call: usize) -> String {
    if label.is_empty() {
        format!("call_{call}")
    } else {
        label.to_owned()
    }
}

impl<'r> Conversation<'r> {
    /// The conversation of `request` for the wire of `codec`.
    pub(super) fn of(
        request: &'r ModelRequest,
        files: &'r Files,
        codec: &'r dyn Codec,
        id_of: IdOf,
    ) -> Self {
        let mut writer = ConversationWriter {
            files,
            codec,
            id_of,
            out: Self::default(),
            ids: BTreeSet::new(),
            calls_count: 0,
            open: Vec::new(),
            waiting: BTreeMap::new(),
            held_back: Vec::new(),
        };
        request.items().iter().for_each(|item| writer.item(item));
        writer.answer_all();
        writer.out
    }
}

/// A call that waits for its result.
#[derive(Debug)]
struct OpenResult {
    /// The id of the call on the wire.
    id: String,
    /// The tool that was called.
    tool: String,
    /// The result, once it is found: its text, and whether it failed.
    result: Option<(String, bool)>,
}

#[derive(Debug)]
struct ConversationWriter<'r> {
    /// The bytes of the attachments that are there.
    files: &'r Files,
    /// The codec, which says what files the wire takes.
    codec: &'r dyn Codec,
    /// The wire's rule for the ids of calls.
    id_of: IdOf,
    /// The conversation so far.
    out: Conversation<'r>,
    /// The ids that are taken. Wires refuse two calls of one id.
    ids: BTreeSet<String>,
    /// The number of calls so far.
    calls_count: usize,
    /// The calls of the last answer, in order.
    open: Vec<OpenResult>,
    /// The open calls that wait under a label, by their places in `open`, oldest first.
    waiting: BTreeMap<&'r str, VecDeque<usize>>,
    /// The messages that came between an answer and the last of its results. They follow the
    /// results, since wires want these right behind the calls.
    held_back: Vec<HeardTurn<'r>>,
}

impl<'r> ConversationWriter<'r> {
    fn item(&mut self, item: &'r Arc<Item>) {
        match &**item {
            Item::Heard {
                from,
                text,
                attachments,
            } => {
                let heard = self.heard(from, text, attachments);
                self.hear(heard);
            }
            // A name cannot begin with a bracket, so that nobody's message looks like this.
            Item::Notice { text } => self.tell(format!("[notice] {text}")),
            Item::State { text } => self.tell(format!("[state] {text}")),
            Item::Summary { text } => {
                self.tell(format!("[summary of the earlier conversation] {text}"))
            }
            Item::Said { parts } => self.say(parts),
            Item::Result {
                label,
                text,
                failed,
            } => self.result(label, text, *failed),
        }
    }

    /// Returns the words, and a line for each file, whether its bytes go along or not: the line
    /// tells its name.
    fn heard(&mut self, from: &str, text: &str, attachments: &'r [Attached]) -> HeardTurn<'r> {
        let lines: Vec<String> = attachments.iter().map(ToString::to_string).collect();
        let said = (!text.is_empty() || lines.is_empty()).then_some(text);
        let text = said
            .into_iter()
            .chain(lines.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join("\n");
        let files: Vec<SentFile<'r>> = attachments
            .iter()
            .filter_map(|attached| self.file(attached))
            .collect();
        if files.len() < attachments.len() {
            self.out.warnings.insert(warning::ATTACHMENT_NOT_SENT);
        }
        HeardTurn {
            text: format!("{from}: {text}"),
            files,
        }
    }

    fn file(&self, attached: &'r Attached) -> Option<SentFile<'r>> {
        let bytes = self
            .files
            .get(&attached.blob)
            .filter(|_| self.codec.takes_file(&attached.media_type))?;
        Some(SentFile {
            name: &attached.name,
            media_type: &attached.media_type,
            bytes,
        })
    }

    fn say(&mut self, parts: &'r [Part]) {
        self.answer_all();
        let mut ids = Vec::new();
        for part in parts {
            let Part::Call(call) = part else { continue };
            let id = self.id(&call.label);
            self.waiting
                .entry(&call.label)
                .or_default()
                .push_back(self.open.len());
            self.open.push(OpenResult {
                id: id.clone(),
                tool: call.tool.clone(),
                result: None,
            });
            ids.push(id);
        }
        self.out.turns.push(WireTurn::Said { parts, ids });
    }

    fn result(&mut self, label: &str, text: &str, failed: bool) {
        let place = self.waiting.get_mut(label).and_then(VecDeque::pop_front);
        if let Some(open) = place.and_then(|place| self.open.get_mut(place)) {
            open.result = Some((text.to_owned(), failed));
            if self.open.iter().all(|open| open.result.is_some()) {
                self.answer_all();
            }
        } else {
            self.out.warnings.insert(warning::RESULT_WITHOUT_CALL);
            self.tell(format!("[result] {}", marked(text, failed)));
        }
    }

    fn tell(&mut self, text: String) {
        self.hear(HeardTurn {
            text,
            files: Vec::new(),
        });
    }

    fn hear(&mut self, heard: HeardTurn<'r>) {
        if self.open.is_empty() {
            self.out.turns.push(WireTurn::Heard(heard))
        } else {
            self.held_back.push(heard)
        }
    }

    /// Gives the results of the last answer, then what was held back for them.
    fn answer_all(&mut self) {
        let mut results = Vec::new();
        for OpenResult { id, tool, result } in self.open.drain(..) {
            if result.is_none() {
                self.out.warnings.insert(warning::RESULT_MISSING);
            }
            let (text, failed) = result.unwrap_or_else(|| (NO_RESULT.to_owned(), false));
            results.push(WireResult {
                id,
                tool,
                text,
                failed,
            });
        }
        self.waiting.clear();
        if !results.is_empty() {
            self.out.turns.push(WireTurn::Results(results));
        }
        self.out
            .turns
            .extend(self.held_back.drain(..).map(WireTurn::Heard));
    }

    /// The id of the next call, which no other call of the conversation has.
    fn id(&mut self, label: &str) -> String {
        let ordinal = self.calls_count;
        self.calls_count += 1;
        // A label may come twice, from two answers or two providers, and the wires refuse that.
        let mut id = (self.id_of)(label, ordinal);
        let mut number = ordinal;
        while !self.ids.insert(id.clone()) {
            id = (self.id_of)("", number);
            number += 1;
        }
        id
    }
}

/// The result's text, for wires that have no mark for a failure.
pub(super) fn marked(text: &str, failed: bool) -> String {
    if failed {
        format!("[failed] {text}")
    } else {
        text.to_owned()
    }
}
