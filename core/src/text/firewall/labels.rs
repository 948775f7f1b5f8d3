//! Calls in lines with labels: YAML, and what is read aloud like it.
//!
//! ```yaml
//! tool: search
//! arguments:
//!   query: x
//! ```

use super::call::{Begins, Frame};
use super::cursor::{Cursor, Stop};
use super::key::Keys;
use super::skim::skip_value;
use super::vocabulary::Known;
use super::word::canonical;
use crate::text::firewall::ArtifactFamily;

/// The longest label, in bytes.
const LABEL_MAX: usize = 32;

/// The most lines with labels of one call, and the most labels around it.
const LINES_MAX: usize = 8;
const AROUND_MAX: usize = 3;

/// Stands around the labels of some models: `✿FUNCTION✿: search`.
const FLOWER: &[u8] = "✿".as_bytes();

/// The labels that a call can begin with.
const FIRST: [&str; 24] = [
    "name",
    "tool",
    "toolname",
    "toolcall",
    "toolcalls",
    "tooluse",
    "function",
    "functionname",
    "functioncall",
    "functioncalls",
    "action",
    "command",
    "recipientname",
    "call",
    "calls",
    "arguments",
    "args",
    "kwargs",
    "parameters",
    "input",
    "toolinput",
    "actioninput",
    "type",
    "usetool",
];

/// The call whose first label is at `cursor`, in a line that begins with its bytes: from where to
/// where, and what it is.
pub(super) fn find(
    cursor: Cursor<'_>,
    known: &Known,
) -> Result<(usize, usize, ArtifactFamily), Stop> {
    let mut ahead = cursor;
    let line = cursor.bytes.get(..cursor.at).unwrap_or_default();
    let from = if line.ends_with(b"- ") {
        line.len().saturating_sub(2)
    } else {
        line.len()
    };
    let mut column = cursor.at;
    for _ in 0..AROUND_MAX {
        let mut inner = ahead;
        if !is_around(&mut inner)? {
            break;
        }
        column = indent(&mut inner)?;
        ahead = inner;
    }
    let mut block = LabelBlock {
        frame: Frame::new(true, 0, None),
        known,
        column,
        end: ahead.at,
    };
    block.read(ahead)?;
    match block.frame.family() {
        Some(family) if block.frame.names_tool() => Ok((from, block.end, family)),
        Some(_) | None => Err(Stop::No),
    }
}

/// Goes to the next line if a label without a value is next that stands around calls.
fn is_around(cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
    let Some((_, word)) = label(cursor, |word| {
        FIRST.iter().any(|label| label.starts_with(word))
    })?
    else {
        return Ok(false);
    };
    cursor.skip_blanks()?;
    let is_around = matches!(
        word.as_str(),
        "toolcall"
            | "toolcalls"
            | "tooluse"
            | "function"
            | "functioncall"
            | "functioncalls"
            | "call"
            | "calls"
            | "usetool"
            | "tool"
    );
    if !is_around || !matches!(cursor.peek()?, Some(b'\r' | b'\n')) {
        return Ok(false);
    }
    cursor.skip_line()?;
    cursor.skip(1);
    Ok(true)
}

/// Skips what stands before the first word of a line, and gives how much it was.
fn indent(cursor: &mut Cursor<'_>) -> Result<usize, Stop> {
    let is_indent =
        |b: u8| matches!(b, b' ' | b'\t' | b'>' | b'-' | b'.' | b')' | b'*') || b.is_ascii_digit();
    cursor.take_while(usize::MAX, is_indent).map(<[u8]>::len)
}

/// `label:`, if it is next, as it is written and canonical. One of which only the beginning is
/// there must fit.
fn label<'t>(
    cursor: &mut Cursor<'t>,
    fits: impl Fn(&str) -> bool,
) -> Result<Option<(&'t [u8], String)>, Stop> {
    cursor.eat_word(FLOWER)?;
    let from = cursor.at;
    let is_label = |b: u8| {
        b.is_ascii_alphanumeric()
            || matches!(b, b'_' | b'-' | b'.' | b' ' | b'"' | b'\'' | b'*' | b'`')
    };
    let Ok(raw) = cursor.take_while(LABEL_MAX, is_label) else {
        let begun = word_of(cursor.bytes.get(from..).unwrap_or_default());
        return if fits(&begun) {
            Err(Stop::More)
        } else {
            Ok(None)
        };
    };
    let word = word_of(raw);
    if word.is_empty() || !fits(&word) {
        return Ok(None);
    }
    cursor.eat_word(FLOWER)?;
    if !cursor.eat(b':')? {
        return Ok(None);
    }
    cursor.take_while(LABEL_MAX, |b| matches!(b, b' ' | b'*' | b'`' | b'_'))?;
    Ok(Some((raw, word)))
}

fn word_of(raw: &[u8]) -> String {
    canonical(raw).replace(['"', '\'', '*', '`'], "")
}

/// Lines with labels that stand below each other.
struct LabelBlock<'k> {
    frame: Frame,
    known: &'k Known,
    column: usize,
    /// Behind what was read.
    end: usize,
}

