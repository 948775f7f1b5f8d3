//! The mentions at the start of a line, one after the other.

use super::Addressee;
use super::letters::{is_at, is_blank, is_comma, is_edge_punctuation, is_white, is_word};
use super::roster::{Heard, More, Roster, blank_len};

/// One mention of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// Whom it names.
    pub(crate) who: Addressee,
    /// Its bytes, `@` included.
    pub(crate) len: usize,
    /// The bytes between it and the next mention of the run; `None` if it is the last.
    pub(crate) gap: Option<usize>,
}

/// Reads the mention that `text` begins with. Its first character is an `@` where a mention can stand.
pub(crate) fn link(text: Heard<'_>, roster: &Roster) -> Result<Link, More> {
    let at = text.text.chars().next().map_or(0, char::len_utf8);
    let rest = text.behind(at);
    let (who, len, goes_on) = match roster.named(rest)? {
        Some((who, len)) => (who, len, true),
        None => {
            let Written { name, goes_on } = written(rest)?;
            (Addressee::Unknown(name.to_owned()), name.len(), goes_on)
        }
    };
    let len = at.saturating_add(len);
    let gap = if goes_on { gap(text.behind(len))? } else { None };
    Ok(Link { who, len, gap })
}

/// A name that nobody has.
struct Written<'t> {
    name: &'t str,
    /// Whether another mention may follow.
    goes_on: bool,
}

/// The name as it was written: up to white space, or a comma before no letter, without the punctuation at its end.
fn written(rest: Heard<'_>) -> Result<Written<'_>, More> {
    let token = rest.capped();
    let end = token_end(token)?;
    let is_cut = end == token.text.len() && end < rest.text.len();
    let whole = token.text.get(..end).unwrap_or_default();
    let name = whole.trim_end_matches(is_edge_punctuation);
    Ok(Written { name, goes_on: name.len() == whole.len() && !is_cut })
}

fn token_end(token: Heard<'_>) -> Result<usize, More> {
    let mut chars = token.text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if is_white(c) {
            return Ok(at);
        }
        if is_comma(c) && !token.or_more(chars.peek())?.is_some_and(|(_, next)| is_word(*next)) {
            return Ok(at);
        }
    }
    if token.is_whole { Ok(token.text.len()) } else { Err(More) }
}

/// The bytes of blanks, commas or `and` before the next mention; `None` if something else follows.
fn gap(rest: Heard<'_>) -> Result<Option<usize>, More> {
    let rest = rest.capped();
    let len = rest.text.find(|c| !is_comma(c) && !is_blank(c)).unwrap_or(rest.text.len());
    let behind = rest.behind(len);
    if len == 0 || starts_with_at(behind)? {
        return Ok((len > 0).then_some(len));
    }
    let Some(word) = and_len(behind)? else { return Ok(None) };
    let behind = behind.behind(word);
    let white = blank_len(behind.text);
    let is_next = starts_with_at(behind.behind(white))?;
    Ok((white > 0 && is_next).then(|| len.saturating_add(word).saturating_add(white)))
}

fn starts_with_at(rest: Heard<'_>) -> Result<bool, More> {
    Ok(rest.or_more(rest.text.chars().next())?.is_some_and(is_at))
}

/// The bytes of the word `and`, in any case.
fn and_len(rest: Heard<'_>) -> Result<Option<usize>, More> {
    const WORD: &str = "and";
    let same = rest.text.chars().zip(WORD.chars()).take_while(|(c, wanted)| c.eq_ignore_ascii_case(wanted)).count();
    if same < WORD.len() && same == rest.text.chars().count() {
        return rest.or_more(None);
    }
    Ok((same == WORD.len()).then_some(WORD.len()))
}
