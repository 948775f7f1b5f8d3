use std::fs;

use folkmoot_core::ids::Digest;

use super::head_record::{self, FILE, Head, HeadRecord};
use crate::engine::FrameNumber;

fn head(frame: u64) -> Head {
    Head {
        frame: FrameNumber(frame),
        link: Digest::of(&[&frame.to_le_bytes()]),
    }
}

fn read(home: &std::path::Path) -> Option<Head> {
    HeadRecord::open(home).unwrap().1
}

#[test]
fn the_newest_head_is_read_back() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(read(home.path()), None);
    for session in 0..3 {
        let (mut record, _) = HeadRecord::open(home.path()).unwrap();
        for frame in 1..5 {
            record.write(head(10 * session + frame)).unwrap();
            record.sync().unwrap();
            assert_eq!(read(home.path()), Some(head(10 * session + frame)));
            assert!(
                fs::metadata(home.path().join(FILE)).unwrap().len() <= 2 * 52,
                "two slots are written in turn"
            );
        }
    }
}

#[test]
fn a_torn_write_leaves_the_head_before_it() {
    let home = tempfile::tempdir().unwrap();
    let (mut record, _) = HeadRecord::open(home.path()).unwrap();
    record.write(head(1)).unwrap();
    record.write(head(2)).unwrap();
    let whole = fs::read(home.path().join(FILE)).unwrap();
    for at in 52..whole.len() {
        let mut torn = whole.clone();
        torn[at] ^= 0x10;
        fs::write(home.path().join(FILE), torn).unwrap();
        assert_eq!(read(home.path()), Some(head(1)), "byte {at}");
    }
}

#[test]
fn a_head_that_was_never_written_is_none_and_one_that_does_not_read_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(head_record::read(home.path()).unwrap(), None);
    fs::create_dir(home.path().join(FILE)).unwrap();
    assert!(head_record::read(home.path()).is_err());
}
