//! Several calls: what they share, and what is not sent at all. And what their statuses mean.

use folkmoot_providers::cache::{CACHED_ANSWER, CacheSettings, CachedModel};

use super::*;

#[tokio::test]
async fn attempts_of_one_call_carry_one_idempotency_key() {
    let server = Server::answering("503 Service Unavailable", &[], "");
    let (first, fallback) = (
        model(&server.base_url, json!({})),
        model(&server.base_url, json!({ "stream": false })),
    );
    let call = request();
    for model in [&first, &first, &fallback] {
        assert!(model.call(&call, &drafts()).await.is_err());
    }
    let keys: Vec<_> = server
        .received()
        .iter()
        .map(|one| one.header("idempotency-key").unwrap().to_owned())
        .collect();
    assert_eq!(keys, ["world/7"; 3]);
}

#[tokio::test]
async fn statuses_have_kinds() {
    for (status, kind) in [
        ("400 Bad Request", ModelErrorKind::RefusesRequest),
        ("401 Unauthorized", ModelErrorKind::RefusesAccount),
        ("402 Payment Required", ModelErrorKind::RefusesAccount),
        ("408 Request Timeout", ModelErrorKind::Timeout),
        ("413 Content Too Large", ModelErrorKind::ContextTooLong),
        ("429 Too Many Requests", ModelErrorKind::Rate),
        ("500 Internal Server Error", ModelErrorKind::Outage),
        ("502 Bad Gateway", ModelErrorKind::Outage),
        ("503 Service Unavailable", ModelErrorKind::Overload),
        ("504 Gateway Timeout", ModelErrorKind::Timeout),
        ("529 Overloaded", ModelErrorKind::Overload),
    ] {
        let server = Server::answering(status, &["retry-after-ms: 1500", "retry-after: 9"], "{}");
        let error = error(&server, json!({})).await;
        assert_eq!(
            (error.kind, error.retry_after_ms),
            (kind, Some(1_500)),
            "{status}"
        );
    }
}

#[tokio::test]
async fn a_call_beyond_the_rate_limit_is_refused_with_the_wait_and_not_sent() {
    let server = Server::answering("200 OK", &["content-type: application/json"], &whole_body());
    let limited = json!({ "rate_limit": { "requests": 1, "per": "1h" } });
    assert!(call(&server.base_url, limited.clone()).await.0.is_ok());
    // Another model, as another room has it.
    let error = call(&server.base_url, limited).await.0.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Rate);
    assert!(
        (3_500_000..=3_600_000).contains(&error.retry_after_ms.unwrap()),
        "{error:?}"
    );
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_cached_answer_is_shown_and_not_asked_for_again() {
    let server = Server::answering("200 OK", &["content-type: application/json"], &whole_body());
    let cache: CacheSettings =
        serde_json::from_value(json!({ "entries": 10, "for": "1h" })).unwrap();
    let cached = || {
        CachedModel::new(
            model(&server.base_url, json!({})),
            cache,
            "openai-chat",
            &json!(server.base_url),
        )
    };
    let first = cached().call(&request(), &drafts()).await.unwrap();
    let shown = drafts();
    let again = cached().call(&request(), &shown).await.unwrap();
    assert_eq!(
        (first.spoken(), again.spoken()),
        ("Hello".into(), "Hello".into())
    );
    assert_eq!(
        (
            shown.shown.into_inner().unwrap(),
            again.reply().warnings.clone()
        ),
        (vec!["Hello".into()], vec![CACHED_ANSWER.into()])
    );
    assert_eq!(server.received().len(), 1);

    let mut other = request();
    other.request = ForgedRequest {
        model: "small-2".into(),
        ..forged()
    }
    .into_request();
    assert!(cached().call(&other, &drafts()).await.is_ok());
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn an_answer_that_failed_is_not_cached() {
    let server = Server::answering("503 Service Unavailable", &[], "");
    let cache: CacheSettings =
        serde_json::from_value(json!({ "entries": 10, "for": "1h" })).unwrap();
    let cached = CachedModel::new(
        model(&server.base_url, json!({})),
        cache,
        "openai-chat",
        &json!(server.base_url),
    );
    for sent in [1, 2] {
        assert!(cached.call(&request(), &drafts()).await.is_err());
        assert_eq!(server.received().len(), sent);
    }
}
