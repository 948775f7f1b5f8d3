//! What a server refuses, and what it says of it.

use std::time::Duration;

use folkmoot_core::port::{AsksWanted, Inbox as _, MemberError, Members as _, NodeCard};
use folkmoot_store::{Compaction, Landing, LedgerError, LedgerUpkeep as _, Rows as _};

use crate::proxy::{Proxy, Way};
use crate::rows::{begin, next, node, open, salts};
use crate::server::{Server, shared};

fn schema(url: &str) -> &str {
    url.rsplit('=').next().unwrap()
}

/// A full disk gives this code. A trigger gives it here, as no disk of an ordinary user is small enough to fill.
#[tokio::test]
async fn full_disk_is_told_and_keeps_nothing() {
    let Some(server) = shared("a full disk") else {
        return;
    };
    let url = server.url();
    let schema = schema(&url);
    let ledger = open(&url).await;
    let holder = node();
    let world = begin(&ledger, holder).await;
    let full = format!(
        "CREATE FUNCTION {schema}.no_room() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
        CREATE TRIGGER no_room AFTER INSERT ON {schema}.commit FOR EACH ROW EXECUTE FUNCTION {schema}.no_room()"
    );
    server.sql("postgres", &full);
    let refused = ledger.append(holder, &[next(world, 2, "lost")]).await;
    assert!(matches!(refused, Err(LedgerError::Full(_))), "{refused:?}");
    assert_eq!(salts(&ledger, world).await, ["birth"]);
    server.sql(
        "postgres",
        &format!("DROP TRIGGER no_room ON {schema}.commit"),
    );
    let landed = ledger.append(holder, &[next(world, 2, "kept")]).await;
    assert_eq!(landed.unwrap(), [Landing::Appended]);
    assert_eq!(salts(&ledger, world).await, ["birth", "kept"]);
}

#[tokio::test]
async fn login_that_may_only_read_is_refused_its_appends() {
    let Some(server) = shared("a login that may only read") else {
        return;
    };
    let url = server.url();
    let schema = schema(&url);
    let holder = node();
    let owners = open(&url).await;
    let world = begin(&owners, holder).await;
    let role = format!(
        "CREATE ROLE auditor LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA {schema} TO auditor;
        GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO auditor"
    );
    server.sql("postgres", &role);
    let ledger = open(&url.replace("owner@", "auditor:x@")).await;
    assert_eq!(salts(&ledger, world).await, ["birth"]);
    let refused = ledger.append(holder, &[next(world, 2, "row")]).await;
    assert!(
        matches!(refused, Err(LedgerError::Refused(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn node_whose_clock_is_off_claims_nothing_and_says_so() {
    let Some(server) = shared("a clock that is off") else {
        return;
    };
    let ledger = open(&server.url()).await;
    let card = NodeCard {
        node: node(),
        name: "n".into(),
        offers: std::collections::BTreeSet::new(),
        schema: 1,
        room: 1,
        draining: false,
        advertise: None,
    };
    let ttl = Duration::from_secs(60);
    ledger.join(&card, ttl).await.unwrap();
    for (ms, words) in [(10_000, "10 s ahead of"), (-10_000, "10 s behind")] {
        ledger.shift_clock(ms);
        let renewal = folkmoot_core::port::Renewal {
            node: card.node,
            room: 1,
            draining: false,
            ttl,
        };
        // It still hears the time, which is how it finds out.
        ledger.renew(renewal).await.unwrap();
        let claimed = ledger.claim(card.node, 1).await;
        let Err(MemberError::Refused(why)) = claimed else {
            panic!("{claimed:?}");
        };
        // A busy machine may be slow to tell.
        assert!(why.contains(words) || why.contains("9 s"), "{why}");
    }
    ledger.shift_clock(0);
    let renewed = ledger.join(&card, ttl).await;
    assert!(renewed.is_err(), "nobody has told it the time since");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hint_comes_with_an_ask_of_another_node() {
    let Some(server) = Server::start("hints") else {
        return;
    };
    let url = server.url();
    let holder = node();
    let ledger = std::sync::Arc::new(open(&url).await);
    let world = begin(ledger.as_ref(), holder).await;
    let other = open(&url).await;
    // Who listens first tells that it may have missed something, and then of each ask.
    for round in 0..3_u128 {
        let ask = folkmoot_core::port::Ask {
            id: folkmoot_core::ids::AskId(uuid::Uuid::from_u128(round + 1)),
            world,
            command: vec![1],
            principal: None,
        };
        let waiting = {
            let ledger = std::sync::Arc::clone(&ledger);
            tokio::spawn(async move {
                let mut heard = 0;
                while ledger
                    .asks(holder, AsksWanted::of_all(9))
                    .await
                    .unwrap()
                    .len()
                    <= round as usize
                {
                    heard = ledger.hint(heard).await;
                }
            })
        };
        other.ask(&ask).await.unwrap();
        let heard = tokio::time::timeout(Duration::from_secs(60), waiting).await;
        heard.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ledger_looks_seldom_only_while_notifications_come() {
    let Some(server) = Server::start("hints behind a pool") else {
        return;
    };
    let url = server.url();
    let direct = open(&url).await;
    let often = direct.look_every();
    let comes = async {
        let mut heard = 0;
        while direct.look_every() == often {
            heard = direct.hint(heard).await;
        }
    };
    let soon = Duration::from_secs(50);
    let comes = tokio::time::timeout(soon, comes).await;
    comes.expect("a notification comes");

    // A pool takes the wish to listen, and no notification comes.
    let proxy = Proxy::before(server.port);
    proxy.set(Way::Mute);
    let pooled = url.replace(&server.port.to_string(), &proxy.port.to_string());
    let pooled = open(&pooled).await;
    let hint = tokio::time::timeout(soon, pooled.hint(0)).await;
    hint.expect("a new connection is a hint");
    for _ in 0..50 {
        pooled.asks(node(), AsksWanted::of_all(1)).await.unwrap();
        assert_eq!(pooled.look_every(), often);
    }
}

/// Statements write `fm.` for the schema.
#[tokio::test]
async fn tables_of_a_schema_whose_name_ends_in_that_are_written_anew() {
    let Some(server) = shared("a schema called prodfm") else {
        return;
    };
    let url = server.url();
    let url = url.replace(schema(&url), "prodfm");
    let ledger = open(&url).await;
    let holder = node();
    let world = begin(&ledger, holder).await;
    ledger.delete(holder, &[(world, vec![1])]).await.unwrap();
    let left = || server.sql("postgres", "SELECT count(*) FROM prodfm.leftover");
    assert_ne!(left().trim(), "0");
    assert_eq!(ledger.compact().await.unwrap(), Compaction::Done);
    assert_eq!(left().trim(), "0");
}
