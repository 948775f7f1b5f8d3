//! Artifacts between tags or tokens.

use super::cursor::{Cursor, Stop};
use super::found::Found;
use super::known::Known;
use super::skim::{Ends, skip_value};
use super::tag::{Shape, TAG_MAX, Tag};
use super::unclosed::Unclosed;
use crate::event::ArtifactFamily;

/// The most bytes of one such artifact that are looked at. What is longer and known for one goes on to its closing tag.
pub(super) const MARKUP_MAX: usize = 64 * 1024;

/// The longest name before the arguments of a call, in bytes.
const NAME_MAX: usize = 128;

/// The longest head of a message to a tool, in bytes.
const HEAD_MAX: usize = 256;

/// What an opening tag or token begins.
#[derive(Debug, Clone, Copy)]
struct Form {
    name: &'static str,
    family: ArtifactFamily,
    /// What closes it.
    closes: &'static [&'static str],
    body: Body,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// A call as JSON or as tags.
    Call,
    /// Calls as tags.
    Invokes,
    /// One call as tags, whose tool the opening tag names.
    Invoke,
    /// Anything up to the closing tag.
    Result,
    /// Code.
    Code,
    /// A call between tokens.
    Tokens,
    /// A message whose head names a tool.
    Channel,
}

const fn form(name: &'static str, family: ArtifactFamily, body: Body, closes: &'static [&'static str]) -> Form {
    Form { name, family, closes, body }
}

const TAGS: &[Form] = &[
    form("toolcall", ArtifactFamily::CallTag, Body::Call, &["toolcall"]),
    form("toolcalls", ArtifactFamily::CallTag, Body::Call, &["toolcalls"]),
    form("tooluse", ArtifactFamily::AnthropicCall, Body::Call, &["tooluse"]),
    form("functioncall", ArtifactFamily::CallTag, Body::Call, &["functioncall"]),
    form("functioncalls", ArtifactFamily::AnthropicCall, Body::Invokes, &["functioncalls"]),
    form("invoke", ArtifactFamily::AnthropicCall, Body::Invoke, &["invoke"]),
    form("function", ArtifactFamily::LlamaCall, Body::Invoke, &["function"]),
    form("toolresponse", ArtifactFamily::ToolResult, Body::Result, &["toolresponse"]),
    form("toolresult", ArtifactFamily::ToolResult, Body::Result, &["toolresult"]),
    form("toolresults", ArtifactFamily::ToolResult, Body::Result, &["toolresults"]),
    form("tooloutput", ArtifactFamily::ToolResult, Body::Result, &["tooloutput"]),
    form("functionresults", ArtifactFamily::ToolResult, Body::Result, &["functionresults"]),
    form("functionresult", ArtifactFamily::ToolResult, Body::Result, &["functionresult"]),
    form("functionresponse", ArtifactFamily::ToolResult, Body::Result, &["functionresponse"]),
    form("toolcode", ArtifactFamily::GeminiCall, Body::Code, &["toolcode"]),
    form("tooloutputs", ArtifactFamily::ToolResult, Body::Result, &["tooloutputs"]),
];

/// Code follows, to the end of the line.
const PYTHON: &str = "pythontag";

const TOKENS: &[Form] = &[
    form(PYTHON, ArtifactFamily::LlamaCall, Body::Tokens, &["eomid", "eotid"]),
    form("toolcalls", ArtifactFamily::CallTag, Body::Tokens, &[]),
    form("toolresults", ArtifactFamily::ToolResult, Body::Tokens, &[]),
    form("toolcall", ArtifactFamily::CallTag, Body::Tokens, &["toolcall"]),
    form("toolcallstart", ArtifactFamily::CallTag, Body::Tokens, &["toolcallend"]),
    form("toolcallsbegin", ArtifactFamily::CallTag, Body::Tokens, &["toolcallsend"]),
    form("toolcallbegin", ArtifactFamily::CallTag, Body::Tokens, &["toolcallend"]),
    form("toolcallssectionbegin", ArtifactFamily::CallTag, Body::Tokens, &["toolcallssectionend"]),
    form("tooloutputsbegin", ArtifactFamily::ToolResult, Body::Tokens, &["tooloutputsend"]),
    form("tooloutputbegin", ArtifactFamily::ToolResult, Body::Tokens, &["tooloutputend"]),
    form("actionstart", ArtifactFamily::CallTag, Body::Tokens, &["actionend"]),
    form("channel", ArtifactFamily::CallTag, Body::Channel, &["call", "end", "return"]),
    form("start", ArtifactFamily::CallTag, Body::Channel, &["call", "end", "return"]),
];

/// What only stands inside: tags that hold text, and tokens.
const INNER: &[&str] = &[
    "parameter",
    "argkey",
    "argvalue",
    "toolname",
    "servername",
    "name",
    "arguments",
    "result",
    "stdout",
    "toolsep",
    "toolcallargumentbegin",
    "toolcallend",
    "message",
    "constrain",
    "plugin",
    "eomid",
    "eotid",
    "call",
    "end",
    "return",
    "toolcallsend",
    "toolcallssectionend",
    "tooloutputsend",
    "tooloutputend",
    "actionend",
    "args",
];

fn is_mark(name: &str) -> bool {
    TAGS.iter().chain(TOKENS).any(|form| form.name == name) || INNER.contains(&name)
}

/// The artifact that begins with the tag at `cursor`, which is the beginning of its bytes and stands at `place` in the text.
pub(super) fn find(
    mut cursor: Cursor<'_>,
    place: usize,
    known: &Known,
    unclosed: &mut Unclosed,
) -> Result<Found, Stop> {
    let is_bracket = cursor.peek()? == Some(b'[');
    let tag = if is_bracket {
        Tag::bracketed(&mut cursor)?
    } else {
        Tag::read(&mut cursor, |name| is_mark(name) || known.is_tool(name))?
    };
    let forms = match tag.shape {
        Shape::Opening => TAGS,
        Shape::Token => TOKENS,
        Shape::Closing => return Err(Stop::No),
    };
    let by_tool = form("", ArtifactFamily::CallTag, Body::Invoke, &[]);
    let form = match forms.iter().find(|form| form.name == tag.name) {
        Some(form) => *form,
        None if tag.shape == Shape::Opening && known.is_tool(&tag.name) => by_tool,
        None => return Err(Stop::No),
    };
    let begins = form.begins(cursor, &tag, known)?;
    let walk = Walk { form, tag: &tag, known, is_text: begins == Begins::Text && !form.skip_name(&mut cursor)? };
    let to = if begins == Begins::Text && matches!(form.body, Body::Result | Body::Code) {
        walk.closing(&mut cursor, place, unclosed)?.ok_or(Stop::No)?
    } else {
        walk.end(&mut cursor)?.unwrap_or(cursor.at)
    };
    Ok(Found { from: 0, to, family: form.family, closes: form.closes, is_encoded: false })
}

/// What a body begins as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begins {
    /// As something that has an end of its own.
    Value,
    /// As text that goes on to the next tag.
    Text,
}

