use folkmoot_core::ids::{Incarnation, Seed, Stamp, Time};

use super::*;
use crate::state::index::IndexedWorld;
use crate::write::encode::Unlinked;

fn world() -> WorldId {
    WorldId::from_stamp(&Stamp {
        time: Time(1),
        seed: Seed::new([1; 16]),
    })
}

/// The world as it is behind event 2.
fn index() -> Index {
    let mut index = Index::default();
    let name = WorldName::new("world").unwrap();
    let reach = Reach {
        head: Position::new(2),
        incarnation: Incarnation(1),
        ..Reach::unborn(name)
    };
    index.insert(world(), IndexedWorld::new(reach, Position::ZERO));
    index
}

fn request(first: u64, key: Option<&str>) -> AppendRequest {
    let (reply, _) = oneshot::channel();
    AppendRequest {
        incarnation: Incarnation(1),
        first: commit(first, key),
        rest: Vec::new(),
        beside: None,
        reply,
    }
}

fn commit(first: u64, key: Option<&str>) -> EncodedCommit {
    let position = Position::new(first);
    let key = key.map(|key| Keyed {
        key: CommandKey::Client(key.to_owned()),
        digest: Digest::of(&[b"x"]),
    });
    let summary = Summary {
        world: world(),
        first: position,
        last: position,
        time: Time(1),
        key,
        opened: None,
        origin: None,
        created: None,
        is_sealed: false,
        labelled: None,
        gone: Vec::new(),
    };
    EncodedCommit {
        summary,
        record: Unlinked::of_len(100),
    }
}

fn admit(batch: &Batch, request: &AppendRequest) -> Result<Admission, AppendError> {
    batch.admit(request, &index(), |_, _| Ok(None))
}

/// A batch with one commit, which has a key.
fn begun() -> Batch {
    let mut batch = Batch::new(Term(1), FrameNumber(0));
    let first = request(3, Some("k"));
    let Ok(Admission::Next(reach)) = admit(&batch, &first) else {
        panic!("it follows the head")
    };
    batch.add(first, reach).unwrap();
    batch
}

#[test]
fn a_key_of_the_same_batch_waits_until_that_is_durable() {
    let batch = begun();
    for first in [3, 4, 9] {
        assert!(
            matches!(
                admit(&batch, &request(first, Some("k"))),
                Ok(Admission::Later)
            ),
            "at {first}"
        );
    }
    assert!(matches!(
        admit(&batch, &request(4, Some("other"))),
        Ok(Admission::Next(_))
    ));
}

#[test]
fn commits_of_one_batch_follow_one_another_by_position_and_link() {
    let mut batch = begun();
    for first in [2, 3, 5] {
        let refused = admit(&batch, &request(first, None));
        assert!(
            matches!(refused, Err(AppendError::Conflict { actual, .. }) if actual == Position::new(3)),
            "{first}"
        );
    }
    let second = request(4, None);
    let Ok(Admission::Next(reach)) = admit(&batch, &second) else {
        panic!("it follows the first")
    };
    batch.add(second, reach).unwrap();
    let sealed = batch.finish().unwrap();
    let [(first, before), (second, behind)] = sealed.landed.as_slice() else {
        panic!("there are two")
    };
    assert_eq!(
        *before,
        crate::format::chain::link(&crate::format::chain::NO_LINK, &first.leaf)
    );
    assert_eq!(*behind, crate::format::chain::link(before, &second.leaf));
}

#[test]
fn a_group_has_one_answer_and_others_follow_its_end() {
    let mut batch = begun();
    let group = AppendRequest {
        rest: vec![commit(5, None), commit(6, None)],
        ..request(4, None)
    };
    let Ok(Admission::Next(reach)) = admit(&batch, &group) else {
        panic!("it follows the first")
    };
    batch.add(group, reach).unwrap();
    for (first, follows) in [(4, false), (6, false), (7, true)] {
        let admission = admit(&batch, &request(first, None));
        assert_eq!(
            matches!(admission, Ok(Admission::Next(_))),
            follows,
            "{first}"
        );
    }
    let sealed = batch.finish().unwrap();
    let links: Vec<Digest> = sealed.landed.iter().map(|(_, link)| *link).collect();
    let answers: Vec<Digest> = sealed.replies.iter().map(|(_, link)| *link).collect();
    assert_eq!(links.len(), 4);
    assert_eq!(answers, [links[0], links[3]]);
}
