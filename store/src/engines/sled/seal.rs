//! The seal of a database that was closed: a checksum of everything that sled will look at when it
//! is opened again.
//!
//! sled takes what does not read at the end of its log for a write that was torn, and overwrites
//! it. A seal tells the two apart: under a seal nothing is torn, so whatever differs is damage, and
//! is said before sled is let near it. The seal is broken, for good, before sled opens the database
//! to write; a database that was not closed has none.

use std::fs::{self, File};
use std::io;
use std::num::NonZero;
use std::path::Path;

use super::bare::log::{HEADER, Header, SEGMENT, fill};
use super::bare::pages::newest_snapshot;
use crate::format::Malformed;
use crate::format::bytes::Bytes;
use crate::home;

/// The name in the folder of the database.
pub(super) const FILE: &str = "sealed";

/// The first bytes of the file.
const MARK: &[u8; 8] = b"fmseal1\n";

/// sled's own settings.
const CONF: &str = "conf";

/// The length up to which this sled takes a file for no settings.
const NO_CONF_BYTES: usize = 8;

/// The most threads that compare a database with its seal.
const THREADS_MAX: usize = 4;

/// The number of a segment that has none.
const NO_NUMBER: u64 = u64::MAX;

/// A segment of the log, when the database was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    /// The number in the order of writing.
    lsn: u64,
    checksum: u32,
}

/// The state of a database when it was closed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seal {
    /// The name of the newest snapshot, empty if there is none, and the checksum of what is in it.
    snapshot: (String, u32),
    conf: u32,
    /// The length of the log.
    len: u64,
    segments: Vec<Segment>,
}

/// The word of a seal about a database.
#[derive(Debug)]
pub(super) enum SealFinding {
    /// There is none, or one of a database that another build has written to since.
    None,
    /// The database is as it was.
    Whole(Seal),
    /// Something is not.
    Broken(Vec<String>),
}

/// The seal of a database, if it has one that is of it: a build that knows of no seals may have
/// written to it since.
pub(super) fn read(folder: &Path) -> io::Result<Option<Seal>> {
    let bytes = match fs::read(folder.join(FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes?,
    };
    // One that does not read was of no harm to what it seals.
    let newest = newest_snapshot(folder)?
        .map(|path| name_of(&path))
        .unwrap_or_default();
    Ok(decode(&bytes).ok().filter(|seal| seal.snapshot.0 == newest))
}

/// Compares a database with its seal.
pub(super) fn check(folder: &Path) -> io::Result<SealFinding> {
    let Some(seal) = read(folder)? else {
        return Ok(SealFinding::None);
    };
    let mut broken = Vec::new();
    let (name, checksum) = snapshot(folder)?;
    if checksum != seal.snapshot.1 {
        broken.push(format!(
            "log/{name} is not as it was when the store was closed"
        ));
    }
    if checksum_of(&folder.join(CONF))? != seal.conf {
        broken.push(format!(
            "log/{CONF} is not as it was when the store was closed"
        ));
    }
    let file = File::open(folder.join("db"))?;
    let len = file.metadata()?.len();
    if len != seal.len {
        broken.push(format!(
            "log/db has {len} bytes, and had {} when the store was closed",
            seal.len
        ));
    }
    for at in changed(&file, &seal.segments)? {
        broken.push(format!(
            "log/db is not as it was when the store was closed, at byte {at} or behind it"
        ));
    }
    Ok(if broken.is_empty() {
        SealFinding::Whole(seal)
    } else {
        SealFinding::Broken(broken)
    })
}

/// Tells whether sled's own settings do not match the checksum at their end: sled would refuse
/// them, and nothing may have been written by then. Where there are none, it makes them anew.
pub(super) fn broken_settings(folder: &Path) -> io::Result<Option<String>> {
    let bytes = match fs::read(folder.join(CONF)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes?,
    };
    let is_whole = bytes
        .split_last_chunk::<4>()
        .is_some_and(|(settings, checksum)| {
            crc32fast::hash(settings) == u32::from_le_bytes(*checksum)
        });
    Ok((bytes.len() > NO_CONF_BYTES && !is_whole)
        .then(|| format!("log/{CONF} does not match its checksum")))
}

/// Returns where segments begin to differ from what they were.
fn changed(file: &File, segments: &[Segment]) -> io::Result<Vec<u64>> {
    let threads = std::thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(THREADS_MAX);
    let each = segments.len().div_ceil(threads).max(1);
    let parts: Vec<(u64, &[Segment])> = (0..).step_by(each).zip(segments.chunks(each)).collect();
    let compared: Vec<io::Result<Vec<u64>>> = std::thread::scope(|scope| {
        let started: Vec<_> = parts
            .iter()
            .map(|part| scope.spawn(|| compare(file, *part)))
            .collect();
        started
            .into_iter()
            .map(|part| {
                part.join()
                    .unwrap_or_else(|_| Err(io::Error::other("a comparison panicked")))
            })
            .collect()
    });
    Ok(compared
        .into_iter()
        .collect::<io::Result<Vec<_>>>()?
        .concat())
}

/// The same, of the segments from number `first` on.
fn compare(file: &File, (first, segments): (u64, &[Segment])) -> io::Result<Vec<u64>> {
    let mut changed = Vec::new();
    let mut bytes = vec![0; SEGMENT as usize];
    for (number, segment) in (first..).zip(segments) {
        let base = number.saturating_mul(SEGMENT);
        let read = fill(file, &mut bytes, base)?;
        let bytes = bytes.get(..read).unwrap_or_default();
        if crc32fast::hash(bytes) != segment.checksum {
            changed.push(base.saturating_add(first_broken(bytes, segment.lsn)));
        }
    }
    Ok(changed)
}

/// Lets the database be written to. Returns once that survives power loss.
pub(super) fn break_up(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.and_then(|()| home::sync_folder(folder)),
    }
}

