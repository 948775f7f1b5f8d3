//! The file of a sled database: segments of messages, as sled 0.34 writes them.
//!
//! A segment begins with a header: CRC of the rest, its number in the order of writing (the *LSN*,
//! a count of bytes), and how far the log was safe then. A message has a CRC, a kind, its length,
//! the number of its segment and its page.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::node::Fields;

/// The bytes of a segment.
pub(in crate::engines::sled) const SEGMENT: u64 = 512 * 1024;

/// The bytes of a segment's header.
pub(in crate::engines::sled) const HEADER: u64 = 20;

/// The most bytes that the header of a message has. Where a segment has fewer left, it has no more
/// messages.
const MESSAGE_HEADER_MAX: u64 = 32;

/// The mask that sled combines the numbers in a segment's header with.
const MASK: u64 = 0x7fff_ffff_ffff_ffff;

/// The kinds of messages that count.
const CANCELED: u8 = 1;
const CAP: u8 = 2;
const BATCH: u8 = 3;
const FREE: u8 = 4;
const COUNTER: u8 = 5;
const META: u8 = 6;
const NODE: u8 = 8;
const LINK: u8 = 10;

/// The effect of a message on its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageKind {
    /// The message is all of the page.
    Replace,
    /// The message changes the page.
    Link,
    /// The page goes.
    Free,
}

/// The place of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MessagePlace {
    /// In the order of writing.
    pub(super) lsn: u64,
    /// In the file.
    pub(super) at: u64,
    pub(super) len: u64,
}

/// A message of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct PageMessage {
    pub(super) kind: MessageKind,
    pub(super) page: u64,
    pub(super) place: MessagePlace,
}

/// The thing at a place of a segment.
enum SegmentRead {
    Message(PageMessage),
    /// Bytes of no page; the next thing is so many bytes on.
    Skip(u64),
    /// The segment ends here.
    Cap,
    /// A message that counts only if the log reaches this far.
    Batch {
        up_to: u64,
        len: u64,
    },
    Broken,
}

/// A segment's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engines::sled) struct Header {
    pub(in crate::engines::sled) lsn: u64,
    stable: u64,
}

impl Header {
    /// Reads a header; `None` if these bytes are none.
    pub(in crate::engines::sled) fn read(bytes: &[u8]) -> Option<Self> {
        let (checksum, rest) = bytes.get(..20)?.split_first_chunk::<4>()?;
        if crc32fast::hash(rest) ^ u32::MAX != u32::from_le_bytes(*checksum) {
            return None;
        }
        let (lsn, stable) = rest.split_first_chunk::<8>()?;
        let number = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes) ^ MASK;
        // Nothing was safe yet where sled writes a number below zero.
        let stable = Some(number(stable.first_chunk()?))
            .filter(|stable| *stable <= MASK)
            .unwrap_or(0);
        let header = Self {
            lsn: number(lsn),
            stable,
        };
        // A segment begins at a multiple of its length.
        (header.lsn <= MASK && header.lsn.is_multiple_of(SEGMENT)).then_some(header)
    }
}

/// The segments of the log, as their headers tell.
struct Segments {
    /// The place of each segment in the file, by its number: in the order of writing.
    bases: BTreeMap<u64, u64>,
    /// The number up to which the log was safe.
    stable: u64,
}

/// The file, open for reading.
#[derive(Debug)]
pub(super) struct Log {
    file: File,
}

