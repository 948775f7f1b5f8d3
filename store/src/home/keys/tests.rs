use std::os::unix::fs::PermissionsExt as _;

use folkmoot_core::ids::{Seed, Stamp, Time};

use super::*;

const ADA: KeyId = [7; 16];

fn world(number: u8) -> WorldId {
    WorldId::from_stamp(&Stamp {
        time: Time::SIMULATED_START,
        seed: Seed::new([number; 16]),
    })
}

#[test]
fn what_is_sealed_is_read_with_its_own_key_in_its_own_world() {
    let home = tempfile::tempdir().unwrap();
    let keys = Keyring::new(Some(home.path()));
    let sealed = keys.seal(world(1), ADA, b"a secret").unwrap();
    assert!(!sealed.bytes.windows(6).any(|window| window == b"secret"));
    let again = Keyring::new(Some(home.path()));
    let open = |of, key: &KeyId, bytes: &[u8]| again.open(of, key, &sealed.nonce, bytes).unwrap();
    assert_eq!(
        open(world(1), &ADA, &sealed.bytes),
        Some(b"a secret".to_vec())
    );
    assert_eq!(open(world(2), &ADA, &sealed.bytes), None);
    assert_eq!(open(world(1), &OF_WORLD, &sealed.bytes), None);
    let mut changed = sealed.bytes.clone();
    changed[0] ^= 1;
    assert_eq!(open(world(1), &ADA, &changed), None);
}

#[test]
fn a_key_is_its_owners_alone_and_gone_once_destroyed() {
    let home = tempfile::tempdir().unwrap();
    let keys = Keyring::new(Some(home.path()));
    let sealed = keys.seal(world(1), ADA, b"a secret").unwrap();
    let file = home
        .path()
        .join(FOLDER)
        .join(world(1).to_string())
        .join(file_name(&ADA));
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    keys.destroy(world(1), &BTreeSet::from([ADA])).unwrap();
    assert!(!file.exists());
    assert_eq!(
        keys.open(world(1), &ADA, &sealed.nonce, &sealed.bytes)
            .unwrap(),
        None
    );
    let anew = keys.seal(world(1), ADA, b"another").unwrap();
    assert_eq!(
        keys.open(world(1), &ADA, &sealed.nonce, &sealed.bytes)
            .unwrap(),
        None,
        "the new key is another one"
    );
    assert!(
        keys.open(world(1), &ADA, &anew.nonce, &anew.bytes)
            .unwrap()
            .is_some()
    );
}

#[test]
fn a_key_that_does_not_read_is_not_taken_for_one_that_was_destroyed() {
    let home = tempfile::tempdir().unwrap();
    for key in [ADA, OF_WORLD] {
        let sealed = Keyring::new(Some(home.path()))
            .seal(world(1), key, b"a secret")
            .unwrap();
        let file = home
            .path()
            .join(FOLDER)
            .join(world(1).to_string())
            .join(file_name(&key));
        let whole = fs::read(&file).unwrap();
        let open =
            || Keyring::new(Some(home.path())).open(world(1), &key, &sealed.nonce, &sealed.bytes);
        fs::write(&file, &whole[1..]).unwrap();
        assert_eq!(
            open().unwrap_err().kind(),
            io::ErrorKind::InvalidData,
            "it was cut"
        );
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert_eq!(open().unwrap_err().kind(), io::ErrorKind::IsADirectory);
        fs::remove_dir(&file).unwrap();
        assert_eq!(open().unwrap(), None, "it was destroyed");
    }
    for (of, key) in [(1, ADA), (2, ADA), (1, OF_WORLD)] {
        Keyring::new(Some(home.path()))
            .seal(world(of), key, b"a secret")
            .unwrap();
    }
    let file = |of, key| {
        home.path()
            .join(FOLDER)
            .join(world(of).to_string())
            .join(file_name(&key))
    };
    let sealed = Keyring::new(Some(home.path()))
        .seal(world(1), ADA, b"a secret")
        .unwrap();
    let open =
        || Keyring::new(Some(home.path())).open(world(1), &ADA, &sealed.nonce, &sealed.bytes);
    let whole = fs::read(file(1, ADA)).unwrap();
    for (of, key) in [(2, ADA), (1, OF_WORLD)] {
        fs::copy(file(of, key), file(1, ADA)).unwrap();
        assert_eq!(
            open().unwrap_err().kind(),
            io::ErrorKind::InvalidData,
            "it is another's"
        );
    }
    for bit in 0..whole.len() * 8 {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        fs::write(file(1, ADA), changed).unwrap();
        assert_eq!(
            open().unwrap_err().kind(),
            io::ErrorKind::InvalidData,
            "bit {bit}"
        );
    }
    fs::write(file(1, ADA), &whole[..32]).unwrap();
    assert_eq!(
        open().unwrap(),
        Some(b"a secret".to_vec()),
        "as older builds wrote it"
    );
    let sealed = Keyring::new(Some(home.path()))
        .seal(world(1), OF_WORLD, b"a secret")
        .unwrap();
    let file = home
        .path()
        .join(FOLDER)
        .join(world(1).to_string())
        .join(file_name(&OF_WORLD));
    fs::write(&file, [7; 32]).unwrap();
    let opened =
        Keyring::new(Some(home.path())).open(world(1), &OF_WORLD, &sealed.nonce, &sealed.bytes);
    assert_eq!(
        opened.unwrap_err().kind(),
        io::ErrorKind::InvalidData,
        "it is another"
    );
}