impl Form {
    /// Whether what stands behind the opening tag makes it the beginning of an artifact.
    fn begins(self, mut cursor: Cursor<'_>, tag: &Tag, known: &Known) -> Result<Begins, Stop> {
        let is_break = matches!(cursor.peek()?, Some(b'\r' | b'\n'));
        cursor.skip_white()?;
        let next = cursor.peek()?;
        match (self.body, next) {
            (Body::Call | Body::Tokens | Body::Invokes, None) => Ok(Begins::Value),
            (Body::Call | Body::Tokens, Some(b'{' | b'[')) if is_value(cursor, known)? => Ok(Begins::Value),
            (Body::Call | Body::Invokes, Some(b'<')) => inner(cursor, known),
            (Body::Call, Some(b)) if b.is_ascii_alphabetic() => name_of_tool(cursor, known),
            (Body::Tokens, Some(b'<')) => Tag::read(&mut cursor, is_mark).map(|_| Begins::Text),
            (Body::Tokens, Some(b)) if b.is_ascii_alphabetic() => call(cursor, known),
            (Body::Invoke, _) => invoked(cursor, tag, next, known),
            (Body::Result, Some(b'{' | b'[')) => Ok(Begins::Value),
            (Body::Result | Body::Code, Some(b)) if is_break || b != b'`' && b.is_ascii() => Ok(Begins::Text),
            (Body::Channel, _) => head(cursor),
            _ => Err(Stop::No),
        }
    }
}

