use folkmoot_core::ids::{Seed, Stamp, Time};

use super::*;

#[test]
fn a_damaged_checkpoint_counts_as_none() {
    let home = tempfile::tempdir().unwrap();
    let shelter = Shelter::new(Some(home.path()));
    let world = WorldId::from_stamp(&Stamp { time: Time(1), seed: Seed::new([1; 16]) });
    let rules = Digest::of(&[b"rules"]);
    shelter.save(world, Position::new(4), rules, b"state".to_vec()).unwrap();
    assert_eq!(shelter.latest(world, rules), Some((Position::new(4), b"state".to_vec())));
    let path = home.path().join(FOLDER).join(world.to_string());
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&path, changed).unwrap();
        assert_eq!(shelter.latest(world, rules), None, "byte {at}");
        fs::write(&path, &whole[..at]).unwrap();
        assert_eq!(shelter.latest(world, rules), None, "cut at {at}");
    }
    fs::remove_dir_all(home.path().join(FOLDER)).unwrap();
    assert_eq!(shelter.latest(world, rules), None);
}
