//! Two nodes over one ledger. Time is simulated: it passes when nobody has anything to do.

use std::iter::repeat_n;

use axum::http::Request;
use axum::http::header::AUTHORIZATION;
use folkmoot::core::ids::PersonName;
use folkmoot::store::{Fate, MemoryLedger, UncertainLedger};
use futures::FutureExt as _;
use futures::future::join_all;
use jiff::Timestamp;

use super::super::{
    Authenticate as _, Caller, LocalUser, NewToken, PrincipalKind, Secret, SessionError, Sessions,
    Several, TokenTable, Tokens, WorldPattern, login_code,
};
use super::*;

/// A node: all that it knows callers by.
struct Node {
    known: Several,
    network: Arc<UncertainLedger>,
}

impl Node {
    async fn over(ledger: &Arc<MemoryLedger>) -> Self {
        let network = Arc::new(UncertainLedger::planned(Arc::clone(ledger), []));
        let records = || Arc::clone(&network) as Arc<dyn SharedRecords>;
        let tokens = Tokens::shared(records()).await.unwrap();
        let user = user("op");
        let sessions = Sessions::shared(records(), user, Some(tokens.clone())).await;
        let known = Several {
            sessions: Some(sessions.unwrap()),
            tokens: Some(tokens),
            issuers: Vec::new(),
        };
        Self { known, network }
    }

    fn sessions(&self) -> &Sessions {
        self.known.sessions.as_ref().unwrap()
    }

    async fn caller(&self, secret: &Secret) -> Result<Caller, AuthenticateError> {
        let request = Request::builder();
        let request = request.header(AUTHORIZATION, format!("Bearer {}", secret.expose()));
        let (parts, ()) = request.body(()).unwrap().into_parts();
        self.known.authenticate(&parts).await
    }

    async fn refusal(&self, secret: &Secret) -> Option<AuthenticateError> {
        self.caller(secret).await.err()
    }

    /// Its next requests to the ledger fail.
    fn cut_off(&self, requests: usize) {
        self.network.plan(repeat_n(Fate::Unreached, requests));
    }
}

fn user(name: &str) -> LocalUser {
    LocalUser {
        uid: 7,
        display: PersonName::new(name).unwrap(),
    }
}

fn new(name: &str) -> NewToken {
    NewToken {
        name: PersonName::new(name).unwrap(),
        kind: PrincipalKind::Person,
        may: None,
        worlds: vec![WorldPattern::all()],
        create: false,
        lasts: None,
        minted_by: "local:uid=1 (op)".to_owned(),
    }
}

async fn two() -> (Arc<MemoryLedger>, [Node; 2]) {
    let ledger = Arc::new(MemoryLedger::default());
    let nodes = [Node::over(&ledger).await, Node::over(&ledger).await];
    (ledger, nodes)
}

fn table(ledger: &Arc<MemoryLedger>) -> TokenTable {
    TokenTable::of(Arc::clone(ledger) as _)
}

async fn mint(ledger: &Arc<MemoryLedger>, name: &str) -> (Secret, String) {
    let minted = table(ledger).mint(new(name), Timestamp::now()).await;
    let (secret, record) = minted.unwrap();
    (secret, record.id)
}

fn has_ended(lease: &Lease) -> bool {
    lease.clone().ended().now_or_never().is_some()
}

fn is_away(refused: Option<&AuthenticateError>) -> bool {
    matches!(refused, Some(AuthenticateError::Unavailable(why)) if why == AWAY)
}

#[tokio::test(start_paused = true)]
async fn a_token_counts_on_all_nodes_at_once_and_its_revocation_within_two_seconds() {
    let (ledger, nodes) = two().await;
    let (secret, id) = mint(&ledger, "ada").await;
    let (other, _) = mint(&ledger, "bob").await;
    let mut leases = Vec::new();
    let mut others = Vec::new();
    for node in &nodes {
        let caller = node.caller(&secret).await.unwrap();
        assert_eq!(caller.key(), "token:ada");
        leases.push(caller.lease);
        others.push(node.caller(&other).await.unwrap().lease);
    }
    let revoked = table(&ledger).revoke(&id, "op", Timestamp::now()).await;
    assert!(revoked.unwrap().revoked.is_some());
    let begun = Instant::now();
    for lease in &mut leases {
        lease.ended().await;
    }
    assert!(begun.elapsed() < Duration::from_secs(2));
    for node in &nodes {
        let refused = node.refusal(&secret).await;
        assert_eq!(refused, Some(AuthenticateError::Unknown));
    }
    assert!(!others.iter().any(has_ended), "bob's streams go on");
}

