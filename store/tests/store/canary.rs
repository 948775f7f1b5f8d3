//! Looking for a text in whatever a store keeps, packed or not.

use std::io::Read as _;
use std::path::Path;

use folkmoot_store::{Engine, FrameNumber, Table};

/// What every packed unit begins with.
const PACKED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

const ALL: usize = usize::MAX;

/// Whether `bytes` hold `canary`, as it is or in anything that is packed in them.
pub(crate) fn holds(bytes: &[u8], canary: &str) -> bool {
    let found = |bytes: &[u8]| {
        bytes
            .windows(canary.len())
            .any(|window| window == canary.as_bytes())
    };
    let packed = bytes
        .windows(PACKED.len())
        .enumerate()
        .filter(|(_, window)| *window == PACKED);
    found(bytes)
        || packed
            .into_iter()
            .any(|(at, _)| found(&unpacked(&bytes[at..])))
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

/// The files below `folder` that hold `canary`.
pub(crate) fn files_with(folder: &Path, canary: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, canary));
        } else if holds(&std::fs::read(&path).unwrap(), canary)
            || holds(path.to_string_lossy().as_bytes(), canary)
        {
            found.push(path.display().to_string());
        }
    }
    found
}

/// Bytes of a frame before its payload.
const FRAME_HEADER: usize = 26;

/// Whether an engine keeps `canary`, in one value or in a unit that spans several.
pub(crate) fn kept_by(engine: &dyn Engine, canary: &str) -> bool {
    let tables = [
        Table::Meta,
        Table::Worlds,
        Table::Runs,
        Table::Keys,
        Table::Gone,
        Table::Content,
    ];
    let rows = tables
        .iter()
        .flat_map(|table| engine.range(*table, &[], &[0xff; 64], ALL).unwrap());
    let frames = engine
        .read(FrameNumber(0), ALL)
        .unwrap()
        .into_iter()
        .map(|(_, frame)| frame);
    let values: Vec<Vec<u8>> = rows
        .flat_map(|(key, value)| [key, value])
        .chain(frames)
        .collect();
    let runs = engine.range(Table::Runs, &[], &[0xff; 64], ALL).unwrap();
    let joined: Vec<u8> = runs
        .iter()
        .flat_map(|(_, frame)| frame.iter().skip(FRAME_HEADER))
        .copied()
        .collect();
    values.iter().any(|value| holds(value, canary)) || holds(&joined, canary)
}
