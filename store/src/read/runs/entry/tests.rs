use super::*;
use crate::format::FRAME_MAX;

fn reach(labelled: Labelled) -> Reach {
    let name = WorldName::new("n".repeat(64)).unwrap();
    Reach {
        labelled: Arc::new(labelled),
        ..Reach::unborn(name)
    }
}

/// A fork with the most whole subtrees that a log of sixteen million commits can have.
fn grown(labelled: Labelled) -> Reach {
    let tree = Frontier::from_parts((1 << 24) - 1, vec![[7; 32]; 24]).unwrap();
    let base = Base {
        parent: header::world([3; 16]),
        at: Position::new(9),
        is_copied: true,
    };
    Reach {
        tree,
        base: Some(base),
        ..reach(labelled)
    }
}

/// The largest labels that a world may have, in letters whose JSON is longest.
fn largest() -> Labelled {
    let value = "\"".repeat(Labelled::VALUE_MAX);
    let label = |number: usize| {
        (
            format!("{number:0width$}", width = Labelled::KEY_MAX),
            value.clone(),
        )
    };
    Labelled {
        owner: Some(value.clone()),
        labels: (0..Labelled::LABELS_MAX).map(label).collect(),
    }
}

#[test]
fn entries_come_back_with_and_without_labels() {
    for labelled in [Labelled::default(), largest()] {
        assert_eq!(labelled.check(), Ok(()));
        let reach = reach(labelled);
        assert_eq!(read(&write(&reach).unwrap()), Ok((reach, true)));
    }
    let grown = grown(largest());
    assert_eq!(read(&write(&grown).unwrap()), Ok((grown, true)));
}

#[test]
fn the_largest_entry_is_a_value_that_the_engine_takes_well() {
    let len = write(&grown(largest())).unwrap().len();
    assert!(len <= FRAME_MAX, "{len} bytes of at most {FRAME_MAX}");
}

#[test]
fn entries_of_older_builds_are_read_and_know_no_tree() {
    for (format, labelled) in [
        (BARE_FORMAT, Labelled::default()),
        (LABELLED_FORMAT, largest()),
    ] {
        let reach = reach(labelled);
        let mut old = write(&reach).unwrap();
        old.truncate(old.len() - 4);
        old.splice(..2, [format]);
        // Format, head, time, incarnation and link stand before the size of the tree.
        let tree = 1 + 8 + 8 + 4 + 32;
        old.drain(tree..tree + 8);
        old.extend_from_slice(&crc32fast::hash(&old).to_le_bytes());
        assert_eq!(read(&old), Ok((reach, false)));
    }
}
