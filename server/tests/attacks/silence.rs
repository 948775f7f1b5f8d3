//! Clients that say little, or nothing, for long.

use std::time::Duration;

use folkmoot_server::ServerLimits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::harness::{Served, soon};

const SLOW: usize = 500;

/// Lets this process have both ends of all connections.
fn allow_files() {
    let limit = getrlimit(Resource::Nofile);
    let current = limit.maximum;
    setrlimit(Resource::Nofile, Rlimit { current, ..limit }).unwrap();
}

#[tokio::test]
async fn five_hundred_slow_clients_hold_up_nobody_and_are_let_go_of() {
    allow_files();
    let served = Served::with(ServerLimits {
        header_timeout: Duration::from_secs(5),
        ..ServerLimits::default()
    })
    .await;
    let mut slow = Vec::new();
    for _ in 0..SLOW {
        let mut client = served.client().await;
        client.send(b"GET /healthz HTTP/1.1\r\nhost: lo").await;
        slow.push(client);
    }
    served.serves_others().await;
    for mut client in slow {
        let answer = soon(client.answer()).await;
        assert!(matches!(answer.status, 0 | 408), "{}", answer.text);
    }
    served.serves_others().await;
}

#[tokio::test]
async fn body_that_stops_coming_is_given_up() {
    let served = Served::with(ServerLimits {
        body_timeout: Duration::from_millis(100),
        uploads_max: 1,
        ..ServerLimits::default()
    })
    .await;
    let room = served.room().await;
    // It has the only place of those who send files.
    let mut slow = served.client().await;
    let head = |length: usize| {
        format!(
            "POST /v1/worlds/{room}/blobs?name=a.txt HTTP/1.1\r\nhost: localhost\r\n\
             content-type: text/plain\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        )
    };
    slow.send(format!("{}ab", head(100)).as_bytes()).await;
    let answer = slow.answer().await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    let mut quick = served.client().await;
    quick.send(format!("{}ab", head(2)).as_bytes()).await;
    let answer = quick.answer().await;
    assert_eq!(answer.status, 201, "{}", answer.text);
}

#[tokio::test]
async fn connection_beyond_the_most_is_turned_away_and_a_place_is_free_again() {
    let served = Served::with(ServerLimits {
        connections_max: 1,
        ..ServerLimits::default()
    })
    .await;
    let mut kept = served.client().await;
    kept.send(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .await;
    kept.read_until("ok\n").await;
    let mut other = served.client().await;
    let answer = other.answer().await;
    assert_eq!(answer.status, 503, "{}", answer.text);
    drop(kept);
    // The server sees the end of a connection when it next looks.
    let again = async {
        while served.ask("GET", "/healthz", "").await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    soon(again).await;
}
