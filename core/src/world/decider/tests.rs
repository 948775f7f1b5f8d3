use crate::world::decider::LOCKED_CRATES;

/// Decisions run through these crates: another version of one is another decider.
#[test]
fn locked_crates_are_those_of_the_lockfile() {
    let lock =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock")).unwrap();
    for line in LOCKED_CRATES.lines() {
        let (name, version) = line.split_once(' ').unwrap();
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(
            lock.contains(&entry),
            "{name} is no longer {version}: bump DECIDER_VERSION and mend decider.lock"
        );
    }
}