impl Form {
    /// Skips what a call between tokens has before its arguments, where no closing token tells its end. Gives whether
    /// it has.
    fn skip_name(self, cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
        if self.name == PYTHON {
            cursor.take_while(usize::MAX, |b| !matches!(b, b'<' | b'\n'))?;
            return Ok(true);
        }
        if !self.closes.is_empty() {
            return Ok(false);
        }
        cursor.take_while(NAME_MAX, is_name)?;
        if cursor.eat_word(b"[ARGS]")? {
            return Ok(true);
        }
        if cursor.eat_word(b"[CALL_ID]")? {
            cursor.take_while(NAME_MAX, is_name)?;
            cursor.eat_word(b"[ARGS]")?;
        }
        Ok(true)
    }
}

/// Whether what begins here can be a JSON object, or an array of them or of calls.
fn is_value(mut cursor: Cursor<'_>, known: &Known) -> Result<bool, Stop> {
    let is_array = cursor.eat(b'[')?;
    cursor.skip_white()?;
    if is_array && cursor.peek()?.is_none_or(|b| b == b'{') {
        return Ok(true);
    }
    if is_array {
        return name_of_tool(cursor, known)
            .map(|_| true)
            .or_else(|stop| if stop == Stop::No { Ok(false) } else { Err(stop) });
    }
    cursor.eat(b'{')?;
    cursor.skip_white()?;
    Ok(matches!(cursor.peek()?, None | Some(b'"' | b'\'' | b'}' | b'\\')))
}

fn inner(mut cursor: Cursor<'_>, known: &Known) -> Result<Begins, Stop> {
    let tag = Tag::read(&mut cursor, |name| is_mark(name) || known.is_property(name))?;
    if tag.shape == Shape::Opening { Ok(Begins::Value) } else { Err(Stop::No) }
}

fn name_of_tool(mut cursor: Cursor<'_>, known: &Known) -> Result<Begins, Stop> {
    let name = cursor.take_while(NAME_MAX, is_name)?;
    if known.is_tool(&super::word::canonical(name)) { Ok(Begins::Text) } else { Err(Stop::No) }
}

/// A name with what makes it a call behind it: `search.call(`, `functions.search:0<|…`, `search{`.
fn call(mut cursor: Cursor<'_>, known: &Known) -> Result<Begins, Stop> {
    if name_of_tool(cursor, known).is_ok() {
        return Ok(Begins::Text);
    }
    cursor.take_while(NAME_MAX, is_name)?;
    let is_call = matches!(cursor.peek()?, Some(b'(' | b'<' | b'{' | b'['));
    if is_call { Ok(Begins::Text) } else { Err(Stop::No) }
}

const fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':') || b >= 0x80
}

/// `<invoke name="search">`, `<function=search>`, `<search><query>`: by a known tool, or by what only a wire writes.
fn invoked(mut cursor: Cursor<'_>, tag: &Tag, next: Option<u8>, known: &Known) -> Result<Begins, Stop> {
    let is_by_tag = known.is_tool(&tag.name) && !TAGS.iter().any(|form| form.name == tag.name);
    if !is_by_tag && known.is_tool(&tag.value) {
        return Ok(if next == Some(b'{') { Begins::Value } else { Begins::Text });
    }
    match next {
        Some(b'{') if !is_by_tag && !tag.value.is_empty() && is_value(cursor, known)? => Ok(Begins::Value),
        Some(b'<') => {
            let is_inner = |name: &str| {
                if is_by_tag {
                    known.has_property(&tag.name, name)
                } else {
                    name == "parameter" && !tag.value.is_empty()
                }
            };
            Tag::read(&mut cursor, is_inner).map(|_| Begins::Value)
        }
        Some(_) | None => Err(Stop::No),
    }
}

/// The head of a message, up to its text: it is for a tool.
fn head(mut cursor: Cursor<'_>) -> Result<Begins, Stop> {
    let from = cursor.at;
    while cursor.at.saturating_sub(from) < HEAD_MAX {
        cursor.take_while(HEAD_MAX, |b| !matches!(b, b'<' | b'\n'))?;
        let head = cursor.bytes.get(from..cursor.at).unwrap_or_default();
        let is_addressed = head.windows(3).any(|window| window == b"to=");
        match cursor.peek()? {
            None if is_addressed => return Ok(Begins::Text),
            Some(b'<') if Tag::read(&mut cursor, is_mark)?.name != "message" => {}
            Some(b'<') if is_addressed => return Ok(Begins::Text),
            Some(_) | None => return Err(Stop::No),
        }
    }
    Err(Stop::No)
}

