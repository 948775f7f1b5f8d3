//! Looking for texts in files, packed or not.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What every packed unit begins with.
const PACKED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// What every text that is looked for begins with.
const CANARY: &[u8] = b"canary-";

/// A file below `folder` that holds one of `texts`, and which.
pub(crate) fn find(folder: &Path, texts: &[String]) -> Option<(PathBuf, String)> {
    if texts.is_empty() {
        return None;
    }
    for entry in fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(Result::unwrap)
    {
        let path = entry.path();
        let found = if path.is_dir() {
            find(&path, texts)
        } else {
            held(&fs::read(&path).unwrap(), texts).map(|text| (path, text))
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn held(bytes: &[u8], texts: &[String]) -> Option<String> {
    let mut packed = places(bytes, &PACKED).map(|at| unpacked(&bytes[at..]));
    plain(bytes, texts).or_else(|| packed.find_map(|bytes| plain(&bytes, texts)))
}

fn plain(bytes: &[u8], texts: &[String]) -> Option<String> {
    let mut all = places(bytes, CANARY).flat_map(|at| {
        texts
            .iter()
            .filter(move |text| bytes[at..].starts_with(text.as_bytes()))
    });
    all.next().cloned()
}

/// Where `what` stands in `bytes`.
fn places<'a>(bytes: &'a [u8], what: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    memchr::memmem::find_iter(bytes, what)
}

/// As much of a packed unit as is there.
fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let Ok(mut decoder) = zstd::stream::read::Decoder::new(bytes) else {
        return out;
    };
    let mut piece = [0; 4_096];
    while let Ok(count @ 1..) = decoder.read(&mut piece) {
        out.extend_from_slice(&piece[..count]);
    }
    out
}
