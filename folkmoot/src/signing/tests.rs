use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use folkmoot_core::event::{HeadSigned, Occasion, TreeHead};
use folkmoot_core::ids::{Digest, Position, Seed, Stamp, Time, WorldId};
use folkmoot_core::port::Signer as _;
use folkmoot_core::port::causes::with_causes;
use folkmoot_proof::note::{Checkpoint, SignerKey};
use tempfile::TempDir;

use super::{HeadSigner, KeyFile, KeyFileError, checkpoint_of, note_of};

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn world() -> WorldId {
    WorldId::from_stamp(&Stamp {
        time: Time(1),
        seed: Seed::new([1; 16]),
    })
}

fn head() -> TreeHead {
    TreeHead {
        of: Position::new(7),
        commits: 3,
        root: Digest::of(&[b"root"]),
    }
}

fn put(folder: &Path, text: &str) -> KeyFile {
    let path = folder.join("put.key");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    KeyFile::at(path)
}

#[test]
fn a_recorded_signature_is_that_of_the_note_that_an_anchor_is() {
    let signer = HeadSigner::new(SignerKey::generate("example.com/desk", &[7; 32]).unwrap());
    let (key, signature) = (signer.key(), signer.sign(world(), &head()));
    assert_eq!(key, format!("example.com/desk+{}", signer.verifier().id()));
    let recorded = HeadSigned {
        head: head(),
        key,
        signature,
        occasion: Occasion::Quiet,
    };
    let note = note_of(world(), &recorded).unwrap();
    assert_eq!(note, signer.note(world(), &head()).unwrap());
    assert!(note.verify(&[signer.verifier()]).is_ok());
    let lines: Vec<&str> = note.text().lines().collect();
    let [origin, commits, _, event] = lines.as_slice() else {
        panic!("{lines:?}")
    };
    assert_eq!(
        (*origin, *commits, *event),
        (format!("folkmoot/{}", world()).as_str(), "3", "event 7")
    );
    assert_eq!(
        Checkpoint::parse(note.text()).unwrap(),
        checkpoint_of(world(), &head())
    );
}

#[test]
fn what_is_no_signature_makes_no_note() {
    let recorded = |key: &str, signature: &str| HeadSigned {
        head: head(),
        key: key.to_owned(),
        signature: signature.to_owned(),
        occasion: Occasion::Quiet,
    };
    assert!(note_of(world(), &recorded("a+00000000", "no base64")).is_err());
    assert!(note_of(world(), &recorded("a b+00000000", "AAAAAAA=")).is_err());
    assert!(note_of(world(), &recorded("", "AAAAAAA=")).is_err());
}

#[test]
fn a_key_that_was_made_is_read_and_its_file_is_its_owners() {
    let folder = folder();
    let file = KeyFile::at(folder.path().join("desk.key"));
    let made = file.create("example.com/desk").unwrap();
    assert_eq!(
        fs::metadata(file.path()).unwrap().permissions().mode() & 0o7777,
        0o600
    );
    assert_eq!(file.read().unwrap().verifier(), made.verifier());
    assert_ne!(
        KeyFile::at(folder.path().join("other"))
            .create("example.com/desk")
            .unwrap()
            .verifier(),
        made.verifier()
    );
    let text = fs::read_to_string(file.path()).unwrap();
    assert!(matches!(
        file.create("example.com/desk"),
        Err(KeyFileError::Exists { .. })
    ));
    assert_eq!(
        fs::read_to_string(file.path()).unwrap(),
        text,
        "it is as it was"
    );
    // The secret is in base64, which has a `+` itself.
    let secret = text.trim().splitn(5, '+').last().unwrap();
    assert!(secret.len() > 40 && !format!("{made:?}").contains(secret));
}

#[test]
fn a_name_that_no_key_can_have_makes_no_file() {
    let folder = folder();
    let file = KeyFile::at(folder.path().join("desk.key"));
    for name in ["", "two words", "a+b", &"x".repeat(2_000)] {
        assert!(
            matches!(file.create(name), Err(KeyFileError::Name { .. })),
            "{name}"
        );
    }
    assert!(!file.path().exists());
}

#[test]
fn a_key_file_that_is_open_to_others_is_refused() {
    let folder = folder();
    let file = KeyFile::at(folder.path().join("desk.key"));
    file.create("example.com/desk").unwrap();
    for mode in [0o644, 0o640, 0o604, 0o620, 0o601] {
        fs::set_permissions(file.path(), Permissions::from_mode(mode)).unwrap();
        let error = file.read().unwrap_err();
        assert!(
            matches!(error, KeyFileError::Exposed { mode: found, .. } if found == mode),
            "{error}"
        );
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }
    fs::set_permissions(file.path(), Permissions::from_mode(0o400)).unwrap();
    assert!(file.read().is_ok());
}

#[test]
fn a_key_file_in_the_store_is_refused_by_whatever_way_it_is_named() {
    let folder = folder();
    let (store, beside) = (folder.path().join("store"), folder.path().join("store.key"));
    fs::create_dir_all(store.join("deep")).unwrap();
    let inside = KeyFile::at(store.join("deep/desk.key"));
    let refused = |path: &Path| match KeyFile::at(path).outside_of(&store) {
        Err(KeyFileError::InStore { .. }) => true,
        Err(error) => panic!("{error}"),
        Ok(_) => false,
    };
    assert!(refused(inside.path()), "one that is to be made");
    inside.create("k").unwrap();
    symlink(inside.path(), folder.path().join("link.key")).unwrap();
    symlink(&store, folder.path().join("way")).unwrap();
    assert!(refused(inside.path()) && refused(&folder.path().join("link.key")));
    assert!(
        refused(&folder.path().join("way/deep/desk.key"))
            && refused(&store.join("../store/deep/new.key"))
    );
    assert!(
        !refused(&beside),
        "a name that begins alike is another folder"
    );
    KeyFile::at(&beside).create("k").unwrap();
    assert!(!refused(&beside) && !refused(&folder.path().join("missing/desk.key")));
    assert!(
        KeyFile::at(&beside)
            .outside_of(&folder.path().join("no store yet"))
            .is_ok()
    );
}

#[test]
fn what_is_no_key_is_refused_and_never_shown() {
    let folder = folder();
    let secret = "c2VjcmV0IHNlY3JldCBzZWNyZXQ";
    for text in [
        "",
        secret,
        &format!("PRIVATE+KEY+a+00000000+{secret}"),
        &format!("{secret}\n").repeat(1_000),
    ] {
        let error = put(folder.path(), text).read().unwrap_err();
        assert!(matches!(error, KeyFileError::Malformed { .. }), "{error}");
        assert!(
            !with_causes(&error).contains(secret) && !format!("{error:?}").contains(secret),
            "{error:?}"
        );
    }
    fs::write(folder.path().join("put.key"), [0xff, 0xfe]).unwrap();
    assert!(matches!(
        KeyFile::at(folder.path().join("put.key")).read(),
        Err(KeyFileError::Malformed { .. })
    ));
    let public = KeyFile::at(folder.path().join("desk.key"))
        .create("example.com/desk")
        .unwrap()
        .verifier();
    let error = put(folder.path(), &format!("{public}\n"))
        .read()
        .unwrap_err();
    assert!(matches!(error, KeyFileError::Public { .. }), "{error}");
    let error = KeyFile::at(folder.path().join("missing"))
        .read()
        .unwrap_err();
    assert!(matches!(error, KeyFileError::Read { .. }), "{error}");
    let error = KeyFile::at(folder.path()).read().unwrap_err();
    assert!(matches!(error, KeyFileError::NotAFile { .. }), "{error}");
}