/// The way through an artifact to its end.
struct Walk<'w> {
    form: Form,
    tag: &'w Tag,
    known: &'w Known,
    /// Whether text may stand at the place that is looked at.
    is_text: bool,
}

impl Walk<'_> {
    /// Where the artifact closes; `None` if nothing closes it, and `cursor` is where it ends then.
    fn end(mut self, cursor: &mut Cursor<'_>) -> Result<Option<usize>, Stop> {
        let always_text = self.is_text;
        let mut good = cursor.at;
        loop {
            cursor.skip_white()?;
            match cursor.peek()? {
                None if self.is_text => return Ok(None),
                Some(b'{' | b'[') if !self.is_text => match skip_value(cursor, self.known)? {
                    Ends::Cut => return Ok(None),
                    Ends::Whole | Ends::Broken => good = cursor.at,
                },
                Some(b'<') => {
                    let mut ahead = *cursor;
                    match Tag::read(&mut ahead, |name| self.is_part(name)) {
                        Ok(tag) if self.closes(&tag) => return Ok(Some(ahead.at)),
                        Ok(tag) => {
                            self.is_text = always_text || tag.shape != Shape::Closing;
                            (*cursor, good) = (ahead, ahead.at);
                        }
                        Err(Stop::No) if self.is_text => cursor.skip(1),
                        Err(Stop::No) => return self.closing_behind(cursor, good),
                        Err(Stop::More) => return Err(Stop::More),
                    }
                }
                Some(_) if self.is_text => drop(cursor.take_while(usize::MAX, |b| b != b'<')?),
                Some(_) | None => return self.closing_behind(cursor, good),
            }
        }
    }

    /// Where a text ends that is an artifact only if something closes it.
    fn closing(&self, cursor: &mut Cursor<'_>, place: usize, unclosed: &mut Unclosed) -> Result<Option<usize>, Stop> {
        let from = place.saturating_add(cursor.at);
        cursor.at = unclosed.skip(self.form.name, from).saturating_sub(place);
        let end = self.next_closing(cursor);
        // Nearer to the end of these bytes a tag might still go on.
        let decided = cursor.at.min(cursor.bytes.len().saturating_sub(TAG_MAX));
        unclosed.note(self.form.name, from, place.saturating_add(decided));
        end
    }

    /// Behind the next closing tag, at which `cursor` stands then. No tag has a `<` inside.
    fn next_closing(&self, cursor: &mut Cursor<'_>) -> Result<Option<usize>, Stop> {
        loop {
            cursor.take_while(usize::MAX, |b| b != b'<')?;
            if cursor.peek()?.is_none() {
                return Ok(None);
            }
            let mut ahead = *cursor;
            match Tag::read(&mut ahead, |name| self.is_part(name)) {
                Ok(tag) if self.closes(&tag) => return Ok(Some(ahead.at)),
                Ok(_) | Err(Stop::No) => cursor.skip(1),
                Err(Stop::More) => return Err(Stop::More),
            }
        }
    }

    /// The closing tag behind what should not stand there, unless the same begins again before it.
    fn closing_behind(&self, cursor: &mut Cursor<'_>, good: usize) -> Result<Option<usize>, Stop> {
        let mut ahead = *cursor;
        cursor.at = good;
        while !self.form.closes.is_empty() {
            ahead.take_while(usize::MAX, |b| b != b'<')?;
            if ahead.peek()?.is_none() {
                break;
            }
            let mut tag_end = ahead;
            match Tag::read(&mut tag_end, |name| self.is_part(name)) {
                Ok(tag) if self.closes(&tag) => return Ok(Some(tag_end.at)),
                Ok(tag) if tag.name == self.tag.name => break,
                Ok(_) => ahead = tag_end,
                Err(Stop::No) => ahead.skip(1),
                Err(Stop::More) => return Err(Stop::More),
            }
        }
        Ok(None)
    }

    fn is_part(&self, name: &str) -> bool {
        is_mark(name) || name == self.tag.name || self.known.has_property(&self.tag.name, name)
    }

    fn closes(&self, tag: &Tag) -> bool {
        match tag.shape {
            Shape::Closing => self.tag.name == tag.name,
            Shape::Token => self.form.closes.contains(&tag.name.as_str()),
            Shape::Opening => false,
        }
    }
}
