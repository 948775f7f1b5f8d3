use super::*;

#[test]
fn a_full_disk_is_told_from_other_failures() {
    assert!(matches!(
        from_io(io::ErrorKind::StorageFull.into()),
        EngineError::Full(_)
    ));
    assert!(matches!(
        from_io(io::ErrorKind::PermissionDenied.into()),
        EngineError::Io(_)
    ));
}

#[test]
fn a_step_of_background_work_takes_no_longer_than_appends_may_wait() {
    let key = |world: u8, place: u8| [[world; 16].as_slice(), &[place; 10]].concat();
    let steps = |table, pairs: Vec<Pair>| {
        barrier::steps(table, &pairs)
            .iter()
            .map(Vec::len)
            .collect::<Vec<_>>()
    };
    let near = (0..4)
        .map(|place| (key(1, place), vec![0; 20_000]))
        .collect();
    assert_eq!(
        steps(Table::Runs, near),
        [1, 3],
        "the first one of a world costs more"
    );
    let far = (0..4)
        .map(|world| (key(world, 1), vec![0; 20_000]))
        .collect();
    assert_eq!(steps(Table::Runs, far), [1, 1, 1, 1]);
    let small = (0..30).map(|place| (key(1, place), vec![0])).collect();
    assert_eq!(steps(Table::Meta, small), [21, 9]);
}
