use super::*;

fn pairs(all: &[(u8, &'static str)]) -> Vec<(u8, &'static str)> {
    all.to_vec()
}

#[test]
fn entries_are_told_apart_by_their_key() {
    let (before, after) = (
        pairs(&[(1, "a"), (2, "b"), (3, "c")]),
        pairs(&[(4, "d"), (3, "c"), (2, "B")]),
    );
    let found = changes(before, after, |one| one.0);
    let changed = vec![ValueChange {
        before: (2, "b"),
        after: (2, "B"),
    }];
    assert_eq!(
        found,
        Changes {
            removed: vec![(1, "a")],
            added: vec![(4, "d")],
            changed
        }
    );
    assert!(changes(pairs(&[(1, "a")]), pairs(&[(1, "a")]), |one| one.0).is_empty());
}

#[test]
fn a_world_is_no_different_from_itself() {
    let world = World::default();
    let diff = StateDiff::of(&world, &world);
    let at = ValueChange {
        before: Position::ZERO,
        after: Position::ZERO,
    };
    assert!(diff.agents.is_empty() && diff.transcript.is_empty() && diff.memories.is_empty());
    assert_eq!((diff.at, diff.spec, diff.usage), (at, None, None));
}

#[test]
fn a_memory_that_was_made_shorter_shows_what_went_and_what_came() {
    let notice = |text: &str| Item::Notice {
        text: text.to_owned(),
    };
    let remembered = |items: &[&str]| MemoryExtract {
        items: items.iter().map(|one| notice(one)).collect(),
        ..MemoryExtract::default()
    };
    let diff = remembered(&["a", "b", "c"])
        .diff(remembered(&["a", "d"]))
        .unwrap();
    assert_eq!(
        (diff.same, diff.removed, diff.added),
        (1, vec![notice("b"), notice("c")], vec![notice("d")])
    );
    assert_eq!(remembered(&["a"]).diff(remembered(&["a"])), None);
}
