//! Artifacts between tags or tokens.

use super::arguments::skip_bracketed;
use super::before::{is_name, split_word};
use super::candidate::FoundArtifact;
use super::cursor::{Cursor, Stop};
use super::forms::{Body, Form, GIVEN, PYTHON, TAGS, TOKENS, form, is_callish, is_mark, is_of};
use super::key::Keys;
use super::names;
use super::skim::{Ends, skip_value};
use super::tag::{TAG_MAX, Tag, TagShape};
use super::unclosed::Unclosed;
use super::vocabulary::Known;
use super::word::canonical;
use crate::text::firewall::ArtifactFamily;

/// The longest name before the arguments of a call, in bytes.
const NAME_MAX: usize = 128;

/// The longest head of a message to a tool, in bytes.
const HEAD_MAX: usize = 256;

/// The artifact that begins with the tag at `cursor`, which is the beginning of its bytes and
/// stands at `place` in the text.
pub(super) fn find(
    mut cursor: Cursor<'_>,
    place: usize,
    known: &Known,
    unclosed: &mut Unclosed,
) -> Result<FoundArtifact, Stop> {
    let is_bracket = cursor.peek()? == Some(b'[');
    let tag = if is_bracket {
        Tag::bracketed(&mut cursor)?
    } else {
        Tag::read(&mut cursor, |name| {
            is_mark(name) || is_of(name, Keys::NAMES) || known.is_tool(name)
        })?
    };
    let forms = match tag.shape {
        TagShape::Opening => TAGS,
        TagShape::Token => TOKENS,
        TagShape::Closing => return Err(Stop::No),
    };
    let other = |body| form("", ArtifactFamily::CallTag, body, &[]);
    if tag.shape == TagShape::Opening && is_of(&tag.name, Keys::NAMES) {
        match given(cursor, &tag, place, known, unclosed) {
            Err(Stop::No) => {}
            other => {
                return other.map(|to| FoundArtifact {
                    from: 0,
                    to,
                    family: ArtifactFamily::CallTag,
                    is_encoded: false,
                    is_own: true,
                });
            }
        }
    }
    let form = match forms.iter().find(|form| form.name == tag.name) {
        Some(form) => *form,
        None if tag.shape == TagShape::Opening && known.is_tool(&tag.name) => other(Body::Invoke),
        None if is_callish(&tag.name) => other(if tag.shape == TagShape::Token {
            Body::Tokens
        } else {
            Body::Call
        }),
        None => return Err(Stop::No),
    };
    let is_whole = tag.is_empty && (known.is_tool(&tag.value) || has_property(cursor, &tag, known));
    let to = if form.body == Body::Recipient {
        recipient(&mut cursor, &tag, known)?
    } else if is_whole {
        cursor.at
    } else {
        form.end(&mut cursor, &tag, place, known, unclosed)?
    };
    let is_own = known.is_tool(&tag.name)
        || names::a_tool(cursor.bytes.get(..to).unwrap_or_default(), known);
    if is_own || !form.name.is_empty() {
        Ok(FoundArtifact {
            from: 0,
            to,
            family: form.family,
            is_encoded: false,
            is_own,
        })
    } else {
        Err(Stop::No)
    }
}

/// Tells whether the tag before `cursor`, named as a tool, has a property of that:
/// `<search query="x"/>`.
fn has_property(cursor: Cursor<'_>, tag: &Tag, known: &Known) -> bool {
    let text = cursor.bytes.get(..cursor.at).unwrap_or_default();
    let mut heads = text
        .split(|b| *b == b'=')
        .map(|head| split_word(head.trim_ascii_end()).1);
    heads.any(|word| known.has_property(&tag.name, &canonical(word)))
}

/// `<tool>search</tool><tool_input>…</tool_input>`. Gives where it ends.
fn given(
    mut cursor: Cursor<'_>,
    tag: &Tag,
    place: usize,
    known: &Known,
    unclosed: &mut Unclosed,
) -> Result<usize, Stop> {
    cursor.skip_white()?;
    name_of_tool(cursor, known)?;
    cursor.take_while(NAME_MAX, is_name)?;
    cursor.skip_white()?;
    if Tag::read(&mut cursor, |name| name == tag.name)?.shape != TagShape::Closing {
        return Err(Stop::No);
    }
    cursor.skip_white()?;
    let inner = Tag::read(&mut cursor, |name| is_of(name, Keys::GIVEN))?;
    if inner.shape != TagShape::Opening {
        return Err(Stop::No);
    }
    let form = form(GIVEN, ArtifactFamily::CallTag, Body::Result, &[]);
    let end = ArtifactWalk {
        form,
        tag: &inner,
        known,
        is_text: true,
    }
    .closing(&mut cursor, place, unclosed)?;
    Ok(end.unwrap_or(cursor.at))
}

