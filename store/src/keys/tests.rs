use std::os::unix::fs::PermissionsExt as _;

use folkmoot_core::ids::{Seed, Stamp, Time};

use super::*;

const ADA: KeyId = [7; 16];

fn world(number: u8) -> WorldId {
    WorldId::from_stamp(&Stamp { time: Time::SIMULATED_START, seed: Seed::new([number; 16]) })
}

#[test]
fn what_is_sealed_is_read_with_its_own_key_in_its_own_world() {
    let home = tempfile::tempdir().unwrap();
    let keys = Keyring::new(Some(home.path()));
    let sealed = keys.seal(world(1), ADA, b"a secret").unwrap();
    assert!(!sealed.bytes.windows(6).any(|window| window == b"secret"));
    let again = Keyring::new(Some(home.path()));
    let open = |of, key: &KeyId, bytes: &[u8]| again.open(of, key, &sealed.nonce, bytes);
    assert_eq!(open(world(1), &ADA, &sealed.bytes), Some(b"a secret".to_vec()));
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
    let file = home.path().join(FOLDER).join(world(1).to_string()).join(file_name(&ADA));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    keys.destroy(world(1), &BTreeSet::from([ADA])).unwrap();
    assert!(!file.exists());
    assert_eq!(keys.open(world(1), &ADA, &sealed.nonce, &sealed.bytes), None);
    let anew = keys.seal(world(1), ADA, b"another").unwrap();
    assert_eq!(keys.open(world(1), &ADA, &sealed.nonce, &sealed.bytes), None, "the new key is another one");
    assert!(keys.open(world(1), &ADA, &anew.nonce, &anew.bytes).is_some());
}
