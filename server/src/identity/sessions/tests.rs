use std::path::PathBuf;

use folkmoot::Proof;
use futures::FutureExt as _;
use futures::future::join_all;
use tempfile::TempDir;

use super::super::tokens::{NewToken, PrincipalKind, TokenFile};
use super::super::{Lease, WorldPattern};
use super::*;

struct Desk {
    dir: TempDir,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { dir }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("sessions")
    }

    fn sessions(&self, tokens: Option<&Tokens>) -> Sessions {
        let user = LocalUser {
            uid: 7,
            display: name("op"),
        };
        Sessions::open(self.path(), user, tokens.cloned()).unwrap()
    }
}

fn name(name: &str) -> PersonName {
    PersonName::new(name).unwrap()
}

fn inner(sessions: &Sessions) -> &Inner {
    match &sessions.0 {
        Kind::File(inner) => inner,
        Kind::Shared(_) => panic!("these are in a file"),
    }
}

fn has_ended(lease: &Lease) -> bool {
    lease.clone().ended().now_or_never().is_some()
}

#[tokio::test]
async fn a_code_begins_one_session_of_the_user_of_the_machine() {
    let desk = Desk::new();
    let sessions = desk.sessions(None);
    let code = sessions.code().await.unwrap();
    let (token, caller) = sessions
        .begin_with_code(&code, Some(name("Ada")))
        .await
        .unwrap();
    assert_eq!(caller.key(), "local:uid=7");
    assert_eq!(caller.proof, Proof::local(7, name("Ada")));
    assert!(caller.may.operates_server());
    let again = sessions.begin_with_code(&code, None).await;
    assert!(matches!(again, Err(SessionError::WrongCode)));
    let text = std::fs::read_to_string(desk.path()).unwrap();
    for secret in [&token, &code] {
        let (_, random) = secret.expose().split_once('_').unwrap();
        assert!(!text.contains(random), "only hashes are kept");
    }
}

#[tokio::test]
async fn a_session_survives_a_restart_and_ends_at_its_time() {
    let desk = Desk::new();
    let sessions = desk.sessions(None);
    let code = sessions.code().await.unwrap();
    let (token, caller) = sessions.begin_with_code(&code, None).await.unwrap();
    drop(sessions);
    let sessions = desk.sessions(None);
    let same = sessions.caller(&token).await.unwrap();
    assert_eq!(same.proof, caller.proof);
    assert_eq!(same.lease.end(), caller.lease.end());
    let end = Timestamp::try_from(caller.lease.end().unwrap()).unwrap();
    let just = end - SignedDuration::from_millis(1);
    let open = inner(&sessions).caller(&token.hash(), just).await;
    assert!(open.is_ok());
    let over = inner(&sessions)
        .caller(&token.hash(), end)
        .await
        .unwrap_err();
    assert_eq!(over, AuthenticateError::Unknown);
    assert!(sessions.end(&token).await.unwrap());
    assert!(has_ended(&same.lease), "open streams end");
    assert!(!sessions.end(&token).await.unwrap());
    assert!(sessions.caller(&token).await.is_err());
    assert!(
        desk.sessions(None).caller(&token).await.is_err(),
        "for good"
    );
}

#[tokio::test]
async fn a_session_of_a_token_ends_with_it() {
    let desk = Desk::new();
    let file = TokenFile::at(desk.dir.path().join("tokens"));
    let new = NewToken {
        name: name("ada"),
        kind: PrincipalKind::Person,
        may: None,
        worlds: vec![WorldPattern::all()],
        create: false,
        lasts: None,
        minted_by: "op".to_owned(),
    };
    let (token, record) = file.mint(new, Timestamp::now()).unwrap();
    let tokens = Tokens::open(file.path()).unwrap();
    let sessions = desk.sessions(Some(&tokens));
    let (session, caller) = sessions.begin_with_token(&token).await.unwrap().unwrap();
    assert_eq!(caller.key(), "token:ada");
    assert!(caller.lease.end().is_some(), "it ends after some hours");
    let again = sessions.caller(&session).await.unwrap();
    assert_eq!(again.may, tokens.caller(&token).await.unwrap().may);

    file.revoke(&record.id, "op", Timestamp::now()).unwrap();
    drop((tokens, sessions));
    let tokens = Tokens::open(file.path()).unwrap();
    let sessions = desk.sessions(Some(&tokens));
    assert!(has_ended(&again.lease));
    assert!(sessions.caller(&session).await.is_err());
    assert!(sessions.begin_with_token(&token).await.is_err());
    let other = sessions.begin_with_token(&Secret::new("a.b.c")).await;
    assert!(matches!(other, Ok(None)));
    assert!(desk.sessions(None).caller(&session).await.is_err());
}

#[tokio::test]
async fn the_oldest_session_of_a_user_gives_way() {
    let desk = Desk::new();
    let sessions = desk.sessions(None);
    let mut begun = Vec::new();
    for _ in 0..=SESSIONS_MAX {
        let code = sessions.code().await.unwrap();
        begun.push(sessions.begin_with_code(&code, None).await.unwrap().0);
    }
    let open = begun.iter().map(|token| sessions.caller(token));
    let open = join_all(open).await.into_iter();
    let open: Vec<bool> = open.map(|caller| caller.is_ok()).collect();
    assert_eq!(open.iter().filter(|open| **open).count(), SESSIONS_MAX);
    assert_eq!(open.first(), Some(&false));
}

#[tokio::test]
async fn a_session_that_cannot_be_kept_uses_no_code_up() {
    let desk = Desk::new();
    let sessions = desk.sessions(None);
    let code = sessions.code().await.unwrap();
    std::fs::create_dir(desk.path()).unwrap();
    let failed = sessions.begin_with_code(&code, None).await;
    assert!(matches!(failed, Err(SessionError::File(_))));
    assert!(inner(&sessions).open().is_empty());
    std::fs::remove_dir(desk.path()).unwrap();
    sessions.begin_with_code(&code, None).await.unwrap();
}
