use std::collections::BTreeMap;

use super::*;

#[test]
fn rows_in_files_are_in_the_order_of_their_keys() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("format"), "folkmoot store 2\n").unwrap();
    let folder = ContentFolder::of(dir.path());
    let key = |world: u8, rest: &[u8]| [[world; 16].as_slice(), rest].concat();
    let keys = [
        key(1, b"a"),
        key(1, b"b\xff"),
        key(1, b"b"),
        key(7, b""),
        key(0xff, b"z"),
        key(7, b"\0"),
        vec![3],
    ];
    let rows: BTreeMap<Vec<u8>, Vec<u8>> = keys
        .into_iter()
        .map(|key| (key.clone(), [b"value ", key.as_slice()].concat()))
        .collect();
    let pairs: Vec<Pair> = rows.clone().into_iter().collect();
    folder.put(&pairs).unwrap();
    fs::write(dir.path().join("content/somebody's"), "notes").unwrap();
    assert_eq!(folder.range(&[], &[0xff; 64], usize::MAX).unwrap(), pairs);
    let probes: Vec<Vec<u8>> = rows
        .keys()
        .flat_map(|key| [key.clone(), [key.as_slice(), b"\0"].concat()])
        .collect();
    for from in &probes {
        assert_eq!(folder.get(from).unwrap(), rows.get(from).cloned());
        assert_eq!(
            folder.floor(from).unwrap(),
            rows.range(..=from.clone())
                .next_back()
                .map(|(key, value)| (key.clone(), value.clone()))
        );
        for to in probes.iter().filter(|to| from < *to) {
            let expected: Vec<Vec<u8>> = rows
                .range(from.clone()..to.clone())
                .map(|(key, _)| key.clone())
                .collect();
            assert_eq!(folder.keys(from, to, usize::MAX).unwrap(), expected);
            assert_eq!(
                folder.keys(from, to, 1).unwrap(),
                expected[..expected.len().min(1)]
            );
        }
    }
    let all: Vec<Vec<u8>> = rows.into_keys().collect();
    folder.remove(&all).unwrap();
    folder.remove(&all).unwrap();
    assert_eq!(
        fs::read_dir(dir.path().join("content")).unwrap().count(),
        1,
        "only what somebody else put there"
    );
}
