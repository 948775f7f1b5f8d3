//! The counts of two servers in one process.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panics"
)]
#![expect(dead_code, reason = "the harness serves other tests too")]

#[path = "attacks/harness.rs"]
mod harness;

use folkmoot_server::ServerLimits;
use harness::{Served, request};

#[tokio::test]
async fn two_servers_count_for_themselves_and_labels_are_bounded() {
    let one = Served::with(ServerLimits::default()).await;
    let other = Served::with(ServerLimits::default()).await;
    let room = one.room().await;
    let path = format!("/v1/worlds/{room}/messages");
    assert_eq!(one.ask("POST", &path, r#"{"text":"a"}"#).await.status, 201);
    assert_eq!(one.ask("BREW", "/v1/nothing", "").await.status, 404);
    let mut feed = one.client().await;
    feed.send(&request("GET", &format!("/v1/worlds/{room}/feed"), ""))
        .await;
    feed.read_until("text/event-stream").await;

    let counts = one.ask("GET", "/metrics", "").await.text;
    for line in [
        r#"folkmoot_requests_total{method="POST",route="/v1/worlds/{world}/messages",status="201"} 1"#,
        r#"folkmoot_requests_total{method="other",route="none",status="404"} 1"#,
        r#"folkmoot_problems_total{code="not_found"} 1"#,
        r#"folkmoot_request_seconds_count{route="/v1/worlds"} 1"#,
        "folkmoot_posts_total 1",
        "folkmoot_feeds_open 1",
        "folkmoot_worlds_open 1",
        concat!(
            r#"folkmoot_build_info{version=""#,
            env!("CARGO_PKG_VERSION"),
            r#""} 1"#
        ),
    ] {
        assert!(counts.contains(line), "{line} is not in\n{counts}");
    }
    assert!(!counts.contains(&room), "{counts}");
    let counts = other.ask("GET", "/metrics", "").await.text;
    assert!(counts.contains("folkmoot_posts_total 0"), "{counts}");
    assert!(!counts.contains("/v1/worlds"), "{counts}");
}

#[tokio::test]
async fn limit_hits_are_counted_by_the_name_of_the_limit() {
    let served = Served::with(ServerLimits {
        commands_per_minute: std::num::NonZeroU32::MIN,
        ..ServerLimits::default()
    })
    .await;
    let room = served.room().await;
    let path = format!("/v1/worlds/{room}/messages");
    served.ask("POST", &path, r#"{"text":"a"}"#).await;
    let hit = served.ask("POST", &path, r#"{"text":"b"}"#).await;
    assert_eq!(hit.status, 429, "{}", hit.text);
    let counts = served.ask("GET", "/metrics", "").await.text;
    assert!(
        counts.contains(r#"folkmoot_limit_hits_total{limit="commands"} 1"#),
        "{counts}"
    );
}
