use folkmoot_core::ids::{Seed, Stamp, Time};

use super::*;

fn world(number: u8) -> WorldId {
    WorldId::from_stamp(&Stamp {
        time: Time(1),
        seed: Seed::new([number; 16]),
    })
}

fn files(home: &Path, world: WorldId) -> Vec<String> {
    let names = fs::read_dir(home.join(FOLDER).join(world.to_string())).unwrap();
    names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn every_changed_or_missing_byte_of_a_blob_is_noticed_and_mended_by_putting_it_again() {
    let home = tempfile::tempdir().unwrap();
    let vault = Vault::new(Some(home.path()));
    let bytes = b"a picture".to_vec();
    let blob = vault.put(world(1), bytes.clone(), None).unwrap();
    let path = path(&home.path().join(FOLDER), world(1), blob);
    let is_damaged = || matches!(vault.get(world(1), blob, None), Err(BlobError::Damaged { blob: named }) if named == blob);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        fs::write(&path, changed).unwrap();
        assert!(is_damaged(), "byte {at}");
        fs::write(&path, &bytes[..at]).unwrap();
        assert!(is_damaged(), "cut at {at}");
    }
    File::create(&path)
        .unwrap()
        .set_len(BLOB_BYTES_MAX as u64 + 1)
        .unwrap();
    assert!(is_damaged(), "grown");
    assert_eq!(vault.put(world(1), bytes.clone(), None).unwrap(), blob);
    assert_eq!(vault.get(world(1), blob, None).unwrap(), Some(bytes));
}

#[test]
fn the_same_bytes_are_one_file_and_have_another_name_in_every_world() {
    let home = tempfile::tempdir().unwrap();
    let vault = Vault::new(Some(home.path()));
    for number in [1, 1, 2] {
        vault
            .put(world(number), b"a picture".to_vec(), None)
            .unwrap();
    }
    let (one, other) = (files(home.path(), world(1)), files(home.path(), world(2)));
    assert_eq!((one.len(), other.len()), (1, 1));
    assert_ne!(one, other);
    let blob = Digest::sha256(b"a picture").to_string();
    assert!(
        !one.contains(&blob) && !other.contains(&blob),
        "a name says what is in the file"
    );
}

#[test]
fn a_half_written_file_is_no_blob() {
    let home = tempfile::tempdir().unwrap();
    let vault = Vault::new(Some(home.path()));
    let blob = Digest::sha256(b"a picture");
    let own = home.path().join(FOLDER).join(world(1).to_string());
    fs::create_dir_all(&own).unwrap();
    fs::write(
        own.join(format!(".{}.new", file_name(world(1), blob))),
        b"a pic",
    )
    .unwrap();
    assert_eq!(vault.get(world(1), blob, None).unwrap(), None);
    assert_eq!(
        vault.put(world(1), b"a picture".to_vec(), None).unwrap(),
        blob
    );
    assert_eq!(files(home.path(), world(1)), [file_name(world(1), blob)]);
}

#[test]
fn blobs_of_a_world_are_copied_and_removed_alone_in_memory_as_on_disk() {
    let home = tempfile::tempdir().unwrap();
    for vault in [Vault::new(None), Vault::new(Some(home.path()))] {
        let blob = vault.put(world(1), b"a picture".to_vec(), None).unwrap();
        vault.put(world(1), b"another".to_vec(), None).unwrap();
        vault.put(world(2), b"a picture".to_vec(), None).unwrap();
        let to = Vault::new(None);
        let copied = vault.copy(world(1), &to, None).unwrap();
        assert_eq!((copied.whole, copied.damaged), (2, 0));
        assert_eq!(
            (to.has_any(world(1)).unwrap(), to.has_any(world(2)).unwrap()),
            (true, false)
        );
        vault.remove(world(1)).unwrap();
        assert_eq!(
            (
                vault.has_any(world(1)).unwrap(),
                vault.has_any(world(2)).unwrap()
            ),
            (false, true)
        );
        assert_eq!(vault.get(world(1), blob, None).unwrap(), None);
        assert_eq!(
            vault.get(world(2), blob, None).unwrap(),
            Some(b"a picture".to_vec())
        );
    }
}

#[test]
fn old_blobs_that_nothing_names_are_removed_and_no_others() {
    let home = tempfile::tempdir().unwrap();
    let vault = Vault::new(Some(home.path()));
    let long_ago = SystemTime::UNIX_EPOCH;
    let put = |text: &str| vault.put(world(1), text.into(), None).unwrap();
    let age = |blob| {
        let path = path(&home.path().join(FOLDER), world(1), blob);
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(long_ago).unwrap();
    };
    let (named, left, young, again) = (put("named"), put("left"), put("young"), put("again"));
    for blob in [named, left, again] {
        age(blob);
    }
    put("again");
    let before = long_ago + std::time::Duration::from_secs(1);
    let removed = vault.remove_unnamed(world(1), &[named].into(), before);
    assert_eq!(removed.unwrap(), 1);
    let size = |blob| vault.size(world(1), blob, None).unwrap();
    assert_eq!(size(left), None);
    for blob in [named, young, again] {
        assert!(size(blob).is_some());
    }
}
