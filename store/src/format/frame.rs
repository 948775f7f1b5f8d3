//! Frames and units.
//!
//! A *unit* is a sequence of whole commits, compressed or not. It is cut into one or more *frames*,
//! the values that an engine keeps. Only a unit that is there to its last frame counts.

use super::bytes::{Bytes, to_u32, to_usize};
use super::{FORMAT, FRAME_MAX, Malformed};

/// Bytes of a frame before its payload.
pub(crate) const HEADER_LEN: usize = 1 + 1 + 8 + 8 + 4 + 4;

/// The most bytes of payload in a frame.
pub(crate) const PAYLOAD_MAX: usize = FRAME_MAX - HEADER_LEN;

/// The most bytes that a unit may say it unpacks to; twice of what is ever written.
const UNIT_MAX: usize = 2 * super::COMMIT_MAX;

const ZSTD: u8 = 1;
const MORE: u8 = 2;
const CONTINUED: u8 = 4;

/// The form in which a unit's payload is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// As it is.
    Plain,
    /// By zstd.
    Zstd,
}

/// A unit on its way into frames.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit<'a> {
    /// The number of its first frame, or, in a run, of its first event.
    pub(crate) number: u64,
    /// The term under which it is written; 0 in runs.
    pub(crate) term: u64,
    /// The form of `payload`.
    pub(crate) packing: Packing,
    /// The length of the commits, unpacked.
    pub(crate) raw_len: usize,
    /// The stored bytes.
    pub(crate) payload: &'a [u8],
}

impl Unit<'_> {
    /// Cuts the unit into frames. Frame `i` carries the number `number + i` if the frames are
    /// `numbered`.
    pub(crate) fn frames(&self) -> Result<Vec<Vec<u8>>, Malformed> {
        let raw_len = to_u32(self.raw_len)?;
        let count = self.payload.len().div_ceil(PAYLOAD_MAX).max(1);
        let parts = self.payload.chunks(PAYLOAD_MAX).enumerate();
        Ok(parts
            .map(|(part, payload)| self.frame(part, part + 1 < count, raw_len, payload))
            .collect())
    }

    fn frame(&self, part: usize, more: bool, raw_len: u32, payload: &[u8]) -> Vec<u8> {
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        let flags = flag(self.packing == Packing::Zstd, ZSTD)
            | flag(more, MORE)
            | flag(part > 0, CONTINUED);
        let mut frame = Vec::with_capacity(HEADER_LEN + payload.len());
        frame.extend_from_slice(&[FORMAT, flags]);
        frame.extend_from_slice(&self.number.saturating_add(part as u64).to_le_bytes());
        frame.extend_from_slice(&self.term.to_le_bytes());
        frame.extend_from_slice(&raw_len.to_le_bytes());
        let checksum = checksum(&frame, payload);
        frame.extend_from_slice(&checksum.to_le_bytes());
        frame.extend_from_slice(payload);
        frame
    }
}

fn checksum(header: &[u8], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(payload);
    hasher.finalize()
}

/// A frame, still in the bytes it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameRef<'a> {
    pub(crate) number: u64,
    pub(crate) term: u64,
    pub(crate) packing: Packing,
    /// True if the unit goes on in the next frame.
    pub(crate) has_more: bool,
    /// True if the unit began in an earlier frame.
    pub(crate) is_continued: bool,
    pub(crate) raw_len: usize,
    pub(crate) payload: &'a [u8],
}

impl<'a> FrameRef<'a> {
    /// Reads a frame and verifies its checksum.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut rest = Bytes(bytes);
        let format = rest.u8()?;
        if format != FORMAT {
            return Err(Malformed(format!("a frame of format {format}")));
        }
        let flags = rest.u8()?;
        let number = rest.u64()?;
        let term = rest.u64()?;
        let raw_len = to_usize(rest.u32()?);
        let stored = rest.u32()?;
        let header = bytes.get(..HEADER_LEN - 4).unwrap_or_default();
        if checksum(header, rest.0) != stored {
            return Err(Malformed(format!(
                "frame {number} does not match its checksum"
            )));
        }
        let packing = if flags & ZSTD == 0 {
            Packing::Plain
        } else {
            Packing::Zstd
        };
        let has_more = flags & MORE != 0;
        let is_continued = flags & CONTINUED != 0;
        Ok(Self {
            number,
            term,
            packing,
            has_more,
            is_continued,
            raw_len,
            payload: rest.0,
        })
    }
}