impl LabelBlock<'_> {
    fn read(&mut self, mut cursor: Cursor<'_>) -> Result<(), Stop> {
        for line in 0..LINES_MAX {
            let is_of_call = |word: &str| {
                FIRST.iter().any(|label| label.starts_with(word)) || line > 0 && is_beside(word)
            };
            let fits = |word: &str| {
                is_of_call(word)
                    || line == 0 && self.known.may_be_called(word)
                    || line > 0 && self.known.may_be_property(word)
            };
            let Some((raw, word)) = label(&mut cursor, fits)? else {
                return Ok(());
            };
            let is_told = match line {
                0 => FIRST.contains(&word.as_str()) || self.known.is_tool(&word),
                _ => is_of_call(&word) || self.known.is_property(&word),
            };
            if !is_told {
                return Ok(());
            }
            self.frame.read_key(raw, &word, self.known);
            let is_name = self.value(&mut cursor, &word)?;
            if line == 0 && is_name == Some(false) {
                return Ok(());
            }
            self.end = trimmed(&cursor);
            if !self.next_line(&mut cursor)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Takes the value of a label. Gives whether it names a tool, if it could.
    fn value(&mut self, cursor: &mut Cursor<'_>, word: &str) -> Result<Option<bool>, Stop> {
        match cursor.peek()? {
            Some(b'\r' | b'\n') | None => {
                self.nested(cursor)?;
                Ok(Keys::of(b"", word).has(Keys::NAMES).then_some(false))
            }
            Some(b'{' | b'[') => {
                let inner = *cursor;
                let is_object = cursor.peek()? == Some(b'{');
                self.frame.begin_value(if is_object {
                    Begins::Object
                } else {
                    Begins::Array
                });
                skip_value(cursor, self.known)?;
                if is_object {
                    self.argument(inner)?;
                }
                cursor.skip_line()?;
                Ok(None)
            }
            Some(_) => {
                let text = cursor.take_while(usize::MAX, |b| b != b'\n')?;
                let text = text.trim_ascii();
                if matches!(text, b"|" | b">" | b"|-" | b">-") {
                    self.frame.begin_value(Begins::Text);
                    self.lines_below(cursor)?;
                    return Ok(None);
                }
                let bare = text
                    .iter()
                    .position(|b| matches!(b, b' ' | b','))
                    .unwrap_or(text.len());
                let value = word_of(text.get(..bare).unwrap_or_default());
                self.frame.begin_value(Begins::Text);
                self.frame.read_text(
                    text,
                    if bare == text.len() { &value } else { "" },
                    self.known,
                );
                let is_name = Keys::of(b"", word).has(Keys::NAMES) || word == "type";
                Ok(is_name
                    .then(|| self.known.is_tool(&value) && bare == text.len() || is_kind(&value)))
            }
        }
    }

    /// An object on the same line: its first key says whether it holds arguments.
    fn argument(&mut self, mut cursor: Cursor<'_>) -> Result<(), Stop> {
        cursor.skip(1);
        cursor.skip_white()?;
        let raw = cursor.take_while(LABEL_MAX, |b| b != b':' && b != b'}')?;
        let mut child = Frame::new(true, 0, Some(&self.frame));
        if !raw.is_empty() {
            child.read_key(raw, &word_of(raw), self.known);
            child.begin_value(Begins::Text);
            child.read_text(b"", "", self.known);
        }
        self.frame.take(&child);
        Ok(())
    }

    /// The lines below a label that stand further in.
    fn nested(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        let mut ahead = *cursor;
        ahead.skip_white()?;
        ahead.take_while(usize::MAX, |b| matches!(b, b' ' | b'>'))?;
        let is_list = ahead.peek()? == Some(b'-');
        self.frame.begin_value(if is_list {
            Begins::Array
        } else {
            Begins::Object
        });
        if !is_list && let Some((raw, word)) = label(&mut ahead, |_| true)? {
            let mut child = Frame::new(true, 0, Some(&self.frame));
            child.read_key(raw, &word, self.known);
            ahead.skip_blanks()?;
            match ahead.peek()? {
                Some(b'\r' | b'\n') => {
                    ahead.skip_white()?;
                    ahead.take_while(usize::MAX, |b| matches!(b, b' ' | b'>'))?;
                    let is_list = ahead.peek()? == Some(b'-');
                    child.begin_value(if is_list {
                        Begins::Array
                    } else {
                        Begins::Object
                    });
                }
                Some(b'{') => child.begin_value(Begins::Object),
                Some(b'[') => child.begin_value(Begins::Array),
                Some(_) | None => {
                    child.begin_value(Begins::Text);
                    let text = word_of(ahead.take_while(usize::MAX, |b| b != b'\n')?);
                    child.read_text(b"", &text, self.known);
                }
            }
            self.frame.take(&child);
        }
        self.lines_below(cursor)
    }

    /// Skips the lines that stand further in, with empty ones between.
    fn lines_below(&self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        loop {
            cursor.skip_line()?;
            let mut ahead = *cursor;
            while matches!(ahead.peek()?, Some(b'\r' | b'\n')) {
                ahead.skip(1);
            }
            let column = ahead
                .take_while(usize::MAX, |b| matches!(b, b' ' | b'\t' | b'>'))?
                .len();
            if column <= self.column || ahead.peek()?.is_none() {
                return Ok(());
            }
            *cursor = ahead;
        }
    }

    /// Goes to the label on the next line, if one stands there in the same column.
    fn next_line(&self, cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
        cursor.skip_line()?;
        if cursor.peek()?.is_none() {
            return Ok(false);
        }
        cursor.skip(1);
        let column = indent(cursor)?;
        Ok(column == self.column)
    }
}

/// Tells whether `word` may stand beside the name and the arguments of a call.
fn is_beside(word: &str) -> bool {
    ["id", "callid", "toolcallid", "type"]
        .iter()
        .any(|label| label.starts_with(word))
}

/// Tells whether `word` is what a call says of its own type.
fn is_kind(word: &str) -> bool {
    matches!(word, "function" | "tooluse" | "toolcall" | "functioncall")
}

/// Returns where what was read ends, without the blanks at its end.
fn trimmed(cursor: &Cursor<'_>) -> usize {
    cursor
        .bytes
        .get(..cursor.at)
        .unwrap_or_default()
        .trim_ascii_end()
        .len()
}
