//! A successful body, whatever it is: a stream of events, one document, or a page for people.
//!
//! Servers and gateways name the wrong content type, answer a request for a stream with a document,
//! and the other way round. The first bytes tell which it is.

use folkmoot_core::model::response::LLMResponse;

use super::{Codec, DecodeError, Delta, StreamDecoder};

/// The names with which a line of an event stream begins.
const FIELDS: [&[u8]; 5] = [b"data", b"event", b"id", b"retry", b"error"];

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The most characters of a page that go into an error. The transport cuts it again, once it has
/// taken secrets out of it.
const PAGE_CHARS_MAX: usize = 8_000;

/// Reads the body of a successful answer, in pieces of any size.
#[derive(Debug)]
pub struct BodyReader<'c> {
    /// The codec of the wire that is read.
    codec: &'c dyn Codec,
    /// The form of the body, with the bytes or the decoder that go with it.
    form: BodyForm,
    /// The most bytes of the whole body, for the error that names it.
    bytes_max: usize,
    /// The number of bytes that may still come.
    room: usize,
    /// The first error; every later call returns it again.
    failed: Option<DecodeError>,
}

/// The form of the body, as far as its first bytes tell it.
#[derive(Debug)]
enum BodyForm {
    /// Too little of it has come to tell.
    Open(Vec<u8>),
    /// A stream of events.
    Stream(Box<dyn StreamDecoder>),
    /// Anything else: it is read at its end.
    Whole(Vec<u8>),
}

impl<'c> BodyReader<'c> {
    /// A reader for one answer of at most `bytes_max` bytes. No event and no document in it has
    /// another limit.
    #[must_use]
    pub fn new(codec: &'c dyn Codec, bytes_max: usize) -> Self {
        Self {
            codec,
            form: BodyForm::Open(Vec::new()),
            bytes_max,
            room: bytes_max,
            failed: None,
        }
    }

    /// Takes the next bytes, split anywhere, and gives what can be shown.
    ///
    /// # Errors
    /// As [`StreamDecoder::push`], and [`DecodeError::TooLong`].
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, DecodeError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        // Counted here and not by the decoders: many small events can be as large as one.
        let Some(room) = self.room.checked_sub(bytes.len()) else {
            let error = DecodeError::TooLong {
                limit_bytes: self.bytes_max,
            };
            self.failed = Some(error.clone());
            return Err(error);
        };
        self.room = room;
        match &mut self.form {
            BodyForm::Stream(decoder) => decoder.push(bytes),
            BodyForm::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(Vec::new())
            }
            BodyForm::Open(head) => {
                head.extend_from_slice(bytes);
                // Proxies may send blank lines before the answer begins, to keep the connection
                // open.
                drop_blanks(head);
                let Some(is_stream) = is_stream(head) else {
                    return Ok(Vec::new());
                };
                let head = std::mem::take(head);
                if is_stream {
                    let mut decoder = self.codec.stream_decoder();
                    let deltas = decoder.push(trimmed(&head));
                    self.form = BodyForm::Stream(decoder);
                    return deltas;
                }
                self.form = BodyForm::Whole(head);
                Ok(Vec::new())
            }
        }
    }

    /// Tells whether nothing follows: the wire said so, or it failed.
    #[must_use]
    pub fn is_done(&self) -> bool {
        let is_over = matches!(&self.form, BodyForm::Stream(decoder) if decoder.is_done());
        is_over || self.failed.is_some()
    }

    /// Tells whether the first bytes say that it is no stream of events.
    #[must_use]
    pub const fn is_document(&self) -> bool {
        matches!(self.form, BodyForm::Whole(_))
    }

    /// Ends the body and gives the answer.
    ///
    /// # Errors
    /// [`DecodeError`]; [`DecodeError::CutOff`] also if nothing came at all.
    pub fn finish(self) -> Result<LLMResponse, DecodeError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        match self.form {
            BodyForm::Stream(decoder) => decoder.finish(),
            BodyForm::Open(body) | BodyForm::Whole(body) => whole(self.codec, trimmed(&body)),
        }
    }
}

/// Reads a body that does not begin as a stream.
fn whole(codec: &dyn Codec, body: &[u8]) -> Result<LLMResponse, DecodeError> {
    if body.is_empty() {
        return Err(DecodeError::CutOff);
    }
    if body.starts_with(b"<") {
        let page = String::from_utf8_lossy(body);
        let page = page
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(PAGE_CHARS_MAX)
            .collect();
        return Err(DecodeError::Page(page));
    }
    match codec.decode(body) {
        // Some servers write a line of their own before the first event.
        Err(DecodeError::Json(_)) if has_data_line(body) => {
            let mut decoder = codec.stream_decoder();
            decoder.push(body)?;
            decoder.finish()
        }
        answer => answer,
    }
}

fn has_data_line(body: &[u8]) -> bool {
    body.split(|byte| matches!(byte, b'\n' | b'\r'))
        .any(|line| line.starts_with(b"data:"))
}

/// Tells whether a body that begins so is a stream of events; `None` as long as it may become
/// either.
fn is_stream(head: &[u8]) -> Option<bool> {
    if head.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(head) {
        return None;
    }
    let head = trimmed(head);
    let first = head.first()?;
    if *first == b':' {
        return Some(true); // a comment
    }
    let end = head
        .iter()
        .position(|byte| matches!(byte, b':' | b'\n' | b'\r'));
    match end {
        Some(end) => Some(FIELDS.iter().any(|field| head.get(..end) == Some(*field))),
        None if FIELDS.iter().any(|field| field.starts_with(head)) => None,
        None => Some(false),
    }
}

/// Drops blanks that the next bytes would be looked for behind again. One stays: behind it no byte
/// order mark counts.
fn drop_blanks(head: &mut Vec<u8>) {
    let start = head.len() - trimmed(head).len();
    let kept = if head.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        1
    };
    if start > kept {
        head.drain(kept..start);
    }
}

/// The body without a byte order mark and blanks before it.
fn trimmed(body: &[u8]) -> &[u8] {
    body.strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(body)
        .trim_ascii_start()
}

#[cfg(test)]
mod tests;
