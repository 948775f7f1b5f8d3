//! The mentions at the start of a line, one after the other.

use super::Addressee;
use super::roster::{Heard, More, Roster, blank_len};
use crate::ids::letters::{
    is_at, is_blank, is_edge_punctuation, is_separator, is_unwrap, is_white, is_word, is_wrap,
};

/// A mention of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// The addressee that it names.
    pub(crate) who: Addressee,
    /// The length in bytes, `@` included.
    pub(crate) len: usize,
    /// The text between it and the next mention of the run; `None` if it is the last.
    pub(crate) gap: Option<Gap>,
}

/// The bytes between two mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Emphasis and brackets that end with the first one.
    pub(crate) closing: usize,
    /// Blanks, separators, `and`, `or`.
    pub(crate) between: usize,
    /// Emphasis and brackets that begin with the second one.
    pub(crate) opening: usize,
}

impl Gap {
    pub(crate) const fn len(self) -> usize {
        (self.closing + self.between) + self.opening
    }
}

/// Reads the mention that `text` begins with. Its first character is an `@` where a mention can
/// stand.
pub(crate) fn link(text: Heard<'_>, roster: &Roster) -> Result<Link, More> {
    let at = text.text.chars().next().map_or(0, char::len_utf8);
    let rest = text.behind(at);
    let (who, len, goes_on) = match roster.named(rest)? {
        Some((who, len)) => (who, len, true),
        None => {
            let UnknownName { name, goes_on } = written(rest)?;
            (Addressee::Unknown(name.to_owned()), name.len(), goes_on)
        }
    };
    let len = at + len;
    let gap = if goes_on {
        gap(text.behind(len))?
    } else {
        None
    };
    Ok(Link { who, len, gap })
}

/// A name that nobody has.
struct UnknownName<'t> {
    name: &'t str,
    /// True if another mention may follow.
    goes_on: bool,
}

/// The name as it was written: up to white space, or a separator before no letter, without the
/// punctuation at its end.
fn written(rest: Heard<'_>) -> Result<UnknownName<'_>, More> {
    let token = rest.capped();
    let end = token_end(token)?;
    let is_cut = end == token.text.len() && end < rest.text.len();
    let whole = token.text.get(..end).unwrap_or_default();
    let name = whole.trim_end_matches(is_edge_punctuation);
    let is_closed = whole
        .get(name.len()..)
        .is_some_and(|behind| behind.chars().all(is_unwrap));
    Ok(UnknownName {
        name,
        goes_on: is_closed && !is_cut,
    })
}

fn token_end(token: Heard<'_>) -> Result<usize, More> {
    let mut chars = token.text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if is_white(c) {
            return Ok(at);
        }
        if is_separator(c)
            && !token
                .or_more(chars.peek())?
                .is_some_and(|(_, next)| is_word(*next))
        {
            return Ok(at);
        }
    }
    if token.is_whole {
        Ok(token.text.len())
    } else {
        Err(More)
    }
}

/// Returns what stands before the next mention; `None` if something else follows.
fn gap(rest: Heard<'_>) -> Result<Option<Gap>, More> {
    let rest = rest.capped();
    let closing = len_of(rest, is_unwrap)?;
    let behind = rest.behind(closing);
    let between = len_of(behind, |c| is_separator(c) || is_blank(c))?;
    if closing == 0 && between == 0 {
        return Ok(None);
    }
    let next = behind.behind(between);
    if let Some(opening) = opening(next)? {
        let is_apart = between > 0 || opening > 0;
        return Ok(is_apart.then_some(Gap {
            closing,
            between,
            opening,
        }));
    }
    let Some(word) = word_len(next)?.filter(|_| between > 0) else {
        return Ok(None);
    };
    let white = blank_len(next.behind(word).text);
    let between = between + word + white;
    let opening = opening(behind.behind(between))?.filter(|_| white > 0);
    Ok(opening.map(|opening| Gap {
        closing,
        between,
        opening,
    }))
}

/// The bytes of the characters that `rest` begins with and that are `such`.
fn len_of(rest: Heard<'_>, such: fn(char) -> bool) -> Result<usize, More> {
    let len = rest.text.find(|c| !such(c));
    Ok(rest.or_more(len)?.unwrap_or(rest.text.len()))
}

/// The bytes of the emphasis and the brackets before the mention that comes next; `None` if none
/// comes.
fn opening(rest: Heard<'_>) -> Result<Option<usize>, More> {
    let len = len_of(rest, is_wrap)?;
    let next = rest.behind(len);
    Ok(rest
        .or_more(next.text.chars().next())?
        .is_some_and(is_at)
        .then_some(len))
}

/// The bytes of the word `and` or `or`, in any case.
fn word_len(rest: Heard<'_>) -> Result<Option<usize>, More> {
    for word in ["and", "or"] {
        let same = rest
            .text
            .chars()
            .zip(word.chars())
            .take_while(|(c, wanted)| c.eq_ignore_ascii_case(wanted))
            .count();
        if same == word.len() {
            return Ok(Some(same));
        }
        if same > 0 && same == rest.text.chars().count() {
            return rest.or_more(None);
        }
    }
    Ok(None)
}
