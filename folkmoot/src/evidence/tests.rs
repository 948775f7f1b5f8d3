use folkmoot_core::event::EventKind;
use folkmoot_core::ids::{Digest, Position, Seed, Stamp, Time, WorldId};
use folkmoot_proof::bundle::kind_name;
use folkmoot_proof::note::{Checkpoint, SignerKey};
use serde_json::json;

use super::signed::SignedHeads;

#[test]
fn the_checker_knows_all_kinds_of_events_by_name() {
    for (kind, _) in EventKind::ALL {
        assert_eq!(
            kind_name(*kind as u16),
            Some(kind.name()),
            "proof/src/bundle/kinds.rs"
        );
    }
}

fn world() -> WorldId {
    WorldId::from_stamp(&Stamp {
        time: Time::SIMULATED_START,
        seed: Seed::new([7; 16]),
    })
}

/// A signed head that covers the events up to `of`, as it stands in a log.
fn signed(of: u64) -> (Checkpoint, Vec<u8>) {
    let root = Digest::of(&[b"root"]);
    let head = Checkpoint::of_world(*world().0.as_bytes(), of / 2, *root.as_bytes(), of);
    let key = SignerKey::generate("example.com/rooms", &[9; 32]).unwrap();
    let note = head.sign(&key).unwrap().to_string();
    let signature = note.trim_end().rsplit(' ').next().unwrap();
    let key = format!("{}+{}", key.name(), key.id());
    let facts = json!({ "of": of, "commits": of / 2, "root": root, "key": key, "signature": signature,
        "occasion": "quiet" });
    (head, facts.to_string().into_bytes())
}

#[test]
fn a_head_that_was_signed_in_the_log_is_a_note_that_verifies() {
    let mut heads = SignedHeads::new(world());
    let (head, facts) = signed(6);
    heads.take(Position::new(7), Some(&facts));
    let note = heads.newest().unwrap();
    assert_eq!(note.text(), head.body());
    let keys = [SignerKey::generate("example.com/rooms", &[9; 32])
        .unwrap()
        .verifier()];
    assert_eq!(note.verify(&keys), Ok(vec![&keys[0]]));
}

#[test]
fn only_what_is_signed_last_and_at_once_covers_all_but_itself() {
    let heads = |taken: &[(u64, Option<u64>)]| {
        let mut heads = SignedHeads::new(world());
        for (at, of) in taken {
            heads.take(Position::new(*at), of.map(|of| signed(of).1).as_deref());
        }
        heads.covers_all_but_itself()
    };
    assert_eq!(heads(&[(1, None)]), None);
    assert_eq!(heads(&[(1, None), (2, None), (3, Some(2))]), Some(1));
    assert_eq!(
        heads(&[(1, None), (2, None), (3, Some(2)), (4, None)]),
        None
    );
    assert_eq!(
        heads(&[(1, None), (2, None), (3, None), (4, None), (5, Some(2))]),
        None
    );
    assert_eq!(
        heads(&[(1, None), (2, None), (3, Some(2)), (4, None), (5, Some(4))]),
        Some(2)
    );
}
