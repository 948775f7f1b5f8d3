use super::*;

fn barrier() -> (tempfile::TempDir, Barrier) {
    let home = tempfile::tempdir().unwrap();
    let db = sled::open(home.path()).unwrap();
    let file = File::open(home.path().join("db")).unwrap();
    (home, Barrier::new(Handle::new(db), file))
}

#[test]
fn no_more_is_written_between_two_barriers_than_is_allowed() {
    let (_home, mut barrier) = barrier();
    for cost in [
        1,
        60_000,
        65_000,
        999,
        1,
        VALUES_MAX,
        5_000,
        VALUES_MAX - 5_000,
        1,
    ] {
        barrier.reserve(cost).unwrap();
        assert!(
            barrier.used <= VALUES_MAX,
            "{} bytes after one of {cost}",
            barrier.used
        );
    }
    assert_eq!(barrier.used, 1);
}

#[test]
fn background_work_is_cut_into_steps() {
    let of_world = |world: u8, len: usize| (vec![world; WORLD_LEN + 10], vec![0; len]);
    let pairs: Vec<Pair> = (0..40).map(|number| of_world(number / 5, 6_000)).collect();
    for table in [Table::Runs, Table::Keys] {
        let steps = steps(table, &pairs);
        let all: Vec<&Pair> = steps.iter().flatten().map(|(_, pair)| *pair).collect();
        assert_eq!(all, pairs.iter().collect::<Vec<_>>());
        for step in &steps {
            let costs: usize = step.iter().map(|(cost, _)| cost).sum();
            assert!(
                costs <= STEP_MAX && costs >= step.len() * 6_000,
                "{costs} bytes of {} pairs",
                step.len()
            );
        }
    }
}
