use super::*;
use crate::format::FRAME_MAX;

fn reach(labelled: Labelled) -> Reach {
    let name = WorldName::new("n".repeat(64)).unwrap();
    Reach { labelled: Arc::new(labelled), ..Reach::unborn(name) }
}

/// The largest labels that a world may have, in letters whose JSON is longest.
fn largest() -> Labelled {
    let value = "\"".repeat(Labelled::VALUE_MAX);
    let label = |number: usize| (format!("{number:0width$}", width = Labelled::KEY_MAX), value.clone());
    Labelled { owner: Some(value.clone()), labels: (0..Labelled::LABELS_MAX).map(label).collect() }
}

#[test]
fn entries_come_back_with_and_without_labels() {
    for labelled in [Labelled::default(), largest()] {
        assert_eq!(labelled.check(), Ok(()));
        let reach = reach(labelled);
        assert_eq!(read(&write(&reach).unwrap()), Ok(reach));
    }
}

#[test]
fn the_largest_entry_is_a_value_that_the_engine_takes_well() {
    let len = write(&reach(largest())).unwrap().len();
    assert!(len <= FRAME_MAX, "{len} bytes");
}

#[test]
fn a_world_without_labels_has_the_entry_that_it_always_had() {
    assert_eq!(write(&reach(Labelled::default())).unwrap()[0], FORMAT);
}
