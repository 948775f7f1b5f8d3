//! The limits of each principal and day.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panics"
)]
#![expect(dead_code, reason = "the harness serves other tests too")]

#[path = "attacks/harness.rs"]
mod harness;

use std::sync::Arc;

use folkmoot::core::ids::{NodeId, Seed, Stamp, Time};
use folkmoot::store::{MemoryLedger, SharedStore};
use folkmoot::{Money, Store};
use folkmoot_server::ServerLimits;
use harness::{Answer, Served};

const OPEN: &str = r#"{"template":"desk"}"#;

fn assert_reached(answer: &Answer, limit: &str) {
    assert_eq!(answer.status, 429, "{}", answer.text);
    let problem = answer.json();
    assert_eq!(problem["code"], "limit_reached");
    assert_eq!(problem["limit"], limit);
    let resets = problem["resets"].as_str().unwrap();
    assert!(resets.ends_with("T00:00:00.000Z"), "{resets}");
}

async fn opened_by(served: &Served, name: &str) -> Answer {
    let mut client = served.client().await;
    let request = format!(
        "POST /v1/worlds HTTP/1.1\r\nhost: localhost\r\nx-name: {name}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{OPEN}",
        OPEN.len()
    );
    client.send(request.as_bytes()).await;
    client.answer().await
}

#[tokio::test]
async fn worlds_of_a_day_are_counted_out_of_the_logs_for_each_principal() {
    let limits = ServerLimits {
        worlds_opened_per_day: 2,
        ..ServerLimits::default()
    };
    let store = Store::memory();
    let served = Served::over(&store, limits.clone()).await;
    let room = served.room().await;
    served.room().await;
    assert_reached(
        &served.ask("POST", "/v1/worlds", OPEN).await,
        "worlds_opened",
    );
    let fork = format!("/v1/worlds/{room}/forks");
    assert_reached(&served.ask("POST", &fork, "").await, "worlds_opened");
    assert_eq!(opened_by(&served, "eve").await.status, 201);

    // A server that starts again knows the same.
    let again = Served::over(&store, limits).await;
    assert_reached(
        &again.ask("POST", "/v1/worlds", OPEN).await,
        "worlds_opened",
    );
    assert_eq!(opened_by(&again, "eve").await.status, 201);
    assert_reached(&opened_by(&again, "eve").await, "worlds_opened");
}

/// The store of a node of its own over `ledger`.
fn node_over(ledger: &Arc<MemoryLedger>, number: u8) -> Store {
    let node = NodeId::from_stamp(&Stamp {
        time: Time::SIMULATED_START,
        seed: Seed::new([number; 16]),
    });
    SharedStore::new(Arc::clone(ledger) as _, node).into()
}

#[tokio::test]
async fn worlds_of_a_day_are_counted_on_whichever_node_they_were_opened() {
    let limits = ServerLimits {
        worlds_opened_per_day: 3,
        ..ServerLimits::default()
    };
    let ledger = Arc::new(MemoryLedger::default());
    let [one, other] = [1, 2].map(|number| node_over(&ledger, number));
    let one = Served::over(&one, limits.clone()).await;
    let other = Served::over(&other, limits).await;
    // Each has asked once what there is.
    one.room().await;
    other.room().await;
    assert_eq!(opened_by(&other, "eve").await.status, 201);
    one.room().await;
    for served in [&one, &other] {
        assert_reached(
            &served.ask("POST", "/v1/worlds", OPEN).await,
            "worlds_opened",
        );
        assert_eq!(opened_by(served, "eve").await.status, 201);
    }
    assert_reached(&opened_by(&one, "eve").await, "worlds_opened");
}

#[tokio::test]
async fn files_of_a_day_are_counted_once_messages_name_them() {
    let served = Served::with(ServerLimits {
        bytes_stored_per_day: 10,
        ..ServerLimits::default()
    })
    .await;
    let room = served.room().await;
    let file = format!("/v1/worlds/{room}/blobs?name=a.json");
    let kept = served.ask("POST", &file, "[1,2]").await;
    assert_eq!(kept.status, 201, "{}", kept.text);
    let attachment = kept.body();
    let post = format!(r#"{{"text":"see","attachments":[{attachment}]}}"#);
    let path = format!("/v1/worlds/{room}/messages");
    let posted = served.ask("POST", &path, &post).await;
    assert_eq!(posted.status, 201, "{}", posted.text);
    let exact = served.ask("POST", &file, "[3,4]").await;
    assert_eq!(exact.status, 201, "{}", exact.text);
    assert_reached(&served.ask("POST", &file, "[3,4,5]").await, "bytes_stored");
}

#[tokio::test]
async fn room_whose_owner_has_spent_the_day_begins_nothing_new() {
    let served = Served::with(ServerLimits {
        cost_per_day: Money::from_picos(1),
        ..ServerLimits::default()
    })
    .await;
    let opened = served
        .ask("POST", "/v1/worlds", r#"{"template":"dear"}"#)
        .await;
    assert_eq!(opened.status, 201, "{}", opened.text);
    let room = opened.json()["world"].as_str().unwrap().to_owned();
    let path = format!("/v1/worlds/{room}/messages");
    let first = served.ask("POST", &path, r#"{"text":"one"}"#).await;
    assert_eq!(first.status, 201, "{}", first.text);
    // The reply may take its time; its worst case is set aside before.
    let second = served.ask("POST", &path, r#"{"text":"two"}"#).await;
    assert_reached(&second, "cost");
    let state = format!("/v1/worlds/{room}/stop");
    assert_ne!(served.ask("POST", &state, "").await.status, 429);
}
