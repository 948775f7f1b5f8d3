//! Every random room is one that a person could have written.

use std::path::Path;

use folkmoot::definition_of;
use folkmoot::script::Script;

use super::*;

#[test]
fn every_random_room_is_a_valid_script() {
    for seed in 0..40 {
        for room in generate(seed, 600).rooms {
            let text = room.script.to_string();
            let script = Script::parse(&text, Path::new("room.yaml"))
                .unwrap_or_else(|error| panic!("{text}: {error}"));
            definition_of(&script, &script.spec).unwrap_or_else(|error| panic!("{text}: {error}"));
        }
    }
}

#[test]
fn a_seed_always_tells_the_same_story() {
    assert_eq!(generate(7, 600), generate(7, 600));
    assert_ne!(generate(7, 600), generate(8, 600));
}

#[test]
fn deeds_and_faults_are_in_order_and_within_the_story() {
    for seed in 0..300 {
        let story = generate(seed, 600);
        assert!(
            story.deeds.is_sorted_by_key(|deed| deed.at_us)
                && story.faults.is_sorted_by_key(|fault| fault.at_us)
        );
        assert!(
            story
                .deeds
                .iter()
                .all(|deed| deed.at_us < 600_000_000 && deed.room < story.rooms.len())
        );
    }
}
