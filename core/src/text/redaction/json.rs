//! JSON within a text: each of its strings and numbers is rewritten in its place, and what is
//! rewritten is a JSON string.
//!
//! A text that is a JSON document, or has some in it, has as many afterwards: a marker in the place
//! of a bare number would make everything around it unreadable.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::value::Rewrite;

/// The most times that a text may be read in vain, in search of a document. The rest is text.
const VAIN_READS_MAX: usize = 4;

/// Longer names of fields are not held against those of secrets, in bytes.
const NAME_MAX: usize = 1024;

/// The treatment of text that is no JSON.
pub(super) type Plain<'r> = dyn for<'a> Fn(&'a str) -> Cow<'a, str> + 'r;

/// `text` with the values of its documents rewritten by `rewrite`, and all between them by `plain`.
pub(super) fn replace<'a>(text: &'a str, rewrite: &Rewrite<'_>, plain: &Plain<'_>) -> Cow<'a, str> {
    let mut parts = Vec::new();
    let mut done = 0;
    for Range { start, end } in documents(text) {
        parts.push(plain(text.get(done..start).unwrap_or_default()));
        parts.push(Document::rewritten(
            text.get(start..end).unwrap_or_default(),
            rewrite,
        ));
        done = end;
    }
    if parts.is_empty() {
        return plain(text);
    }
    parts.push(plain(text.get(done..).unwrap_or_default()));
    let is_same = parts.iter().all(|part| matches!(part, Cow::Borrowed(_)));
    if is_same {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(parts.concat())
    }
}

/// Returns where the documents of `text` stand: objects and arrays, or one string that is all of it.
/// Within other text only those with a string in them: the brackets of prose hold numbers as well.
fn documents(text: &str) -> Vec<Range<usize>> {
    if let Some(string) = whole_string(text) {
        return vec![string];
    }
    let mut found = Vec::new();
    let mut at = 0_usize;
    let mut vain = 0_usize;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find(['{', '['])) {
        let start = at + next;
        let rest = text.get(start..).unwrap_or_default();
        match document_len(rest) {
            Ok(len) => {
                let end = start + len;
                let is_blank = |part: Option<&str>| part.is_none_or(|part| part.trim().is_empty());
                let is_whole = is_blank(text.get(..start)) && is_blank(text.get(end..));
                if is_whole
                    || rest
                        .get(..len)
                        .is_some_and(|document| document.contains('"'))
                {
                    found.push(start..end);
                }
                at = end;
            }
            Err(read) => {
                vain += read;
                at = start + 1;
            }
        }
        if vain > text.len().saturating_mul(VAIN_READS_MAX) {
            break;
        }
    }
    found
}

/// Returns where the string of JSON stands that is all of `text`, but for blanks around it.
fn whole_string(text: &str) -> Option<Range<usize>> {
    let start = text.find(|c: char| !c.is_whitespace())?;
    let rest = text.get(start..).filter(|rest| rest.starts_with('"'))?;
    let end = start + document_len(rest).ok()?;
    text.get(end..)
        .is_some_and(|behind| behind.trim().is_empty())
        .then_some(start..end)
}

/// The bytes of the document that `text` begins with; else how many were read in vain.
fn document_len(text: &str) -> Result<usize, usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(IgnoredAny)) => Ok(values.byte_offset()),
        Some(Err(error)) => {
            let lines = text
                .split_inclusive('\n')
                .take(error.line().saturating_sub(1));
            Err(lines
                .map(str::len)
                .fold(error.column(), usize::saturating_add)
                .max(1))
        }
        None => Err(1),
    }
}

/// A document that is read from its beginning to its end. It is known to be one.
struct Document<'t> {
    text: &'t str,
    rewrite: &'t Rewrite<'t>,
    open: Vec<Level>,
    /// The new text, up to `done`. Empty while nothing has changed.
    out: String,
    done: usize,
}