/// Seals a database that is closed. What `before` has of segments that were not written since is
/// not read again.
pub(super) fn close(folder: &Path, before: &Seal) -> io::Result<()> {
    let file = File::open(folder.join("db"))?;
    // What is sealed has to be what is on the disk.
    file.sync_all()?;
    let len = file.metadata()?.len();
    // The last segment went on being written.
    let newest = before
        .segments
        .iter()
        .map(|segment| segment.lsn)
        .filter(|lsn| *lsn != NO_NUMBER)
        .max();
    // sled never writes to an old segment without giving it a new number (decision 0024).
    let is_old = |segment: &&Segment| newest.is_some_and(|newest| segment.lsn < newest);
    let mut known = before.segments.iter();
    let mut segments = Vec::new();
    let mut bytes = vec![0; SEGMENT as usize];
    for base in (0..len).step_by(SEGMENT as usize) {
        let mut header = [0; HEADER as usize];
        let read = fill(&file, &mut header, base)?;
        let lsn = header
            .get(..read)
            .and_then(Header::read)
            .map_or(NO_NUMBER, |header| header.lsn);
        let same = known.next().filter(is_old).filter(|known| known.lsn == lsn);
        segments.push(match same {
            Some(same) => *same,
            None => {
                let read = fill(&file, &mut bytes, base)?;
                Segment {
                    lsn,
                    checksum: crc32fast::hash(bytes.get(..read).unwrap_or_default()),
                }
            }
        });
    }
    let seal = Seal {
        snapshot: snapshot(folder)?,
        conf: checksum_of(&folder.join(CONF))?,
        len,
        segments,
    };
    home::replace(folder, FILE, &encode(&seal))
}

/// Returns where in a segment the first message stands that is not whole, as far as that can be
/// told.
fn first_broken(bytes: &[u8], lsn: u64) -> u64 {
    match Header::read(bytes) {
        Some(header) if header.lsn == lsn => super::bare::log::first_broken(bytes, lsn),
        Some(_) | None => 0,
    }
}

fn snapshot(folder: &Path) -> io::Result<(String, u32)> {
    let Some(path) = newest_snapshot(folder)? else {
        return Ok((String::new(), 0));
    };
    Ok((name_of(&path), checksum_of(&path)?))
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The checksum of a file; of an empty one if it is not there.
fn checksum_of(path: &Path) -> io::Result<u32> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(crc32fast::hash(&[])),
        bytes => Ok(crc32fast::hash(&bytes?)),
    }
}

fn encode(seal: &Seal) -> Vec<u8> {
    let mut bytes = MARK.to_vec();
    let name = seal.snapshot.0.as_bytes();
    bytes.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
    bytes.extend_from_slice(name);
    bytes.extend_from_slice(&seal.snapshot.1.to_le_bytes());
    bytes.extend_from_slice(&seal.conf.to_le_bytes());
    bytes.extend_from_slice(&seal.len.to_le_bytes());
    for segment in &seal.segments {
        bytes.extend_from_slice(&segment.lsn.to_le_bytes());
        bytes.extend_from_slice(&segment.checksum.to_le_bytes());
    }
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

fn decode(bytes: &[u8]) -> Result<Seal, Malformed> {
    let broken = || Malformed::new("a broken seal");
    let (body, checksum) = bytes.split_last_chunk::<4>().ok_or_else(broken)?;
    if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
        return Err(broken());
    }
    let mut body = Bytes(body.strip_prefix(MARK).ok_or_else(broken)?);
    let name = body.u8()?;
    let name = String::from_utf8(body.take(usize::from(name))?.to_vec()).map_err(|_| broken())?;
    let snapshot = (name, body.u32()?);
    let conf = body.u32()?;
    let len = body.u64()?;
    let mut segments = Vec::new();
    while !body.0.is_empty() {
        segments.push(Segment {
            lsn: body.u64()?,
            checksum: body.u32()?,
        });
    }
    Ok(Seal {
        snapshot,
        conf,
        len,
        segments,
    })
}