#[tokio::test(start_paused = true)]
async fn tokens_are_listed_and_revoked_by_the_beginnings_of_their_ids() {
    let ledger = Arc::new(MemoryLedger::default());
    let (_, ada) = mint(&ledger, "ada").await;
    let (_, bob) = mint(&ledger, "bob").await;
    let table = table(&ledger);
    let ended = table.revoke(&ada, "op", Timestamp::now()).await.unwrap();
    let again = table.revoke(&ada, "eve", Timestamp::now()).await.unwrap();
    assert_eq!(again, ended, "it stays as it is");
    let listed = table.list().await.unwrap();
    let mut ids: Vec<_> = listed.iter().map(|token| token.id.clone()).collect();
    ids.sort();
    let mut both = [ada, bob];
    both.sort();
    assert_eq!(ids, both);
    let refused = async |prefix| table.revoke(prefix, "op", Timestamp::now()).await;
    let none = refused("zzzz").await.unwrap_err();
    assert!(none.to_string().contains("`folkmoot token list`"), "{none}");
    assert!(refused("abc").await.unwrap_err().to_string().contains("4"));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_begins_on_one_node_is_valid_on_another_and_ends_there_too() {
    let (ledger, [one, other]) = two().await;
    let (token, id) = mint(&ledger, "ada").await;
    let begun = one.sessions().begin_with_token(&token).await.unwrap();
    let (session, caller) = begun.unwrap();
    assert_eq!(caller.key(), "token:ada");
    let same = other.caller(&session).await.unwrap();
    assert_eq!(
        (same.key(), same.lease.end()),
        (caller.key(), caller.lease.end())
    );
    assert!(one.sessions().end(&session).await.unwrap());
    assert!(has_ended(&caller.lease), "here at once");
    assert_eq!(
        one.refusal(&session).await,
        Some(AuthenticateError::Unknown)
    );
    let since = Instant::now();
    same.lease.clone().ended().await;
    assert!(since.elapsed() < Duration::from_secs(2));
    assert_eq!(
        other.refusal(&session).await,
        Some(AuthenticateError::Unknown)
    );
    assert!(!other.sessions().end(&session).await.unwrap());

    // A session ends with its token.
    let begun = other.sessions().begin_with_token(&token).await.unwrap();
    let (session, _) = begun.unwrap();
    let mut lease = one.caller(&session).await.unwrap().lease;
    let revoked = table(&ledger).revoke(&id, "op", Timestamp::now()).await;
    revoked.unwrap();
    lease.ended().await;
    assert_eq!(
        one.refusal(&session).await,
        Some(AuthenticateError::Unknown)
    );
    assert!(one.sessions().begin_with_token(&token).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_code_works_once_on_whichever_node() {
    let (ledger, nodes) = two().await;
    for _ in 0..4 {
        // One that a program made which is no node, and one that a node made.
        let code = login_code(&*ledger, &user("ada")).await.unwrap();
        let tries = nodes
            .iter()
            .map(|node| node.sessions().begin_with_code(&code, None));
        let begun: Vec<_> = join_all(tries).await;
        let mut begun: Vec<_> = begun.into_iter().filter_map(Result::ok).collect();
        assert_eq!(begun.len(), 1);
        let (session, caller) = begun.pop().unwrap();
        assert_eq!(caller.key(), "local:uid=7");
        for node in &nodes {
            assert_eq!(node.caller(&session).await.unwrap().proof, caller.proof);
        }
    }
    let [one, other] = &nodes;
    let code = one.sessions().code().await.unwrap();
    let begun = other.sessions().begin_with_code(&code, None).await;
    assert_eq!(begun.unwrap().1.key(), "local:uid=7");
    let again = one.sessions().begin_with_code(&code, None).await;
    assert!(matches!(again, Err(SessionError::WrongCode)));
}

#[tokio::test(start_paused = true)]
async fn the_oldest_codes_and_sessions_give_way_over_all_nodes() {
    let (ledger, nodes) = two().await;
    let (token, _) = mint(&ledger, "ada").await;
    let (bobs, _) = mint(&ledger, "bob").await;
    let [one, other] = &nodes;
    let kept = one.sessions().begin_with_token(&bobs).await.unwrap();
    let mut begun = Vec::new();
    for _ in 0..20 {
        let pair = nodes
            .iter()
            .map(|node| node.sessions().begin_with_token(&token));
        for session in join_all(pair).await {
            begun.extend(session.unwrap());
        }
    }
    assert_eq!(begun.len(), 40);
    for node in [one, other] {
        let open = begun.iter().map(|(session, _)| node.caller(session));
        let open = join_all(open).await.into_iter().filter(Result::is_ok);
        assert_eq!(open.count(), 32);
        let (first, _) = begun.first().unwrap();
        assert!(node.caller(first).await.is_err());
        assert!(node.caller(&kept.as_ref().unwrap().0).await.is_ok());
    }
    let first = one.sessions().code().await.unwrap();
    for node in nodes.iter().cycle().take(16) {
        node.sessions().code().await.unwrap();
    }
    let late = other.sessions().begin_with_code(&first, None).await;
    assert!(matches!(late, Err(SessionError::WrongCode)));
    let codes = ledger.all_shared("login-code", None, 99).await.unwrap();
    assert_eq!(codes.len(), 16);
}

#[tokio::test(start_paused = true)]
async fn a_ledger_that_is_away_makes_known_ones_wait_for_nobody_and_others_unavailable() {
    let (ledger, [one, _other]) = two().await;
    let (known, _) = mint(&ledger, "ada").await;
    let mut lease = one.caller(&known).await.unwrap().lease;
    let (unknown, id) = mint(&ledger, "bob").await;
    one.cut_off(10_000);
    let since = Instant::now();
    assert!(
        is_away(one.refusal(&unknown).await.as_ref()),
        "never unknown"
    );
    assert!(one.caller(&known).await.is_ok());
    let begun = one.sessions().begin_with_token(&known).await;
    assert!(matches!(begun, Err(SessionError::Shared(_))));
    let code = login_code(&*ledger, &user("ada")).await.unwrap();
    let begun = one.sessions().begin_with_code(&code, None).await;
    let away = matches!(&begun, Err(SessionError::Token(error)) if is_away(Some(error)));
    assert!(away, "{begun:?}");
    assert!(!has_ended(&lease));
    lease.ended().await;
    let after = since.elapsed();
    assert!(after > KNOWN_MOST - Duration::from_secs(2) && after < KNOWN_MOST * 2);
    assert!(is_away(one.refusal(&known).await.as_ref()));

    // It is there again.
    let revoked = table(&ledger).revoke(&id, "op", Timestamp::now()).await;
    revoked.unwrap();
    let back = Node::over(&ledger).await;
    assert!(back.caller(&known).await.is_ok());
    assert_eq!(
        back.refusal(&unknown).await,
        Some(AuthenticateError::Unknown)
    );
    assert!(back.sessions().begin_with_code(&code, None).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_ledger_that_was_away_for_a_moment_is_read_again() {
    let (ledger, [one, _other]) = two().await;
    let (known, id) = mint(&ledger, "ada").await;
    let mut lease = one.caller(&known).await.unwrap().lease;
    one.cut_off(3);
    let revoked = table(&ledger).revoke(&id, "op", Timestamp::now()).await;
    revoked.unwrap();
    let since = Instant::now();
    lease.ended().await;
    assert!(since.elapsed() < Duration::from_secs(10));
    assert_eq!(one.refusal(&known).await, Some(AuthenticateError::Unknown));
    let (new, _) = mint(&ledger, "bob").await;
    assert!(one.caller(&new).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_token_is_made_once_though_the_answer_was_lost() {
    let ledger = Arc::new(MemoryLedger::default());
    let fates = [Fate::AnswerLost, Fate::RequestLost, Fate::Answered];
    let network = UncertainLedger::planned(Arc::clone(&ledger), fates);
    let table = TokenTable::of(Arc::new(network));
    table.mint(new("ada"), Timestamp::now()).await.unwrap();
    assert_eq!(table.list().await.unwrap().len(), 1);
}

/// A ledger that counts what it is asked.
#[derive(Debug, Default)]
struct Counting {
    ledger: MemoryLedger,
    asked: AtomicU64,
}

impl Counting {
    fn count(&self) -> &MemoryLedger {
        self.asked.fetch_add(1, Ordering::SeqCst);
        &self.ledger
    }
}

#[async_trait::async_trait]
impl SharedRecords for Counting {
    async fn put_shared(
        &self,
        record: &SharedRecord,
        replaces: Option<&[u8]>,
    ) -> Result<bool, LedgerError> {
        self.count().put_shared(record, replaces).await
    }

    async fn remove_shared(&self, kind: &str, key: &[u8]) -> Result<bool, LedgerError> {
        self.count().remove_shared(kind, key).await
    }

    async fn shared(&self, kind: &str, key: &[u8]) -> Result<Option<Vec<u8>>, LedgerError> {
        self.count().shared(kind, key).await
    }

    async fn all_shared(
        &self,
        kind: &str,
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<SharedRecord>, LedgerError> {
        self.count().all_shared(kind, after, limit).await
    }

    async fn shared_version(&self, kind: &str) -> Result<u64, LedgerError> {
        self.count().shared_version(kind).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_unknown_tokens_is_no_flood_of_questions() {
    let ledger = Arc::new(Counting::default());
    let tokens = Tokens::shared(Arc::clone(&ledger) as _).await.unwrap();
    let before = ledger.asked.load(Ordering::SeqCst);
    let wrong: Vec<_> = (0..1_000)
        .map(|number| Secret::new(format!("fmt_{number}")))
        .collect();
    let answers = join_all(wrong.iter().map(|wrong| tokens.caller(wrong))).await;
    let unknown = |answer: &Result<Caller, _>| matches!(answer, Err(AuthenticateError::Unknown));
    assert!(answers.iter().all(unknown));
    let asked = ledger.asked.load(Ordering::SeqCst) - before;
    assert!(asked <= 3, "{asked} questions");
}

#[tokio::test(start_paused = true)]
async fn a_record_that_does_not_read_gives_nothing_and_keeps_nobody_out() {
    let (ledger, [one, other]) = two().await;
    let (ada, _) = mint(&ledger, "ada").await;
    let (eve, id) = mint(&ledger, "eve").await;
    let mut lease = one.caller(&eve).await.unwrap().lease;
    let stands = ledger.shared("token", eve.hash().as_bytes()).await.unwrap();
    let stands = stands.unwrap();
    let newer = String::from_utf8(stands.clone()).unwrap();
    let record = SharedRecord {
        kind: "token".to_owned(),
        key: eve.hash().as_bytes().to_vec(),
        value: newer
            .replace("{\"id\"", "{\"only_on\":\"mondays\",\"id\"")
            .into_bytes(),
    };
    assert!(ledger.put_shared(&record, Some(&stands)).await.unwrap());
    lease.ended().await;
    for node in [&one, &other] {
        assert_eq!(node.refusal(&eve).await, Some(AuthenticateError::Unknown));
        assert!(node.caller(&ada).await.is_ok());
    }
    let table = table(&ledger);
    let listed = table.list().await.unwrap_err().to_string();
    assert!(
        listed.contains("only_on") && listed.contains("a build"),
        "{listed}"
    );
    assert!(table.revoke(&id, "op", Timestamp::now()).await.is_err());
}
