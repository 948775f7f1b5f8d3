//! A place in a text of which more may come. Whoever looks behind its end has to wait, so that what
//! is decided never depends on where a stream was split.

use super::work;

/// The reason that there is no artifact yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// There is none.
    No,
    /// More of the text decides.
    More,
}

/// A place in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
    /// True if no more will come, or be looked at.
    pub(super) is_whole: bool,
}

impl<'t> Cursor<'t> {
    /// The beginning of `bytes`, of which at most `max` are ever looked at.
    pub(super) fn new(bytes: &'t [u8], max: usize, is_whole: bool) -> Self {
        Self {
            bytes: bytes.get(..max).unwrap_or(bytes),
            at: 0,
            is_whole: is_whole || bytes.len() >= max,
        }
    }

    pub(super) fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The next byte; `None` at the end of the whole text.
    pub(super) fn peek(&self) -> Result<Option<u8>, Stop> {
        work::note(1);
        match self.bytes.get(self.at) {
            Some(b) => Ok(Some(*b)),
            None if self.is_whole => Ok(None),
            None => Err(Stop::More),
        }
    }

    pub(super) const fn skip(&mut self, count: usize) {
        self.at += count;
    }

    pub(super) fn eat(&mut self, b: u8) -> Result<bool, Stop> {
        let is = self.peek()? == Some(b);
        self.skip(usize::from(is));
        Ok(is)
    }

    /// Skips what fits, at most `max` bytes, and gives it.
    pub(super) fn take_while(
        &mut self,
        max: usize,
        fits: impl Fn(u8) -> bool,
    ) -> Result<&'t [u8], Stop> {
        let rest = self.rest();
        let ahead = rest.get(..max).unwrap_or(rest);
        let len = ahead.iter().position(|b| !fits(*b)).unwrap_or(ahead.len());
        work::note(len);
        self.skip(len);
        let is_over = len < ahead.len() || len == max;
        if is_over || self.is_whole {
            Ok(ahead.get(..len).unwrap_or_default())
        } else {
            Err(Stop::More)
        }
    }

    /// Skips white space, and the marks of a block quote that begin a line.
    pub(super) fn skip_white(&mut self) -> Result<(), Stop> {
        let mut is_lead = false;
        let rest = self.rest();
        let is_white = |b: &&u8| {
            is_lead |= **b == b'\n';
            b.is_ascii_whitespace() || **b == b'>' && is_lead
        };
        let len = rest.iter().take_while(is_white).count();
        work::note(len);
        self.skip(len);
        if len < rest.len() || self.is_whole {
            Ok(())
        } else {
            Err(Stop::More)
        }
    }

    pub(super) fn skip_blanks(&mut self) -> Result<(), Stop> {
        self.take_while(usize::MAX, |b| matches!(b, b' ' | b'\t'))
            .map(drop)
    }

    /// Skips `word` if it is next, in any case.
    pub(super) fn eat_word(&mut self, word: &[u8]) -> Result<bool, Stop> {
        let mut ahead = *self;
        for letter in word {
            match ahead.peek()? {
                Some(b) if b.eq_ignore_ascii_case(letter) => ahead.skip(1),
                Some(_) | None => return Ok(false),
            }
        }
        *self = ahead;
        Ok(true)
    }

    /// Skips to the end of the line, before its break.
    pub(super) fn skip_line(&mut self) -> Result<(), Stop> {
        self.take_while(usize::MAX, |b| b != b'\n')?;
        Ok(())
    }
}
