use folkmoot_core::ids::{Seed, Stamp, Time};
use proptest::prelude::*;

use super::thin::KEPT_MAX;
use super::*;

fn world(number: u8) -> WorldId {
    WorldId::from_stamp(&Stamp {
        time: Time(1),
        seed: Seed::new([number; 16]),
    })
}

fn rules() -> Digest {
    Digest::of(&[b"rules"])
}

fn positions(shelter: &Shelter) -> Vec<u64> {
    shelter
        .places(world(1))
        .into_iter()
        .map(|(at, _)| at.get())
        .collect()
}

/// The link of the commit that ends at `at`.
fn link(at: u64) -> Digest {
    Digest::of(&[b"link", &at.to_le_bytes()])
}

fn saved(at: u64, decider: Digest) -> Saved {
    let (at, state) = (Position::new(at), at.to_string().into_bytes());
    Saved {
        world: world(1),
        at,
        link: link(at.get()),
        decider,
        state,
    }
}

fn save(shelter: &Shelter, at: u64) {
    shelter.save(saved(at, rules())).unwrap();
}

fn latest(
    shelter: &Shelter,
    of: WorldId,
    decider: Digest,
    up_to: Option<Position>,
) -> Option<(Position, Vec<u8>)> {
    shelter.latest(of, decider, up_to, |at| Some(link(at.get())))
}

#[test]
fn a_checkpoint_of_another_world_or_another_history_is_not_used() {
    on_both(|shelter| {
        save(shelter, 5_000);
        save(shelter, 9_999);
        let rewritten = |at: Position| {
            Some(if at.get() == 9_999 {
                link(1)
            } else {
                link(at.get())
            })
        };
        assert_eq!(
            shelter
                .latest(world(1), rules(), None, rewritten)
                .unwrap()
                .0,
            Position::new(5_000)
        );
        assert_eq!(shelter.latest(world(1), rules(), None, |_| None), None);
    });
    let home = tempfile::tempdir().unwrap();
    let shelter = Shelter::new(Some(home.path()));
    save(&shelter, 7);
    let folder = home.path().join(FOLDER);
    fs::rename(
        folder.join(world(1).to_string()),
        folder.join(world(2).to_string()),
    )
    .unwrap();
    assert_eq!(latest(&shelter, world(2), rules(), None), None);
}

#[test]
fn those_of_older_builds_make_room() {
    let home = tempfile::tempdir().unwrap();
    let shelter = Shelter::new(Some(home.path()));
    save(&shelter, 7);
    let own = home.path().join(FOLDER).join(world(1).to_string());
    fs::write(own.join("6"), [OLD_MARK.as_slice(), &[0; 80]].concat()).unwrap();
    assert_eq!(
        latest(&shelter, world(1), rules(), None).unwrap().0,
        Position::new(7)
    );
    save(&shelter, 8);
    assert_eq!(positions(&shelter), [8]);
}

fn on_both(check: impl Fn(&Shelter)) {
    let home = tempfile::tempdir().unwrap();
    check(&Shelter::new(Some(home.path())));
    check(&Shelter::new(None));
}

#[test]
fn a_damaged_checkpoint_counts_as_none_and_the_one_before_it_is_used() {
    let home = tempfile::tempdir().unwrap();
    let shelter = Shelter::new(Some(home.path()));
    save(&shelter, 5_000);
    let old = Some((Position::new(5_000), b"5000".to_vec()));
    let new = Some((Position::new(9_999), b"9999".to_vec()));
    save(&shelter, 9_999);
    assert_eq!(latest(&shelter, world(1), rules(), None), new);
    let path = home
        .path()
        .join(FOLDER)
        .join(world(1).to_string())
        .join("9999");
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&path, changed).unwrap();
        assert_eq!(latest(&shelter, world(1), rules(), None), old, "byte {at}");
        fs::write(&path, &whole[..at]).unwrap();
        assert_eq!(
            latest(&shelter, world(1), rules(), None),
            old,
            "cut at {at}"
        );
    }
    fs::rename(path.with_file_name("5000"), &path).unwrap();
    assert_eq!(
        latest(&shelter, world(1), rules(), None),
        None,
        "one under another's name"
    );
    fs::remove_dir_all(home.path().join(FOLDER)).unwrap();
    assert_eq!(latest(&shelter, world(1), rules(), None), None);
}

#[test]
fn the_newest_at_or_before_a_position_is_found() {
    on_both(|shelter| {
        for at in [4_100, 8_200, 12_300, 12_400] {
            save(shelter, at);
        }
        let found = |up_to| latest(shelter, world(1), rules(), up_to).map(|(at, _)| at.get());
        assert_eq!(found(None), Some(12_400));
        assert_eq!(found(Some(Position::new(12_399))), Some(12_300));
        assert_eq!(found(Some(Position::new(8_200))), Some(8_200));
        assert_eq!(found(Some(Position::new(8_199))), Some(4_100));
        assert_eq!(found(Some(Position::new(4_099))), None);
        assert_eq!(latest(shelter, world(2), rules(), None), None);
        assert_eq!(
            latest(shelter, world(1), Digest::of(&[b"others"]), None),
            None
        );
    });
}

#[test]
fn a_short_world_keeps_one() {
    on_both(|shelter| {
        for at in [3, 40, 500, 4_000] {
            save(shelter, at);
            assert_eq!(positions(shelter), [at]);
        }
    });
}

#[test]
fn checkpoints_of_other_rules_go() {
    on_both(|shelter| {
        save(shelter, 5_000);
        shelter
            .save(saved(5_001, Digest::of(&[b"new rules"])))
            .unwrap();
        assert_eq!(positions(shelter), [5_001]);
    });
}

#[test]
fn the_one_file_of_an_older_build_makes_room() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(FOLDER);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(world(1).to_string()), b"fmcheck1 and a text").unwrap();
    fs::write(
        folder.join(home::half_written(&world(1).to_string())),
        b"half a text",
    )
    .unwrap();
    let shelter = Shelter::new(Some(home.path()));
    assert_eq!(latest(&shelter, world(1), rules(), None), None);
    save(&shelter, 7);
    assert_eq!(positions(&shelter), [7]);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    shelter.remove(world(1)).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn few_are_kept_the_newest_among_them_and_no_gap_is_wide(steps in prop::collection::vec(1_u64..9_000, 1..150)) {
        let shelter = Shelter::new(None);
        let mut at = 0;
        for step in steps {
            at += step;
            save(&shelter, at);
            let kept = positions(&shelter);
            prop_assert!(kept.len() <= KEPT_MAX);
            prop_assert_eq!(kept.last(), Some(&at));
            let before = std::iter::once(0).chain(kept.iter().copied());
            let widest = before.zip(&kept).map(|(before, after)| after - before).max().unwrap();
            prop_assert!(widest <= 3 * (at / KEPT_MAX as u64).max(9_000), "{kept:?}");
        }
    }
}