/// An object or an array that is open.
#[derive(Default)]
struct Level {
    is_object: bool,
    /// True if the next string is the name of a field.
    is_before_name: bool,
    /// The field whose value comes, or the one that holds the array.
    name: Option<Arc<str>>,
    /// The number of names of fields that have become the same one.
    renamed: BTreeMap<String, u32>,
}

impl<'t> Document<'t> {
    fn rewritten<'a>(text: &'a str, rewrite: &Rewrite<'_>) -> Cow<'a, str> {
        let mut document = Document {
            text,
            rewrite,
            open: Vec::new(),
            out: String::new(),
            done: 0,
        };
        let mut at = 0;
        while let Some(byte) = text.as_bytes().get(at) {
            at = document.step(*byte, at);
        }
        if document.done == 0 {
            return Cow::Borrowed(text);
        }
        document
            .out
            .push_str(text.get(document.done..).unwrap_or_default());
        Cow::Owned(document.out)
    }

    /// Takes what begins with `byte` at `at`; gives where the next thing begins.
    fn step(&mut self, byte: u8, at: usize) -> usize {
        let next = at + 1;
        match byte {
            b'{' | b'[' => {
                let is_object = byte == b'{';
                let name = self.name();
                self.open.push(Level {
                    is_object,
                    is_before_name: is_object,
                    name,
                    renamed: BTreeMap::new(),
                });
                next
            }
            b'}' | b']' => {
                self.open.pop();
                next
            }
            b',' => {
                if let Some(level) = self.open.last_mut() {
                    level.is_before_name = level.is_object;
                }
                next
            }
            b'"' => self.string(at),
            b'-' | b'0'..=b'9' => self.number(at),
            _ => next,
        }
    }

    fn name(&self) -> Option<Arc<str>> {
        self.open.last().and_then(|level| level.name.clone())
    }

    fn string(&mut self, at: usize) -> usize {
        let end = at + string_len(self.text.get(at..).unwrap_or_default());
        let written = self.text.get(at..end).unwrap_or_default();
        // Half a surrogate pair is a string of JSON, and none of ours.
        let inner = || written.trim_matches('"').to_owned();
        let content: String = serde_json::from_str(written).unwrap_or_else(|_half_pair| inner());
        if self.open.last().is_some_and(|level| level.is_before_name) {
            self.field(at..end, content);
        } else {
            let name = self.name();
            if let Cow::Owned(new) = (self.rewrite)(name.as_deref(), &content) {
                self.put(at..end, new);
            }
        }
        end
    }

    /// The name of a field. Names that become the same are told apart by a number, so that none is
    /// lost.
    fn field(&mut self, place: Range<usize>, name: String) {
        let new = match (self.rewrite)(None, &name) {
            Cow::Owned(new) => Some(new),
            Cow::Borrowed(_) => None,
        };
        let Some(level) = self.open.last_mut() else {
            return;
        };
        level.is_before_name = false;
        level.name = (name.len() <= NAME_MAX).then(|| name.into());
        let Some(new) = new else { return };
        let count = level.renamed.entry(new.clone()).or_default();
        *count += 1;
        let new = if *count > 1 {
            format!("{new} {count}")
        } else {
            new
        };
        self.put(place, new);
    }

    fn number(&mut self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let end = at + rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let name = self.name();
        if let Cow::Owned(new) =
            (self.rewrite)(name.as_deref(), self.text.get(at..end).unwrap_or_default())
        {
            self.put(at..end, new);
        }
        end
    }

    fn put(&mut self, place: Range<usize>, new: String) {
        self.out
            .push_str(self.text.get(self.done..place.start).unwrap_or_default());
        self.out.push_str(&Value::from(new).to_string());
        self.done = place.end;
    }
}

/// The bytes of the string that `text` begins with, its quotation marks included.
fn string_len(text: &str) -> usize {
    let mut is_escaped = true; // The mark that opens it.
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