/// The length of the frame that `bytes` begin with: the checksum says where it ends. `None` if
/// there is none.
pub(crate) fn frame_len(bytes: &[u8]) -> Option<usize> {
    let header = bytes.get(..HEADER_LEN)?;
    let is_plausible =
        header.first() == Some(&FORMAT) && header.get(1)? & !(ZSTD | MORE | CONTINUED) == 0;
    let raw_len = u32::from_le_bytes(header.get(HEADER_LEN - 8..)?.first_chunk().copied()?);
    if !is_plausible || raw_len == 0 || to_usize(raw_len) > UNIT_MAX {
        return None;
    }
    let (fields, stored) = header.split_last_chunk::<4>()?;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(fields);
    for (len, byte) in (HEADER_LEN..FRAME_MAX).zip(bytes.get(HEADER_LEN..)?) {
        hasher.update(&[*byte]);
        if hasher.clone().finalize() == u32::from_le_bytes(*stored) {
            return Some(len + 1);
        }
    }
    None
}

/// Tells whether bytes that do not read are a frame of a newer format, and not one of this format
/// with its first byte changed.
pub(crate) fn is_newer(bytes: &[u8]) -> bool {
    let Some((format, rest)) = bytes.split_first() else {
        return false;
    };
    let known: Vec<u8> = std::iter::once(FORMAT)
        .chain(rest.iter().copied())
        .collect();
    *format > FORMAT && FrameRef::read(&known).is_err()
}

/// Puts units together again and unpacks them.
#[derive(Default)]
pub(crate) struct Joiner {
    joined: Vec<u8>,
    term: u64,
    raw: Vec<u8>,
    zstd: Option<zstd::bulk::Decompressor<'static>>,
}

impl std::fmt::Debug for Joiner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Joiner")
            .field("joined", &self.joined.len())
            .finish_non_exhaustive()
    }
}

impl Joiner {
    /// Takes the next frame; gives the commits once the unit is whole.
    ///
    /// A unit that its writer did not finish is dropped where the next writer, with a higher term,
    /// begins.
    pub(crate) fn add<'a>(
        &'a mut self,
        frame: &FrameRef<'a>,
    ) -> Result<Option<&'a [u8]>, Malformed> {
        if !frame.is_continued && frame.term > self.term {
            self.joined.clear();
        }
        self.term = frame.term;
        if frame.is_continued == self.joined.is_empty() {
            return Err(Malformed(format!(
                "frame {} does not go on where the one before it ends",
                frame.number
            )));
        }
        if !frame.is_continued && !frame.has_more {
            return self.unpack_single(frame).map(Some);
        }
        self.joined.extend_from_slice(frame.payload);
        if frame.has_more {
            return Ok(None);
        }
        let joined = std::mem::take(&mut self.joined);
        match frame.packing {
            Packing::Plain => self.raw = joined,
            Packing::Zstd => self.unpack(&joined, frame.raw_len)?,
        }
        Ok(Some(&self.raw))
    }

    fn unpack_single<'a>(&'a mut self, frame: &FrameRef<'a>) -> Result<&'a [u8], Malformed> {
        match frame.packing {
            Packing::Plain => Ok(frame.payload),
            Packing::Zstd => {
                self.unpack(frame.payload, frame.raw_len)?;
                Ok(&self.raw)
            }
        }
    }

    fn unpack(&mut self, packed: &[u8], raw_len: usize) -> Result<(), Malformed> {
        if raw_len > UNIT_MAX {
            return Err(Malformed(format!("a unit claims {raw_len} bytes")));
        }
        let failed = |error: std::io::Error| Malformed(format!("a unit does not unpack: {error}"));
        let mut zstd = match self.zstd.take() {
            Some(zstd) => zstd,
            None => zstd::bulk::Decompressor::new().map_err(failed)?,
        };
        self.raw.resize(raw_len, 0);
        let len = zstd
            .decompress_to_buffer(packed, self.raw.as_mut_slice())
            .map_err(failed)?;
        self.zstd = Some(zstd);
        if len == raw_len {
            Ok(())
        } else {
            Err(Malformed(format!("a unit of {raw_len} bytes has {len}")))
        }
    }
}
