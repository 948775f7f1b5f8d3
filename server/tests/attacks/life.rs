//! The beginning and the end of a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use folkmoot::core::ids::{NodeId, Seed, Stamp, Time};
use folkmoot::core::port::WhoAmI;
use folkmoot::store::{MemoryLedger, SharedStore};
use folkmoot_server::ServerLimits;
use tower::ServiceExt as _;

use super::harness::{Served, request, soon};

#[tokio::test]
async fn healthy_at_once_and_ready_once_the_worlds_were_looked_at() {
    let served = Served::with(ServerLimits::default()).await;
    served.room().await;
    assert_eq!(served.ask("GET", "/healthz", "").await.status, 200);
    let early = served.ask("GET", "/readyz", "").await;
    assert_eq!((early.status, early.code().as_str()), (503, "unavailable"));
    let reopened = served.server.reopen().await.unwrap();
    assert_eq!((reopened.worlds, reopened.failed), (1, 0));
    assert_eq!(served.ask("GET", "/readyz", "").await.status, 200);
    assert_eq!(served.end().await.cut, 0);
}

/// A node that reaches the others, or does not.
#[derive(Debug, Clone, Default)]
struct Node(Arc<AtomicBool>);

impl WhoAmI for Node {
    fn node_id(&self) -> NodeId {
        NodeId::from_stamp(&Stamp {
            time: Time::SIMULATED_START,
            seed: Seed::new([1; 16]),
        })
    }

    fn acts(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

#[tokio::test]
async fn node_is_ready_while_it_is_not_cut_off() {
    let node = Node::default();
    let store = SharedStore::new(Arc::<MemoryLedger>::default(), node.clone());
    let served = Served::over(&store.into(), ServerLimits::default()).await;
    served.server.reopen().await.unwrap();
    for acts in [true, false, true] {
        node.0.store(acts, Ordering::Release);
        let ready = served.ask("GET", "/readyz", "").await;
        assert_eq!(ready.status, if acts { 200 } else { 503 });
        assert_eq!(served.ask("GET", "/healthz", "").await.status, 200);
    }
}

#[tokio::test]
async fn kept_connection_ends_with_the_server_and_its_stream_says_bye() {
    let served = Served::with(ServerLimits::default()).await;
    let room = served.room().await;
    let mut feed = served.client().await;
    let path = format!("/v1/worlds/{room}/feed");
    feed.send(&request("GET", &path, "")).await;
    feed.read_until("text/event-stream").await;
    let mut kept = served.client().await;
    kept.send(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .await;
    kept.read_until("ok\n").await;
    let (drained, bye, rest) = tokio::join!(served.end(), feed.answer(), kept.answer());
    assert!(bye.text.contains("event: bye"), "{}", bye.text);
    assert_eq!(rest.text, "");
    assert_eq!(drained.cut, 0);
}

#[tokio::test]
async fn request_that_comes_while_the_server_ends_is_told_so() {
    let served = Served::with(ServerLimits::default()).await;
    served.server.reopen().await.unwrap();
    served.drain.begin();
    for path in ["/v1/templates", "/readyz"] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let answer = served.server.router().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), 503);
        assert_eq!(answer.headers()["retry-after"], "5");
        assert_eq!(answer.headers()["connection"], "close");
    }
    let request = Request::get("/healthz").body(Body::empty()).unwrap();
    let answer = served.server.router().oneshot(request).await.unwrap();
    assert_eq!(answer.status(), 200);
}

#[tokio::test]
async fn connection_that_does_not_end_is_cut() {
    let served = Served::with(ServerLimits {
        drain_timeout: Duration::from_millis(50),
        ..ServerLimits::default()
    })
    .await;
    let room = served.room().await;
    // A body that never comes keeps a request open.
    let mut slow = served.client().await;
    let head = format!(
        "POST /v1/worlds/{room}/messages HTTP/1.1\r\nhost: localhost\r\n\
         content-type: application/json\r\ncontent-length: 10\r\nexpect: 100-continue\r\n\r\n"
    );
    slow.send(head.as_bytes()).await;
    slow.read_until("100 Continue").await;
    assert_eq!(served.end().await.cut, 1);
    assert_eq!(soon(slow.answer()).await.text, "");
}

#[tokio::test]
async fn handler_that_panics_or_takes_too_long_gives_a_problem_with_the_id_of_the_request() {
    let served = Served::with(ServerLimits {
        body_timeout: Duration::from_secs(50),
        request_timeout: Duration::from_millis(50),
        ..ServerLimits::default()
    })
    .await;
    let mut slow = served.client().await;
    let head = b"POST /v1/worlds HTTP/1.1\r\nhost: localhost\r\nx-request-id: a.1\r\n\
         content-type: application/json\r\ncontent-length: 10\r\nconnection: close\r\n\r\n";
    slow.send(head).await;
    let answer = slow.answer().await;
    assert_eq!((answer.status, answer.code().as_str()), (503, "timed_out"));
    assert!(
        answer.text.contains("x-request-id: a.1\r\n"),
        "{}",
        answer.text
    );

    // Others are served in as much time as the machine takes for it.
    let served = Served::with(ServerLimits::default()).await;
    let mut hopeless = served.client().await;
    hopeless
        .send(
            b"GET /v1/worlds/desk/feed HTTP/1.1\r\nhost: localhost\r\nx-name: panic\r\n\
              connection: close\r\n\r\n",
        )
        .await;
    let answer = hopeless.answer().await;
    assert_eq!((answer.status, answer.code().as_str()), (500, "internal"));
    assert!(
        !answer.text.contains("the handler fails"),
        "{}",
        answer.text
    );
    assert!(answer.text.contains("x-request-id: "), "{}", answer.text);
    served.serves_others().await;
}