/// `<|from|>assistant<|recipient|>search<|content|>{…}`. Gives where it ends.
fn recipient(cursor: &mut Cursor<'_>, tag: &Tag, known: &Known) -> Result<usize, Stop> {
    if tag.name == "from" {
        cursor.take_while(NAME_MAX, |b| b != b'<')?;
        if Tag::read(cursor, |name| name == "recipient").is_err_and(|stop| stop == Stop::No) {
            return Err(Stop::No);
        }
    }
    cursor.skip_white()?;
    let name = cursor.take_while(NAME_MAX, is_name)?;
    cursor.skip_white()?;
    Tag::read(cursor, |name| name == "content")?;
    cursor.skip_white()?;
    if !known.is_tool(&canonical(name)) || cursor.peek()? != Some(b'{') {
        return Err(Stop::No);
    }
    skip_value(cursor, known)?;
    Ok(cursor.at)
}

/// The beginning of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyBegins {
    /// As something that has an end of its own.
    Value,
    /// As text that goes on to the next tag.
    Text,
}

impl Form {
    /// Returns where what begins with `tag`, which `cursor` stands behind, ends.
    fn end(
        self,
        cursor: &mut Cursor<'_>,
        tag: &Tag,
        place: usize,
        known: &Known,
        unclosed: &mut Unclosed,
    ) -> Result<usize, Stop> {
        let begins = self.begins(*cursor, tag, known)?;
        let walk = ArtifactWalk {
            form: self,
            tag,
            known,
            is_text: begins == BodyBegins::Text && !self.skip_name(cursor)?,
        };
        if begins == BodyBegins::Text && matches!(self.body, Body::Result | Body::Code) {
            walk.closing(cursor, place, unclosed)?.ok_or(Stop::No)
        } else {
            Ok(walk.end(cursor)?.unwrap_or(cursor.at))
        }
    }

    /// Tells whether what stands behind the opening tag makes it the beginning of an artifact.
    fn begins(self, mut cursor: Cursor<'_>, tag: &Tag, known: &Known) -> Result<BodyBegins, Stop> {
        let is_break = matches!(cursor.peek()?, Some(b'\r' | b'\n'));
        cursor.skip_white()?;
        if matches!(self.body, Body::Call | Body::Tokens) && cursor.eat_word(b"```")? {
            cursor.skip_line()?;
            cursor.skip_white()?;
            return if cursor.peek()? == Some(b'{') {
                Ok(BodyBegins::Text)
            } else {
                name_of_tool(cursor, known)
            };
        }
        let next = cursor.peek()?;
        match (self.body, next) {
            (Body::Call | Body::Tokens | Body::Invokes, None) => Ok(BodyBegins::Value),
            (Body::Call | Body::Tokens, Some(b'{' | b'[')) if is_value(cursor, known)? => {
                Ok(BodyBegins::Value)
            }
            (Body::Call | Body::Invokes, Some(b'<')) => inner(cursor, known),
            (Body::Invokes, Some(b'[')) if is_value(cursor, known)? => Ok(BodyBegins::Value),
            (Body::Call | Body::Invokes, Some(b)) if b.is_ascii_alphabetic() => {
                name_of_tool(cursor, known)
            }
            (Body::Tokens, Some(b'<')) => Tag::read(&mut cursor, is_mark).map(|_| BodyBegins::Text),
            (Body::Tokens, Some(b)) if b.is_ascii_alphabetic() => call(cursor, known),
            (Body::Invoke, _) => invoked(cursor, tag, next, known),
            (Body::Result, Some(b'{' | b'[')) => Ok(BodyBegins::Value),
            (Body::Result | Body::Code, Some(b)) if is_break || b != b'`' && b.is_ascii() => {
                Ok(BodyBegins::Text)
            }
            (Body::Channel, _) => head(cursor),
            _ => Err(Stop::No),
        }
    }
}

