use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use folkmoot::core::ids::PersonName;
use folkmoot::{Right, Rights, WorldName};
use futures::FutureExt as _;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use tempfile::TempDir;

use super::super::WorldPattern;
use super::*;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// A folder with a file of tokens in it.
struct Desk {
    dir: TempDir,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { dir }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("tokens")
    }

    fn file(&self) -> TokenFile {
        TokenFile::at(self.path())
    }

    fn mint(&self, new: NewToken) -> Secret {
        self.file().mint(new, NOW).unwrap().0
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).unwrap()
    }

    /// Replaces the text of the file.
    fn write(&self, text: &str) {
        fs::write(self.path(), text).unwrap();
        fs::set_permissions(self.path(), Permissions::from_mode(0o600)).unwrap();
    }
}

fn new(name: &str, kind: PrincipalKind) -> NewToken {
    NewToken {
        name: PersonName::new(name).unwrap(),
        kind,
        may: None,
        worlds: vec![WorldPattern::all()],
        create: false,
        lasts: None,
        minted_by: "local:uid=1 (op)".to_owned(),
    }
}

fn at(seconds: i64) -> SystemTime {
    (NOW + SignedDuration::from_secs(seconds)).into()
}

/// A file makes nobody wait.
fn caller(tokens: &Tokens, token: &Secret) -> Result<Caller, AuthenticateError> {
    tokens.caller(token).now_or_never().unwrap()
}

fn key(tokens: &Tokens, token: &Secret) -> Result<String, AuthenticateError> {
    caller(tokens, token).map(|caller| caller.key())
}

/// Looks at the file.
fn look(tokens: &Tokens) -> Result<(), RecordsError> {
    match &tokens.0 {
        Kind::File(inner) => inner.look(),
        Kind::Shared(_) => Ok(()),
    }
}

#[tokio::test]
async fn a_token_is_its_holder_with_what_it_gives() {
    let desk = Desk::new();
    let ada = desk.mint(new("ada", PrincipalKind::Person));
    let again = desk.mint(NewToken {
        may: Some(Rights([Right::Read].into())),
        worlds: vec!["support-*".parse().unwrap()],
        create: true,
        ..new("ada", PrincipalKind::Person)
    });
    let program = desk.mint(new("ada", PrincipalKind::Service));
    let tokens = Tokens::open(desk.path()).unwrap();
    let [first, second, third] =
        [&ada, &again, &program].map(|token| caller(&tokens, token).unwrap());
    assert_eq!(first.key(), "token:ada");
    assert_eq!(first.proof, second.proof);
    assert_eq!(third.key(), "service%:token:ada");
    let world = |name: &str| WorldName::new(name).unwrap();
    let rights = [Right::Read, Right::Post, Right::Decide, Right::Operate];
    let given = |caller: &Caller, name| rights.map(|right| caller.may.has(right, &world(name)));
    assert_eq!(given(&first, "any"), [true; 4]);
    assert_eq!(given(&second, "support-1"), [true, false, false, false]);
    assert_eq!(given(&second, "any"), [false; 4]);
    assert_eq!(given(&third, "any"), [true, true, false, false]);
    assert_eq!((first.may.create, second.may.create), (false, true));
    let text = desk.text();
    for secret in [&ada, &again, &program] {
        let (_, random) = secret.expose().split_once('_').unwrap();
        assert!(!text.contains(random), "only hashes are kept");
    }
    let unknown = Err(AuthenticateError::Unknown);
    for wrong in ["fmt_", "", "fms_00"] {
        assert_eq!(key(&tokens, &Secret::new(wrong)), unknown);
    }
    let upper = Secret::new(ada.expose().to_uppercase());
    assert_eq!(key(&tokens, &upper), unknown);
}

