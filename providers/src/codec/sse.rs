//! Server-sent events (WHATWG HTML, section 9.2), read from bytes that may be split anywhere.

use super::DecodeError;

#[cfg(test)]
mod tests;

/// The most bytes of one event, unless told otherwise.
pub const EVENT_BYTES_MAX: usize = 4 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// Its type; empty if the stream named none.
    pub name: String,
    /// Its data lines, joined by line feeds. Bytes, since only the reader knows what they should be.
    pub data: Vec<u8>,
}

/// An incremental parser. Lines end with CR, LF or CRLF; comments, `id` and `retry` are read over.
#[derive(Debug)]
pub struct SseParser {
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    is_after_cr: bool,
    is_first_line: bool,
    limit_bytes: usize,
}

impl Default for SseParser {
    fn default() -> Self {
        Self::with_limit(EVENT_BYTES_MAX)
    }
}

impl SseParser {
    /// A parser that keeps at most `limit_bytes` of one event.
    #[must_use]
    pub fn with_limit(limit_bytes: usize) -> Self {
        Self {
            line: Vec::new(),
            event: SseEvent::default(),
            has_data: false,
            is_after_cr: false,
            is_first_line: true,
            limit_bytes,
        }
    }

    /// Takes the next bytes and gives the events that they end.
    ///
    /// # Errors
    /// [`DecodeError::TooLong`].
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<SseEvent>, DecodeError> {
        let mut events = Vec::new();
        while let Some(first) = bytes.first() {
            if std::mem::take(&mut self.is_after_cr) && *first == b'\n' {
                bytes = bytes.get(1..).unwrap_or_default();
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (part, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            self.keep(part)?;
            if let Some((ending, rest)) = rest.split_first() {
                self.is_after_cr = *ending == b'\r';
                events.extend(self.end_line());
                bytes = rest;
            } else {
                bytes = rest;
            }
        }
        Ok(events)
    }

    /// Ends the stream and gives the event that lacked its blank line, if there is one. It may be cut.
    #[must_use]
    pub fn finish(mut self) -> Option<SseEvent> {
        let ended = self.end_line();
        ended.or_else(|| self.end_event())
    }

    fn keep(&mut self, part: &[u8]) -> Result<(), DecodeError> {
        let len = self.line.len().saturating_add(self.event.data.len()).saturating_add(part.len());
        if len > self.limit_bytes {
            return Err(DecodeError::TooLong { limit_bytes: self.limit_bytes });
        }
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_first_line) && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if line.is_empty() {
            return self.end_event();
        }
        self.field(&line);
        line.clear();
        self.line = line; // keeps its capacity
        None
    }

    fn field(&mut self, line: &[u8]) {
        let mut halves = line.splitn(2, |byte| *byte == b':');
        let name = halves.next().unwrap_or_default();
        let value = halves.next().unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push(b'\n');
                }
                self.event.data.extend_from_slice(value);
            }
            b"event" => self.event.name = String::from_utf8_lossy(value).into_owned(),
            _ => {} // a comment (empty name), `id`, `retry`: of no use to an answer that is asked for once
        }
    }

    /// An event without data is none, as the standard says.
    fn end_event(&mut self) -> Option<SseEvent> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}