impl Log {
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            file: File::open(folder.join("db"))?,
        })
    }

    /// The segments from the one numbered `min` on. The second of two with one number is named in
    /// `Err`.
    fn segments(&self, min: u64) -> io::Result<Result<Segments, u64>> {
        let mut found = Segments {
            bases: BTreeMap::new(),
            stable: min,
        };
        let len = self.file.metadata()?.len();
        for base in (0..len).step_by(SEGMENT as usize) {
            let mut bytes = [0; HEADER as usize];
            let read = fill(&self.file, &mut bytes, base)?;
            let header = bytes.get(..read).and_then(Header::read);
            let Some(header) = header.filter(|header| header.lsn >= min) else {
                continue;
            };
            found.stable = found.stable.max(header.stable);
            if found.bases.insert(header.lsn, base).is_some() {
                return Ok(Err(base));
            }
        }
        Ok(Ok(found))
    }

    /// Hands out the messages behind `from`, in the order of writing, as far as sled would take
    /// them in. What is torn at the end is passed over, as sled does.
    pub(super) fn messages(
        &self,
        from: u64,
        mut take: impl FnMut(PageMessage),
    ) -> io::Result<Result<(), u64>> {
        let min = from - from % SEGMENT;
        let Segments { bases, stable } = match self.segments(min)? {
            Ok(found) => found,
            Err(twice) => return Ok(Err(twice)),
        };
        let mut tail = Walk::new(self, contiguous(&bases, stable - stable % SEGMENT));
        tail.is_strict = true;
        while tail.next()?.is_some() {}
        let Some(end) = tail.at.and_then(|at| at.checked_sub(1)) else {
            return Ok(Ok(()));
        };
        let mut walk = Walk::new(self, bases.into_iter().collect());
        walk.until = Some(end);
        while let Some(message) = walk.next()? {
            if message.place.lsn >= from {
                take(message);
            }
        }
        Ok(Ok(()))
    }

    /// The payload of a message of `page`; `None` if it is not there as it was written.
    pub(super) fn payload(
        &self,
        page: u64,
        place: MessagePlace,
    ) -> io::Result<Option<(u8, Vec<u8>)>> {
        let mut bytes = vec![0; place.len.min(SEGMENT) as usize];
        if fill(&self.file, &mut bytes, place.at)? != bytes.len() {
            return Ok(None);
        }
        let Some(header) = MessageHeader::read(&bytes).filter(|header| header.is_whole(&bytes))
        else {
            return Ok(None);
        };
        let fits = header.page == page && header.segment == place.lsn / SEGMENT;
        let payload = bytes.split_off(header.size.min(bytes.len()));
        Ok((fits && payload.len() as u64 == header.len).then_some((header.kind, payload)))
    }
}

/// The segments from `lowest` on that follow one another without a gap.
fn contiguous(segments: &BTreeMap<u64, u64>, lowest: u64) -> Vec<(u64, u64)> {
    let expected = (0..).map(|index| lowest.saturating_add(SEGMENT.saturating_mul(index)));
    let from = segments.range(lowest..).map(|(lsn, base)| (*lsn, *base));
    from.zip(expected)
        .take_while(|((lsn, _), expected)| lsn == expected)
        .map(|(segment, _)| segment)
        .collect()
}

/// A walk over the messages of some segments.
struct Walk<'a> {
    log: &'a Log,
    segments: std::vec::IntoIter<(u64, u64)>,
    /// The segment that is walked, and where it is in the file.
    segment: Option<(u64, Vec<u8>)>,
    /// The next message, in the order of writing.
    at: Option<u64>,
    /// No message behind this counts.
    until: Option<u64>,
    /// True if the first broken message ends it, and not only its segment.
    is_strict: bool,
}

impl<'a> Walk<'a> {
    fn new(log: &'a Log, segments: Vec<(u64, u64)>) -> Self {
        Self {
            log,
            segments: segments.into_iter(),
            segment: None,
            at: None,
            until: None,
            is_strict: false,
        }
    }

    fn next(&mut self) -> io::Result<Option<PageMessage>> {
        loop {
            let at = self.at.unwrap_or(0);
            if at % SEGMENT > SEGMENT - MESSAGE_HEADER_MAX || at % SEGMENT < HEADER {
                self.segment = None;
            }
            if self.segment.is_none() && !self.begin_segment()? {
                return Ok(None);
            }
            let (Some((base, bytes)), Some(at)) = (&self.segment, self.at) else {
                return Ok(None);
            };
            if self.until.is_some_and(|until| at > until) {
                return Ok(None);
            }
            match read(bytes, *base, at) {
                SegmentRead::Message(message) => {
                    self.at = Some(at + message.place.len);
                    return Ok(Some(message));
                }
                SegmentRead::Skip(len) => self.at = Some(at + len),
                SegmentRead::Batch { up_to, .. }
                    if self.until.is_some_and(|until| up_to > until) =>
                {
                    return Ok(None);
                }
                SegmentRead::Batch { len, .. } => self.at = Some(at + len),
                SegmentRead::Broken if self.is_strict => return Ok(None),
                // What sled overwrote of a segment that it needed no more, before the header.
                SegmentRead::Broken | SegmentRead::Cap => self.segment = None,
            }
        }
    }