#[tokio::test]
async fn a_token_ends_at_its_time_and_when_it_is_revoked() {
    let desk = Desk::new();
    let short = desk.mint(NewToken {
        lasts: Some(Duration::from_secs(60)),
        ..new("ada", PrincipalKind::Person)
    });
    let (long, record) = desk
        .file()
        .mint(new("bob", PrincipalKind::Person), NOW)
        .unwrap();
    let tokens = Tokens::open(desk.path()).unwrap();
    let lease = tokens.caller_of(&short.hash(), at(59)).await.unwrap().lease;
    assert_eq!(lease.end(), Some(at(60)));
    let late = tokens.caller_of(&short.hash(), at(60)).await;
    assert_eq!(late.unwrap_err(), AuthenticateError::Unknown);

    let mut lease = caller(&tokens, &long).unwrap().lease;
    assert!(lease.ended().now_or_never().is_none());
    // Another token changes nothing for this one.
    desk.mint(new("eve", PrincipalKind::Person));
    look(&tokens).unwrap();
    assert!(lease.ended().now_or_never().is_none());
    desk.file().revoke(&record.id, "op", NOW).unwrap();
    look(&tokens).unwrap();
    assert!(lease.ended().now_or_never().is_some(), "open streams end");
    assert_eq!(key(&tokens, &long), Err(AuthenticateError::Unknown));
}

#[tokio::test]
async fn a_file_that_breaks_leaves_the_last_good_tokens_in_force() {
    let desk = Desk::new();
    let ada = desk.mint(new("ada", PrincipalKind::Person));
    let tokens = Tokens::open(desk.path()).unwrap();
    let good = desk.text();
    let mut lease = caller(&tokens, &ada).unwrap().lease;
    let revoked = good.replace("person", "nobody");
    for broken in [format!("{good}{{"), format!("{good}{good}"), revoked] {
        desk.write(&broken);
        assert!(look(&tokens).is_err(), "{broken}");
        assert_eq!(key(&tokens, &ada).as_deref(), Ok("token:ada"));
    }
    fs::remove_file(desk.path()).unwrap();
    assert!(look(&tokens).is_err(), "it is not there");
    assert!(lease.ended().now_or_never().is_none());
    desk.write(&good.replace("\"ada\"", "\"bob\""));
    look(&tokens).unwrap();
    assert_eq!(key(&tokens, &ada).as_deref(), Ok("token:bob"));
    assert!(
        lease.ended().now_or_never().is_some(),
        "it is another's now"
    );
}

#[test]
fn a_broken_line_is_named_with_its_file_and_number() {
    let desk = Desk::new();
    desk.mint(new("ada", PrincipalKind::Person));
    desk.mint(new("bob", PrincipalKind::Person));
    let good = desk.text();
    let (first, second) = good.trim_end().split_once('\n').unwrap();
    let rows = [
        ("{", "line 2"),
        ("fmt_0", "line 2"),
        (
            &second.replace("\"as\"", "\"who\"")[..],
            "unknown field `who`",
        ),
        (
            &second.replace("\"may\"", "\"x\":1,\"may\"")[..],
            "unknown field `x`",
        ),
        (
            &second.replace("read", "reed")[..],
            "unknown variant `reed`",
        ),
        (
            &second.replace("\"*\"", "\"a*b\"")[..],
            "no pattern of worlds",
        ),
        (
            &second.replace("\"sha256\":\"", "\"sha256\":\"0")[..],
            "64 lower-case hex digits",
        ),
        (&second.replace("bob", "b@b")[..], "it has an `@`"),
        (
            &second.replace("1970-01-01T00:00:00Z", "yesterday")[..],
            "invalid digit",
        ),
        (first, "another line has this token"),
    ];
    for (line, why) in rows {
        desk.write(&format!("{first}\n{line}\n"));
        let error = Tokens::open(desk.path()).unwrap_err().to_string();
        let place = format!("{}, line 2: ", desk.path().display());
        assert!(
            error.starts_with(&place) && error.contains(why),
            "{line}: {error}"
        );
        if line != first {
            assert!(desk.file().list().is_err(), "{line}");
            let minted = desk.file().mint(new("eve", PrincipalKind::Person), NOW);
            assert!(minted.is_err(), "{line}: nothing is written over it");
        }
    }
}

#[test]
fn a_file_that_others_can_use_is_refused() {
    let desk = Desk::new();
    assert!(matches!(
        Tokens::open(desk.path()),
        Err(RecordsError::Read { .. })
    ));
    desk.mint(new("ada", PrincipalKind::Person));
    let mode = |mode| fs::set_permissions(desk.path(), Permissions::from_mode(mode)).unwrap();
    let made = fs::metadata(desk.path()).unwrap().permissions().mode();
    assert_eq!(made & 0o7777, 0o600);
    for open in [0o640, 0o604, 0o660, 0o777] {
        mode(open);
        let error = Tokens::open(desk.path()).unwrap_err().to_string();
        assert!(error.contains("chmod 600"), "{error}");
    }
    mode(0o400);
    desk.file().list().unwrap();
    let folder = Tokens::open(desk.dir.path()).unwrap_err();
    assert!(matches!(folder, RecordsError::NotAFile { .. }));
}