impl Form {
    /// Skips what a call between tokens has before its arguments, where no closing token tells its
    /// end. Gives whether it has.
    fn skip_name(self, cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
        if self.name == PYTHON {
            cursor.take_while(usize::MAX, |b| !matches!(b, b'<' | b'\n' | b'('))?;
            if cursor.peek()? == Some(b'(') {
                skip_bracketed(cursor)?;
            }
            return Ok(true);
        }
        if !self.closes.is_empty() || self.body != Body::Tokens {
            return Ok(false);
        }
        cursor.take_while(NAME_MAX, is_name)?;
        if cursor.peek()? == Some(b'(') {
            return skip_bracketed(cursor).map(|_| true);
        }
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

/// Tells whether what begins here can be a JSON object, or an array of them or of calls.
fn is_value(mut cursor: Cursor<'_>, known: &Known) -> Result<bool, Stop> {
    let is_array = cursor.eat(b'[')?;
    cursor.skip_white()?;
    if is_array && cursor.peek()?.is_none_or(|b| b == b'{') {
        return Ok(true);
    }
    if is_array {
        return name_of_tool(cursor, known).map(|_| true).or_else(|stop| {
            if stop == Stop::No {
                Ok(false)
            } else {
                Err(stop)
            }
        });
    }
    cursor.eat(b'{')?;
    cursor.skip_white()?;
    Ok(cursor.peek()?.is_none_or(|b| {
        b.is_ascii_alphabetic() || b >= 0xc2 || matches!(b, b'"' | b'\'' | b'}' | b'\\' | b'/')
    }))
}

fn inner(mut cursor: Cursor<'_>, known: &Known) -> Result<BodyBegins, Stop> {
    let tag = Tag::read(&mut cursor, |name| is_mark(name) || known.is_property(name))?;
    if tag.shape == TagShape::Opening {
        Ok(BodyBegins::Value)
    } else {
        Err(Stop::No)
    }
}

fn name_of_tool(mut cursor: Cursor<'_>, known: &Known) -> Result<BodyBegins, Stop> {
    let name = cursor.take_while(NAME_MAX, is_name)?;
    if known.is_tool(&canonical(name)) {
        Ok(BodyBegins::Text)
    } else {
        Err(Stop::No)
    }
}

/// A name with what makes it a call behind it: `search.call(`, `functions.search:0<|…`, `search{`.
fn call(mut cursor: Cursor<'_>, known: &Known) -> Result<BodyBegins, Stop> {
    if name_of_tool(cursor, known).is_ok() {
        return Ok(BodyBegins::Text);
    }
    cursor.take_while(NAME_MAX, is_name)?;
    let is_call = matches!(cursor.peek()?, Some(b'(' | b'<' | b'{' | b'['));
    if is_call {
        Ok(BodyBegins::Text)
    } else {
        Err(Stop::No)
    }
}

/// `<invoke name="search">`, `<function=search>`, `<search><query>`: by a known tool, or by what
/// only a wire writes.
fn invoked(
    mut cursor: Cursor<'_>,
    tag: &Tag,
    next: Option<u8>,
    known: &Known,
) -> Result<BodyBegins, Stop> {
    let is_by_tag = known.is_tool(&tag.name) && !TAGS.iter().any(|form| form.name == tag.name);
    if !is_by_tag && known.is_tool(&tag.value) {
        return Ok(if next == Some(b'{') {
            BodyBegins::Value
        } else {
            BodyBegins::Text
        });
    }
    match next {
        Some(b'{') if !is_by_tag && !tag.value.is_empty() && is_value(cursor, known)? => {
            Ok(BodyBegins::Value)
        }
        Some(b'<') => {
            let is_inner = |name: &str| {
                if is_by_tag {
                    known.has_property(&tag.name, name)
                } else {
                    name == "parameter" && !tag.value.is_empty()
                }
            };
            Tag::read(&mut cursor, is_inner).map(|_| BodyBegins::Value)
        }
        Some(_) | None => Err(Stop::No),
    }
}

/// The head of a message, up to its text: it is for a tool.
fn head(mut cursor: Cursor<'_>) -> Result<BodyBegins, Stop> {
    let from = cursor.at;
    while cursor.at.saturating_sub(from) < HEAD_MAX {
        cursor.take_while(HEAD_MAX, |b| !matches!(b, b'<' | b'\n'))?;
        let head = cursor.bytes.get(from..cursor.at).unwrap_or_default();
        let is_addressed = head.windows(3).any(|window| window == b"to=");
        match cursor.peek()? {
            None if is_addressed => return Ok(BodyBegins::Text),
            Some(b'<') if Tag::read(&mut cursor, is_mark)?.name != "message" => {}
            Some(b'<') if is_addressed => return Ok(BodyBegins::Text),
            Some(_) | None => return Err(Stop::No),
        }
    }
    Err(Stop::No)
}

/// The way through an artifact to its end.
struct ArtifactWalk<'w> {
    form: Form,
    tag: &'w Tag,
    known: &'w Known,
    /// True if text may stand at the place that is looked at.
    is_text: bool,
}

impl ArtifactWalk<'_> {
    /// Returns where the artifact closes; `None` if nothing closes it, and `cursor` is where it
    /// ends then.
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
                            self.is_text = always_text || tag.shape != TagShape::Closing;
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

    /// Returns where a text ends that is an artifact only if something closes it.
    fn closing(
        &self,
        cursor: &mut Cursor<'_>,
        place: usize,
        unclosed: &mut Unclosed,
    ) -> Result<Option<usize>, Stop> {
        let from = place + cursor.at;
        cursor.at = unclosed.skip(self.form.name, from).saturating_sub(place);
        let end = self.next_closing(cursor);
        // Nearer to the end of these bytes a tag might still go on.
        let decided = cursor.at.min(cursor.bytes.len().saturating_sub(TAG_MAX));
        unclosed.note(self.form.name, from, place + decided);
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
            TagShape::Closing => self.tag.name == tag.name,
            TagShape::Token => self.form.closes.contains(&tag.name.as_str()),
            TagShape::Opening => {
                self.form.closes.contains(&tag.name.as_str())
                    && !self.form.closes.contains(&self.tag.name.as_str())
            }
        }
    }
}