    fn begin_segment(&mut self) -> io::Result<bool> {
        let Some((lsn, base)) = self.segments.next() else {
            return Ok(false);
        };
        if self.until.is_some_and(|until| lsn > until) {
            return Ok(false);
        }
        let mut bytes = vec![0; SEGMENT as usize];
        let read = fill(&self.log.file, &mut bytes, base)?;
        bytes.truncate(read);
        self.at = Some(lsn + HEADER);
        self.segment = Some((base, bytes));
        Ok(true)
    }
}

fn read(segment: &[u8], base: u64, lsn: u64) -> SegmentRead {
    let within = lsn % SEGMENT;
    let Some(bytes) = segment.get(within as usize..) else {
        return SegmentRead::Broken;
    };
    let Some(header) = MessageHeader::read(bytes).filter(|header| header.is_whole(bytes)) else {
        return SegmentRead::Broken;
    };
    let len = header.size as u64 + header.len;
    if header.segment != lsn / SEGMENT {
        return SegmentRead::Broken;
    }
    let place = MessagePlace {
        lsn,
        at: base + within,
        len,
    };
    let message = |kind| {
        SegmentRead::Message(PageMessage {
            kind,
            page: header.page,
            place,
        })
    };
    match header.kind {
        CANCELED => SegmentRead::Skip(len),
        CAP => SegmentRead::Cap,
        BATCH => {
            let up_to = bytes
                .get(header.size..)
                .and_then(|payload| payload.first_chunk::<8>());
            up_to.map_or(SegmentRead::Broken, |up_to| SegmentRead::Batch {
                up_to: u64::from_le_bytes(*up_to),
                len,
            })
        }
        FREE => message(MessageKind::Free),
        COUNTER | META | NODE => message(MessageKind::Replace),
        LINK => message(MessageKind::Link),
        // What sled keeps in files of its own: no value of ours is that large.
        _ => SegmentRead::Broken,
    }
}

/// Returns where in the bytes of a segment the first message stands that is not whole.
pub(in crate::engines::sled) fn first_broken(segment: &[u8], lsn: u64) -> u64 {
    let mut within = HEADER;
    while within <= SEGMENT - MESSAGE_HEADER_MAX {
        within += match read(segment, 0, lsn + within) {
            SegmentRead::Message(message) => message.place.len,
            SegmentRead::Skip(len) | SegmentRead::Batch { len, .. } => len,
            SegmentRead::Cap | SegmentRead::Broken => break,
        };
    }
    within
}

/// The beginning of a message.
#[derive(Debug, Clone, Copy)]
struct MessageHeader {
    checksum: u32,
    kind: u8,
    len: u64,
    segment: u64,
    page: u64,
    /// The number of bytes of all that.
    size: usize,
}

impl MessageHeader {
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let checksum = fields.u32()?;
        let kind = fields.byte()?;
        let len = fields.number()?;
        let segment = fields.number()?;
        let page = fields.number()?;
        Some(Self {
            checksum,
            kind,
            len,
            segment,
            page,
            size: bytes.len() - fields.0.len(),
        })
    }

    /// Tells whether the message that `bytes` begin with is as it was written.
    fn is_whole(&self, bytes: &[u8]) -> bool {
        let end = usize::try_from(self.len)
            .ok()
            .and_then(|len| self.size.checked_add(len));
        let body = end.and_then(|end| bytes.get(self.size..end));
        let (Some(body), Some(header)) = (body, bytes.get(4..self.size)) else {
            return false;
        };
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(body);
        hasher.update(header);
        hasher.finalize() ^ u32::MAX == self.checksum
    }
}

/// Reads into `to` what there is at `at`; gives how many bytes.
pub(in crate::engines::sled) fn fill(file: &File, to: &mut [u8], at: u64) -> io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = to.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, at.saturating_add(done as u64)) {
            Ok(0) => break,
            Ok(read) => done = done.saturating_add(read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}