#[test]
fn a_token_is_revoked_by_the_beginning_of_its_id() {
    let desk = Desk::new();
    let missing = desk.file().revoke("abcd", "op", NOW).unwrap_err();
    assert!(matches!(missing, TokenError::NoSuchToken { .. }));
    assert!(!desk.path().exists());
    let (_, ada) = desk
        .file()
        .mint(new("ada", PrincipalKind::Person), NOW)
        .unwrap();
    desk.mint(new("bob", PrincipalKind::Person));
    let id = |id: &str| format!("\"id\":\"{id}\"");
    let two = desk.text().replace(&id(&ada.id), &id("abcdef"));
    let (_, bob) = two.trim_end().split_once('\n').unwrap();
    let bob: TokenRecord = serde_json::from_str(bob).unwrap();
    desk.write(&two.replace(&id(&bob.id), &id("abcd00")));
    let refused = |prefix| desk.file().revoke(prefix, "op", NOW).unwrap_err();
    assert!(matches!(
        refused("abcd"),
        TokenError::Ambiguous { count: 2, .. }
    ));
    assert!(matches!(refused("abc"), TokenError::TooShort));
    assert!(matches!(refused("ffff"), TokenError::NoSuchToken { .. }));
    let late = NOW + SignedDuration::from_secs(9);
    let ended = desk
        .file()
        .revoke("abcde", "local:uid=1 (op)", late)
        .unwrap();
    let revocation = Revocation {
        by: "local:uid=1 (op)".to_owned(),
        at: late,
    };
    assert_eq!(
        (ended.name.as_str(), &ended.revoked),
        ("ada", &Some(revocation))
    );
    assert_eq!(desk.file().revoke("abcdef", "eve", NOW).unwrap(), ended);
    let all = desk.file().list().unwrap();
    let holding: Vec<bool> = all.iter().map(|token| token.holds(NOW)).collect();
    assert_eq!(holding, [false, true]);
}

#[test]
fn whoever_mints_at_once_loses_nothing() {
    let desk = Desk::new();
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let desk = &desk;
            scope.spawn(move || {
                for _ in 0..10 {
                    desk.mint(new(&format!("w{worker}"), PrincipalKind::Service));
                }
            });
        }
    });
    let all = desk.file().list().unwrap();
    assert_eq!(all.len(), 80);
    let left = fs::read_dir(desk.dir.path()).unwrap().count();
    assert_eq!(left, 2, "the file and its lock");
}

#[test]
fn a_token_cannot_hold_longer_than_times_can_be_written() {
    let desk = Desk::new();
    let long = NewToken {
        lasts: Some(Duration::from_secs(u64::MAX)),
        ..new("ada", PrincipalKind::Person)
    };
    let minted = desk.file().mint(long, NOW);
    assert!(matches!(minted, Err(TokenError::TooLong)));
    assert!(!desk.path().exists());
}

proptest! {
    #[test]
    fn a_record_is_read_as_it_was_written(
        name in "[a-zA-Zß-ü0-9]{1,20}",
        is_service: bool,
        given in 0..16_u8,
        worlds in prop::collection::vec("[a-z]{1,8}\\*?", 0..4),
        create: bool,
        lasts in prop::option::of(0..1_000_000_u64),
    ) {
        let desk = Desk::new();
        let rights = [Right::Read, Right::Post, Right::Decide, Right::Operate];
        let given = rights.into_iter().zip(0..).filter(|(_, bit)| given & (1 << bit) != 0);
        let kind = if is_service { PrincipalKind::Service } else { PrincipalKind::Person };
        let (_, record) = desk.file().mint(NewToken {
            may: Some(Rights(given.map(|(right, _)| right).collect())),
            worlds: worlds.iter().map(|world| world.parse().unwrap()).collect(),
            create,
            lasts: lasts.map(Duration::from_secs),
            ..new(&name, kind)
        }, NOW).unwrap();
        prop_assert_eq!(desk.file().list().unwrap(), vec![record]);
    }
}
