//! The small values of a store: entries, tombstones, checkpoints, the head record, notes of erasures, headers.

use folkmoot::core::event::Labelled;
use folkmoot::store::testing::{Stored, rewrite, write_commit};
use folkmoot_tests::golden_commit;

use crate::corpus;

const KINDS: [Stored; 6] = [
    Stored::Checkpoint,
    Stored::Entry,
    Stored::Erasure,
    Stored::Header,
    Stored::Head,
    Stored::Tombstone,
];

/// What is read of a value is read of it again when it was written anew. The first byte says what it should be; it is
/// tried as it is, and with the checksum that it should have at its end.
pub(crate) fn law(input: &[u8]) {
    let Some((kind, value)) = input.split_first() else {
        return;
    };
    let kind = KINDS[usize::from(*kind) % KINDS.len()];
    let sealed = [value, &crc32fast::hash(value).to_le_bytes()].concat();
    for bytes in [value, &sealed] {
        match rewrite(kind, bytes) {
            Ok(again) => assert_eq!(rewrite(kind, &again), Ok(again)),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let log = corpus::files("tests/golden/v4", "people.jsonl").concat();
    let lines = std::str::from_utf8(&log).unwrap().lines();
    let headers = lines.map(|line| write_commit(&golden_commit(line)).unwrap());
    let headers = headers.map(|commit| {
        let len = usize::from(u16::from_le_bytes([commit[36], commit[37]]));
        [&[3], &commit[38..38 + len]].concat()
    });
    let entry = |format: &[u8], tree: &[u8]| {
        [&[1], format, &[9; 20], &[8; 32], tree, b"release-room"].concat()
    };
    let labels = serde_json::to_vec(&Labelled::default()).unwrap();
    let labelled = [&(labels.len() as u32).to_le_bytes()[..], &labels].concat();
    let tree = [&3_u64.to_le_bytes()[..], &[5; 64]].concat();
    let tombstone = r#"{"world":"01890a5d-ac96-774b-bcce-b302099a8057","name":"old","head":7,"last":9,"link":"LINK","size":3,"root":"LINK","at":11,"by":"runtime","is_clean":false}"#;
    let others = [
        [&[0][..], b"fmcheck1", &[9; 8], &[8; 32], b"{\"a\":1}"].concat(),
        entry(&[1], &[]),
        entry(&[2], &labelled),
        entry(&[3, 0], &tree),
        entry(&[3, 15], &[&tree[..], &[6; 24], &labelled].concat()),
        [&[2][..], &[4; 26]].concat(),
        [&[4][..], b"fmhead1\n", &[9; 8], &[8; 32]].concat(),
        [
            &[5][..],
            tombstone.replace("LINK", &"ab".repeat(32)).as_bytes(),
        ]
        .concat(),
    ];
    headers.chain(others).collect()
}
