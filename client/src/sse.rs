//! Server-sent events (WHATWG HTML, section 9.2), read from bytes that may be split anywhere.

#[cfg(test)]
mod tests;

/// The longest event that is read, in bytes. An item is bounded by what a room's log keeps of one
/// event, which is far less.
const EVENT_BYTES_MAX: usize = 16 * 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// An event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// The name of its kind; empty if it has none.
    pub(crate) name: String,
    /// The id that it carries itself; `None` if it carries none.
    pub(crate) id: Option<String>,
    /// Its data lines, joined by line feeds.
    pub(crate) data: String,
}

/// An event that is too long to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the feed is longer than {EVENT_BYTES_MAX} bytes")]
pub(crate) struct EventTooLong;

/// An incremental reader. Lines end with CR, LF or CRLF.
#[derive(Debug, Default)]
pub(crate) struct SseReader {
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    /// The event whose end has not come.
    event: SseEvent,
    /// True if that has a data line.
    has_data: bool,
    /// True if the last byte was a carriage return: a line feed behind it belongs to it.
    is_after_cr: bool,
    /// True once the first line, which may begin with a byte order mark, is read.
    is_begun: bool,
}

impl SseReader {
    /// Takes the next bytes and gives the events that they end, in order.
    ///
    /// # Errors
    /// [`EventTooLong`]. The rest of the stream cannot be read then.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, EventTooLong> {
        let mut events = Vec::new();
        for byte in bytes {
            let is_second_half = std::mem::take(&mut self.is_after_cr) && *byte == b'\n';
            match byte {
                b'\n' if is_second_half => {}
                b'\n' | b'\r' => {
                    self.is_after_cr = *byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    events.extend(self.take_line(&line));
                }
                byte => self.line.push(*byte),
            }
            if self.line.len().saturating_add(self.event.data.len()) > EVENT_BYTES_MAX {
                return Err(EventTooLong);
            }
        }
        Ok(events)
    }

    /// Takes a whole line; an empty one ends the event.
    fn take_line(&mut self, line: &[u8]) -> Option<SseEvent> {
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let line = match line.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if is_first => rest,
            Some(_) | None => line,
        };
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.name),
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            // Comments, `retry` and whatever is not known.
            _ => {}
        }
        None
    }
}
