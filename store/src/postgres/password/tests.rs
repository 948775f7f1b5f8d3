//! Passwords: where they are found, in which order, and a file that others can read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::{Login, Surroundings};
use crate::postgres::error::PostgresError;

const FILE: &str = "# host:port:database:user:password
other:5432:rooms:ada:wrong
h:5432:rooms:ada:one\\:two\\\\three
*:6000:*:ada:any
";

fn login(text: &str, around: &Surroundings) -> Result<Login, PostgresError> {
    let url = text.parse().unwrap();
    Login::find(&url, &url.hosts[0], around)
}

fn password(text: &str, around: &Surroundings) -> Option<String> {
    login(text, around).unwrap().password
}

fn with_file(folder: &Path, mode: u32) -> Surroundings {
    let path = folder.join("pgpass");
    fs::write(&path, FILE).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    Surroundings {
        file: Some(path),
        ..Surroundings::default()
    }
}

#[test]
fn password_of_the_url_comes_before_that_of_the_environment_and_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = with_file(folder.path(), 0o600);
    let around = Surroundings {
        password: Some("around".into()),
        ..file.clone()
    };
    let of = |text: &str, around| password(text, around);
    assert_eq!(of("postgres://ada:here@h/rooms", &around).unwrap(), "here");
    assert_eq!(of("postgres://ada@h/rooms", &around).unwrap(), "around");
    assert_eq!(
        of("postgres://ada@h/rooms", &file).unwrap(),
        "one:two\\three"
    );
    assert_eq!(of("postgres://ada@x:6000/y", &file).unwrap(), "any");
    assert_eq!(of("postgres://bob@h/rooms", &file), None);
}

#[test]
fn file_that_others_can_read_is_refused_if_it_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let around = with_file(folder.path(), 0o644);
    let said = login("postgres://ada@h/rooms", &around).err().unwrap();
    assert!(said.to_string().contains("chmod 600"), "{said}");
    assert_eq!(password("postgres://bob@h/rooms", &around), None);
}

#[test]
fn user_of_the_environment_stands_in_and_somebody_must_be_there() {
    let around = Surroundings {
        user: Some("bob".into()),
        ..Surroundings::default()
    };
    assert_eq!(login("postgres://h/rooms", &around).unwrap().user, "bob");
    assert_eq!(
        login("postgres://ada@h/rooms", &around).unwrap().user,
        "ada"
    );
    let nobody = login("postgres://h/rooms", &Surroundings::default());
    assert!(matches!(nobody, Err(PostgresError::NoUser)));
}
