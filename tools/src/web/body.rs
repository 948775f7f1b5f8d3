//! The body of an answer: read, and unpacked, no further than its limit.

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, HeaderMap};

/// The bytes that packing may add to a text: more of them unpack to nothing.
const PACKING_BYTES: usize = 64 * 1024;

/// The bytes of a body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// The first of them, without their packing.
    pub(super) bytes: Vec<u8>,
    /// The state of the rest.
    pub(super) end: End,
}

/// The end of what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The body's own.
    Whole,
    /// The limit: there is more.
    Limit,
}

/// A reason why a body cannot be read.
#[derive(Debug)]
pub(super) enum BodyError {
    /// Its encoding was not asked for.
    Encoding(String),
    /// It is not what its encoding says.
    NotGzip,
    /// The connection ended before it did.
    Broken(hyper::Error),
}

/// Reads a body up to `max` bytes, both as it comes and as it is unpacked.
pub(super) async fn read(
    headers: &HeaderMap,
    body: &mut Incoming,
    max: usize,
) -> Result<Read, BodyError> {
    let mut unpacker = Unpacker::of(headers, max)?;
    let packed_max = max.saturating_add(PACKING_BYTES);
    let mut received = 0_usize;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(BodyError::Broken)?;
        let Some(bytes) = frame.data_ref() else {
            continue;
        };
        received = received.saturating_add(bytes.len());
        if unpacker.push(bytes)? == End::Limit || received > packed_max && unpacker.is_gzip() {
            return Ok(unpacker.so_far());
        }
    }
    // An answer to HEAD has the headers of a body, and none.
    if received == 0 {
        return Ok(Read {
            bytes: Vec::new(),
            end: End::Whole,
        });
    }
    unpacker.finish()
}

enum Unpacker {
    Plain(Bounded),
    Gzip(Box<MultiGzDecoder<Bounded>>),
}

impl Unpacker {
    fn of(headers: &HeaderMap, max: usize) -> Result<Self, BodyError> {
        let encodings = headers.get_all(CONTENT_ENCODING).into_iter();
        let encodings: Vec<String> = encodings
            .map(|value| {
                String::from_utf8_lossy(value.as_bytes())
                    .trim()
                    .to_ascii_lowercase()
            })
            .collect();
        let bounded = Bounded {
            bytes: Vec::new(),
            max,
        };
        match encodings.join(", ").as_str() {
            "" | "identity" => Ok(Self::Plain(bounded)),
            "gzip" | "x-gzip" => Ok(Self::Gzip(Box::new(MultiGzDecoder::new(bounded)))),
            other => Err(BodyError::Encoding(other.chars().take(80).collect())),
        }
    }

    const fn is_gzip(&self) -> bool {
        matches!(self, Self::Gzip(_))
    }

    fn push(&mut self, bytes: &[u8]) -> Result<End, BodyError> {
        let written = match self {
            Self::Plain(bounded) => bounded.write_all(bytes),
            Self::Gzip(decoder) => decoder.write_all(bytes),
        };
        match written {
            Ok(()) => Ok(End::Whole),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(End::Limit),
            Err(_) => Err(BodyError::NotGzip),
        }
    }

    /// The bytes as far as they came, of a body that goes on.
    fn so_far(self) -> Read {
        let bytes = match self {
            Self::Plain(bounded) => bounded.bytes,
            Self::Gzip(mut decoder) => std::mem::take(&mut decoder.get_mut().bytes),
        };
        Read {
            bytes,
            end: End::Limit,
        }
    }

    fn finish(self) -> Result<Read, BodyError> {
        match self {
            Self::Plain(bounded) => Ok(Read {
                bytes: bounded.bytes,
                end: End::Whole,
            }),
            Self::Gzip(mut decoder) => match decoder.try_finish() {
                Ok(()) => Ok(Read {
                    bytes: std::mem::take(&mut decoder.get_mut().bytes),
                    end: End::Whole,
                }),
                Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                    Ok(Self::Gzip(decoder).so_far())
                }
                Err(_) => Err(BodyError::NotGzip),
            },
        }
    }
}

/// Takes bytes up to its limit; the error behind it is `FileTooLarge`.
struct Bounded {
    bytes: Vec<u8>,
    max: usize,
}

impl Write for Bounded {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        let room = self.max.saturating_sub(self.bytes.len());
        let fitting = more.get(..room).unwrap_or(more);
        self.bytes.extend_from_slice(fitting);
        if fitting.is_empty() && !more.is_empty() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(fitting.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
