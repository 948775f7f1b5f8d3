use std::fmt;
use std::io::Read;
use std::sync::Arc;

use encoding_rs::{CoderResult, Decoder, UTF_16BE, UTF_16LE, WINDOWS_1252};
use serde::{Deserialize, Serialize};

use super::error::ImportError;
use super::source::{Source, SourceReader};

/// The way in which bytes are letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
    /// Windows-1252, which holds Latin 1.
    Windows1252,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16 (little endian)",
            Self::Utf16Be => "UTF-16 (big endian)",
            Self::Windows1252 => "Windows-1252",
        })
    }
}

/// The bytes that are read at a time.
const CHUNK: usize = 256 << 10;

/// The text of a source. UTF-8 comes as it is, unchecked; all else becomes UTF-8.
pub(super) struct TextReader {
    source: SourceReader,
    /// `None` for UTF-8.
    decoder: Option<Decoder>,
    raw: Vec<u8>,
    /// True once all has been read.
    pub(super) is_end: bool,
    /// True if something was no text of the encoding, and stands as `U+FFFD` now.
    pub(super) is_lossy: bool,
}

impl TextReader {
    /// The text behind a mark of `mark` bytes.
    pub(super) fn new(source: &Arc<dyn Source>, encoding: Encoding, mark: u64) -> Self {
        let decoder = match encoding {
            Encoding::Utf8 => None,
            Encoding::Utf16Le => Some(UTF_16LE.new_decoder_without_bom_handling()),
            Encoding::Utf16Be => Some(UTF_16BE.new_decoder_without_bom_handling()),
            Encoding::Windows1252 => Some(WINDOWS_1252.new_decoder_without_bom_handling()),
        };
        Self {
            source: SourceReader::new(source, mark),
            decoder,
            raw: Vec::new(),
            is_end: false,
            is_lossy: false,
        }
    }

    /// Adds more text to `text`, if there is more.
    pub(super) fn fill(&mut self, text: &mut Vec<u8>) -> Result<(), ImportError> {
        self.raw.resize(CHUNK, 0);
        let count = self.source.read(&mut self.raw).map_err(ImportError::Read)?;
        self.is_end = count == 0;
        if self.decoder.is_some() {
            self.decode(count, text);
        } else {
            text.extend_from_slice(self.raw.get(..count).unwrap_or_default());
        }
        Ok(())
    }

    fn decode(&mut self, count: usize, text: &mut Vec<u8>) {
        let Some(decoder) = &mut self.decoder else {
            return;
        };
        let mut raw = self.raw.get(..count).unwrap_or_default();
        let at_once = decoder.max_utf8_buffer_length(raw.len());
        let mut decoded = String::with_capacity(at_once.unwrap_or(4 * CHUNK));
        loop {
            let (result, read, is_lossy) = decoder.decode_to_string(raw, &mut decoded, self.is_end);
            self.is_lossy |= is_lossy;
            text.extend_from_slice(decoded.as_bytes());
            decoded.clear();
            match result {
                CoderResult::InputEmpty => return,
                CoderResult::OutputFull => raw = raw.get(read..).unwrap_or_default(),
            }
        }
    }
}
