//! Server-sent events (WHATWG HTML, section 9.2), read from bytes that may be split anywhere.

use memchr::{memchr, memchr2};

use super::DecodeError;

#[cfg(test)]
mod tests;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// An incremental parser. Lines end with CR, LF or CRLF; comments, `id` and `retry` are read over.
///
/// An event is given as its type, which is empty if the stream named none, and its data lines,
/// joined by line feeds: bytes, since only the reader knows what they should be. What comes whole
/// in one push is not copied.
#[derive(Debug)]
pub struct SseParser {
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    /// The name of the event that goes on; empty if it has none.
    name: String,
    /// The data lines of an event whose end has not come.
    data: Vec<u8>,
    /// True if the event has a data line.
    has_data: bool,
    /// True if the last byte was a carriage return, so that a line feed belongs to it.
    is_after_cr: bool,
    /// True until the first line, which may begin with a byte order mark, is read.
    is_first_line: bool,
    /// The most bytes of an event.
    limit_bytes: usize,
}

impl Default for SseParser {
    /// A parser whose events are as long as whoever feeds it lets the whole body be.
    fn default() -> Self {
        Self::with_limit(usize::MAX)
    }
}

impl SseParser {
    /// A parser that keeps at most `limit_bytes` of one event.
    #[must_use]
    pub fn with_limit(limit_bytes: usize) -> Self {
        Self {
            line: Vec::new(),
            name: String::new(),
            data: Vec::new(),
            has_data: false,
            is_after_cr: false,
            is_first_line: true,
            limit_bytes,
        }
    }

    /// Takes the next bytes and gives the events that they end to `each`: type and data.
    ///
    /// # Errors
    /// [`DecodeError::TooLong`], and the first error of `each`.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(&str, &[u8]) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        // The first data line of an event, as long as nothing is to be joined to it.
        let mut fresh: Option<&[u8]> = None;
        while let Some(first) = bytes.first() {
            if std::mem::take(&mut self.is_after_cr) && *first == b'\n' {
                bytes = bytes.get(1..).unwrap_or_default();
                continue;
            }
            let (part, rest) = bytes.split_at(memchr2(b'\n', b'\r', bytes).unwrap_or(bytes.len()));
            self.check_room(fresh.map_or(0, <[u8]>::len) + part.len())?;
            let Some((ending, rest)) = rest.split_first() else {
                self.line.extend_from_slice(part);
                break;
            };
            self.is_after_cr = *ending == b'\r';
            bytes = rest;
            if !self.line.is_empty() {
                // Only the first line of a push: there is nothing fresh yet.
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(part);
                self.take_kept_line(&line, &mut each)?;
                line.clear();
                self.line = line; // keeps its capacity
                continue;
            }
            match self.read(part) {
                SseLine::Data(data) if !self.has_data => {
                    (fresh, self.has_data) = (Some(data), true)
                }
                SseLine::Data(data) => {
                    self.data
                        .extend_from_slice(fresh.take().unwrap_or_default());
                    self.join(data);
                }
                SseLine::Blank => self.end_event(fresh.take(), &mut each)?,
                SseLine::Other => {}
            }
        }
        self.data.extend_from_slice(fresh.unwrap_or_default());
        Ok(())
    }

    /// Ends the stream and gives the event that lacked its blank line, if there is one. It may be
    /// cut.
    ///
    /// # Errors
    /// The error of `each`.
    pub fn finish(
        mut self,
        mut each: impl FnMut(&str, &[u8]) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let line = std::mem::take(&mut self.line);
        self.take_kept_line(&line, &mut each)?;
        self.end_event(None, &mut each)
    }

    fn check_room(&self, more: usize) -> Result<(), DecodeError> {
        let len = self.line.len() + self.data.len() + more;
        if len > self.limit_bytes {
            Err(DecodeError::TooLong {
                limit_bytes: self.limit_bytes,
            })
        } else {
            Ok(())
        }
    }

    fn take_kept_line(
        &mut self,
        line: &[u8],
        each: &mut impl FnMut(&str, &[u8]) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        match self.read(line) {
            SseLine::Data(data) => self.join(data),
            SseLine::Blank => self.end_event(None, each)?,
            SseLine::Other => {}
        }
        Ok(())
    }

    fn read<'l>(&mut self, mut line: &'l [u8]) -> SseLine<'l> {
        if std::mem::take(&mut self.is_first_line) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            return SseLine::Blank;
        }
        let colon = memchr(b':', line).unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => SseLine::Data(value),
            b"event" => {
                self.name.clear();
                self.name.push_str(&String::from_utf8_lossy(value));
                SseLine::Other
            }
            // Older servers of llama.cpp write it in the place of `data`.
            b"error" => {
                self.name.clear();
                self.name.push_str("error");
                SseLine::Data(value)
            }
            _ => SseLine::Other, // a comment (empty name), `id`, `retry`: of no use to an answer that is asked for once
        }
    }

    /// Adds a data line to those of the event.
    fn join(&mut self, data: &[u8]) {
        if std::mem::replace(&mut self.has_data, true) {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(data);
    }

    /// An event without data is none, as the standard says.
    fn end_event(
        &mut self,
        fresh: Option<&[u8]>,
        each: &mut impl FnMut(&str, &[u8]) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let given = if std::mem::take(&mut self.has_data) {
            each(&self.name, fresh.unwrap_or(&self.data))
        } else {
            Ok(())
        };
        self.data.clear();
        self.name.clear();
        given
    }
}

/// A line, read.
enum SseLine<'l> {
    Data(&'l [u8]),
    Blank,
    Other,
}
