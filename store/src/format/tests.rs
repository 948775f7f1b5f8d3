use proptest::prelude::*;

use super::bytes::Bytes;
use super::event::{ContentRef, EventRef};
use super::frame::{FrameRef, Joiner, PAYLOAD_MAX, Packing, Unit, is_newer};
use super::{FORMAT, FRAME_MAX, Malformed};

fn joined(frames: &[Vec<u8>]) -> Result<Option<Vec<u8>>, Malformed> {
    let mut joiner = Joiner::default();
    let mut whole = None;
    for frame in frames {
        whole = joiner.add(&FrameRef::read(frame)?)?.map(<[u8]>::to_vec);
    }
    Ok(whole)
}

fn unit(number: u64, term: u64, payload: &[u8]) -> Vec<Vec<u8>> {
    Unit {
        number,
        term,
        packing: Packing::Plain,
        raw_len: payload.len(),
        payload,
    }
    .frames()
    .unwrap()
}

proptest! {
    #[test]
    fn a_unit_comes_out_of_its_frames_as_it_went_in(raw in prop::collection::vec(any::<u8>(), 1..30_000), zip: bool) {
        let packed = zstd::bulk::compress(&raw, 1).unwrap();
        let (packing, payload) = if zip { (Packing::Zstd, &packed) } else { (Packing::Plain, &raw) };
        let frames = Unit { number: 7, term: 3, packing, raw_len: raw.len(), payload }.frames().unwrap();
        prop_assert!(frames.iter().all(|frame| frame.len() <= FRAME_MAX));
        prop_assert_eq!(frames.len(), payload.len().div_ceil(PAYLOAD_MAX));
        for (at, frame) in frames.iter().enumerate() {
            prop_assert_eq!(FrameRef::read(frame).unwrap().number, 7 + at as u64);
        }
        prop_assert_eq!(joined(&frames).unwrap(), Some(raw));
        prop_assert_eq!(joined(&frames[..frames.len() - 1]).unwrap(), None);
    }

    #[test]
    fn any_changed_bit_of_a_frame_is_noticed(raw in prop::collection::vec(any::<u8>(), 1..200), at: prop::sample::Index) {
        let mut frame = unit(1, 1, &raw).remove(0);
        let bit = at.index(frame.len() * 8);
        frame[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(FrameRef::read(&frame).is_err());
    }

    #[test]
    fn random_bytes_are_never_taken_for_a_record(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for record in super::record::records(&bytes).flatten() {
            prop_assert!(record.bytes.len() <= bytes.len());
        }
    }

    #[test]
    fn an_event_is_read_as_it_was_written(facts: Vec<u8>, content: Vec<u8>, salt: [u8; 16], form in 0..3, by: u64) {
        let content = match form {
            0 => ContentRef::None,
            1 => ContentRef::Present { salt, bytes: &content },
            _ => {
                let by = (by > 0).then_some(folkmoot_core::ids::Position::new(by));
                ContentRef::Erased { by, commitment: [9; 32] }
            }
        };
        let event = EventRef { kind: 20, version: 1, facts: &facts, content };
        let mut bytes = Vec::new();
        event.write(&mut bytes).unwrap();
        let mut rest = Bytes(&bytes);
        prop_assert_eq!(EventRef::read(&mut rest).unwrap(), event);
        prop_assert!(rest.0.is_empty());
    }
}

#[test]
fn erasing_content_keeps_the_leaf() {
    let (salt, bytes) = ([3; 16], b"a secret".as_slice());
    let present = EventRef {
        kind: 20,
        version: 1,
        facts: b"{}",
        content: ContentRef::Present { salt, bytes },
    };
    let commitment = present.commitment().unwrap();
    let erased = EventRef {
        content: ContentRef::Erased {
            by: None,
            commitment,
        },
        ..present
    };
    let leaf = |event: &EventRef<'_>| crate::format::chain::leaf(b"header", &[*event]);
    assert_eq!(leaf(&present), leaf(&erased));
    let other = EventRef {
        content: ContentRef::Present {
            salt,
            bytes: b"another",
        },
        ..present
    };
    assert_ne!(leaf(&present), leaf(&other));
}

#[test]
fn a_unit_that_its_writer_did_not_finish_is_dropped_by_the_next_writer_only() {
    let long = vec![1; 2 * PAYLOAD_MAX];
    let begun = unit(1, 1, &long).remove(0);
    let same_writer = [begun.clone(), unit(2, 1, b"x").remove(0)];
    assert!(joined(&same_writer).is_err());
    let next_writer = [begun, unit(2, 2, b"x").remove(0)];
    assert_eq!(joined(&next_writer).unwrap(), Some(b"x".to_vec()));
}

#[test]
fn a_frame_is_newer_if_more_of_it_than_its_first_byte_is_other() {
    let known = unit(1, 1, b"x").remove(0);
    let changed = [&[FORMAT + 1], &known[1..]].concat();
    let newer = [&[FORMAT + 1], &known[1..], b"more"].concat();
    let older = [&[FORMAT - 1], &known[1..], b"more"].concat();
    assert_eq!(
        [&known, &changed, &newer, &older].map(|frame| is_newer(frame)),
        [false, false, true, false]
    );
}
