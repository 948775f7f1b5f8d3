//! The transport against a server on the loopback interface.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test reports by panicking"
)]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use folkmoot_core::event::Purpose;
use folkmoot_core::ids::{AgentName, Time};
use folkmoot_core::model::response::{LLMResponse, ModelError, ModelErrorKind, Reached};
use folkmoot_core::port::{Clock, Drafts, DraftsClosed, Files, Model as _, ModelCall};
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Item, Layer, LayerKind};
use folkmoot_providers::codec::{AnswerMode, Codec as _, OpenAiChat};
use folkmoot_providers::transport::Environment;
use folkmoot_providers::{HttpModel, HttpSettings};
use serde_json::{Value, json};

mod calls;
mod proxy;
mod real_time;
mod recording;
mod server;
mod tls;

use server::{Server, Step, chunk, stream_head};

const KEY: &str = "sk-very-secret";

/// An environment with one key in it.
#[derive(Debug)]
struct OneKey;

impl Environment for OneKey {
    fn variable(&self, name: &str) -> Option<String> {
        (name == "OPENAI_API_KEY").then(|| KEY.to_owned())
    }
}

#[derive(Debug)]
struct StoppedClock;

#[async_trait]
impl Clock for StoppedClock {
    fn now(&self) -> Time {
        Time::SIMULATED_START
    }

    async fn sleep_until(&self, _: Time) {}
}

/// Drafts that are kept; closed after `open_for` of them.
struct KeptDrafts {
    shown: Mutex<Vec<String>>,
    open_for: usize,
}

#[async_trait]
impl Drafts for KeptDrafts {
    async fn push(&self, delta: &str) -> Result<(), DraftsClosed> {
        let mut shown = self.shown.lock().unwrap();
        if shown.len() == self.open_for {
            return Err(DraftsClosed);
        }
        shown.push(delta.to_owned());
        Ok(())
    }
}

fn drafts() -> KeptDrafts {
    KeptDrafts {
        shown: Mutex::default(),
        open_for: usize::MAX,
    }
}

fn forged() -> ForgedRequest {
    ForgedRequest {
        model: "small-1".into(),
        system: vec![Layer {
            kind: LayerKind::Role,
            text: "Be brief.".into(),
        }],
        items: vec![Item::Heard {
            from: "Ada".into(),
            text: "Hi".into(),
            attachments: Vec::new(),
        }],
        ..ForgedRequest::default()
    }
}

fn request() -> ModelCall {
    ModelCall {
        agent: AgentName::new("worker").unwrap(),
        purpose: Purpose::Turn,
        request: forged().into_request(),
        idempotency_key: "world/7".into(),
        played: vec![],
        clock: Arc::new(StoppedClock),
        files: Files::new(),
    }
}

/// The settings of a model that talks to `base_url`, with further ones.
fn settings(base_url: &str, mut settings: Value) -> HttpSettings {
    settings["base_url"] = json!(base_url);
    settings
        .as_object_mut()
        .unwrap()
        .entry("key")
        .or_insert_with(|| json!("${OPENAI_API_KEY}"));
    serde_json::from_value(settings).unwrap()
}

/// A model that talks to `base_url`, with further settings.
fn model(base_url: &str, further: Value) -> HttpModel {
    HttpModel::new(
        Arc::new(OpenAiChat::default()),
        settings(base_url, further),
        Arc::new(OneKey),
    )
    .unwrap()
}

/// Makes one call: the outcome, and what was shown.
async fn call(base_url: &str, settings: Value) -> (Result<LLMResponse, ModelError>, Vec<String>) {
    let drafts = drafts();
    let outcome = model(base_url, settings).call(&request(), &drafts).await;
    (outcome, drafts.shown.into_inner().unwrap())
}

async fn error(server: &Server, settings: Value) -> ModelError {
    let (outcome, _) = call(&server.base_url, settings).await;
    assert_eq!(server.received().len(), 1, "a call is one attempt");
    outcome.unwrap_err()
}

fn whole_body() -> String {
    json!({ "choices": [{ "index": 0, "message": { "content": "Hello" }, "finish_reason": "stop" }] }).to_string()
}

fn event(delta: &Value, finish: Option<&str>) -> String {
    let chunk = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    format!("data: {chunk}\n\n")
}

fn says(text: &str) -> String {
    event(&json!({ "content": text }), None)
}

#[tokio::test]
async fn a_bare_host_is_asked_without_a_key_and_refused_with_one() {
    let server = Server::answering("200 OK", &["content-type: application/json"], &whole_body());
    let host = server.base_url.strip_prefix("http://").unwrap();
    let (outcome, _) = call(host, json!({ "stream": false, "key": null })).await;
    assert_eq!(outcome.unwrap().spoken(), "Hello");
    let (outcome, _) = call(host, json!({ "stream": false })).await;
    assert!(outcome.is_err());
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_whole_answer_is_asked_for_and_read() {
    let server = Server::answering("200 OK", &["content-type: application/json"], &whole_body());
    let (outcome, shown) = call(
        &server.base_url,
        json!({ "stream": false, "headers": { "x-title": "room" } }),
    )
    .await;
    assert_eq!(
        (outcome.unwrap().spoken().as_str(), shown),
        ("Hello", vec![])
    );

    let received = server.received();
    let [received] = received.as_slice() else {
        panic!("{received:?}")
    };
    assert!(
        received
            .head
            .starts_with("POST /v1/chat/completions HTTP/1.1\r\n"),
        "{}",
        received.head
    );
    assert_eq!(
        received.header("authorization"),
        Some("Bearer sk-very-secret")
    );
    assert_eq!(received.header("idempotency-key"), Some("world/7"));
    assert_eq!(received.header("content-type"), Some("application/json"));
    assert_eq!(received.header("x-title"), Some("room"));
    let expected = OpenAiChat::default()
        .encode(&request().request, &Files::new(), AnswerMode::Whole)
        .body;
    assert_eq!(
        serde_json::from_str::<Value>(&received.body).unwrap(),
        expected
    );
}

#[tokio::test]
async fn a_streamed_answer_is_shown_as_it_comes() {
    let text = says("Hel") + &says("lo") + &event(&json!({}), Some("stop")) + "data: [DONE]\n\n";
    let pieces = text
        .as_bytes()
        .chunks(7)
        .map(|piece| chunk(std::str::from_utf8(piece).unwrap()));
    let steps = std::iter::once(stream_head())
        .chain(pieces)
        .chain([Step::Hang])
        .collect();
    let server = Server::start(steps);
    let (outcome, shown) = call(&server.base_url, json!({})).await; // ends at [DONE], although the server hangs
    assert_eq!(outcome.unwrap().spoken(), "Hello");
    assert_eq!(shown, ["Hel", "lo"]);
    assert_eq!(
        serde_json::from_str::<Value>(&server.received()[0].body).unwrap()["stream"],
        json!(true)
    );
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let server = Server::answering(
        "200 OK",
        &["Content-Type: application/json; charset=utf-8"],
        &whole_body(),
    );
    let (outcome, shown) = call(&server.base_url, json!({})).await;
    assert_eq!(
        (outcome.unwrap().spoken().as_str(), shown),
        ("Hello", vec![])
    );
}

#[tokio::test]
async fn what_the_wire_could_not_carry_is_in_the_warnings() {
    let server = Server::answering("200 OK", &["content-type: application/json"], &whole_body());
    let mut asked = request();
    let mut draft = forged();
    draft.items.push(Item::Result {
        label: "z".into(),
        text: "lost".into(),
        failed: false,
    });
    asked.request = draft.into_request();
    let response = model(&server.base_url, json!({}))
        .call(&asked, &drafts())
        .await
        .unwrap();
    assert_eq!(response.reply().warnings, ["result_without_call"]);
}

#[tokio::test]
async fn too_many_requests_hand_on_the_wait_and_are_not_repeated() {
    let body = json!({ "error": { "message": "slow down" } }).to_string();
    let server = Server::answering("429 Too Many Requests", &["retry-after: 600"], &body);
    let error = error(&server, json!({})).await;
    let expected = ModelError::new(ModelErrorKind::Rate, "HTTP 429: slow down");
    assert_eq!(
        error,
        expected.retry_after(Some(std::time::Duration::from_secs(600)))
    );
}

#[tokio::test]
async fn a_disconnect_in_mid_stream_is_an_outage() {
    let server = Server::start(vec![stream_head(), chunk(&says("Hel"))]);
    assert_eq!(error(&server, json!({})).await.kind, ModelErrorKind::Outage);

    // The same with an end that HTTP thinks is a good one.
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
        .to_owned();
    let server = Server::start(vec![Step::Send(head + &says("Hel"))]);
    let error = error(&server, json!({})).await;
    assert_eq!(
        error,
        ModelError::new(ModelErrorKind::Outage, "the stream broke off")
    );
}

#[tokio::test]
async fn a_disconnect_before_the_answer_is_an_outage_and_is_not_repeated() {
    let server = Server::start(vec![]);
    let error = error(&server, json!({})).await;
    assert_eq!(
        (error.kind, error.reached),
        (ModelErrorKind::Outage, None),
        "nobody knows what became of it"
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_is_an_outage() {
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let (outcome, _) = call(&format!("http://{free}/v1"), json!({})).await;
    let error = outcome.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Outage, "{error}");
    assert!(error.detail.contains("refused"), "{error}");
    assert_eq!(error.reached, Some(Reached::Nobody), "nothing was sent");
}

#[tokio::test]
async fn a_base_url_that_is_none_is_a_refused_request() {
    let (outcome, _) = call("no url", json!({})).await;
    assert_eq!(outcome.unwrap_err().kind, ModelErrorKind::RefusesRequest);
}

#[tokio::test]
async fn a_missing_key_is_named_and_nothing_is_sent() {
    let server = Server::answering("200 OK", &[], &whole_body());
    let (outcome, _) = call(&server.base_url, json!({ "key": "${OTHER_KEY}" })).await;
    let expected = ModelError::new(
        ModelErrorKind::RefusesAccount,
        "the environment variable OTHER_KEY is not set",
    );
    assert_eq!(outcome, Err(expected));
    assert_eq!(server.received().len(), 0);
}

#[tokio::test]
async fn a_server_without_keys_gets_none() {
    let server = Server::answering("200 OK", &["content-type: application/json"], &whole_body());
    assert!(
        call(&server.base_url, json!({ "key": null }))
            .await
            .0
            .is_ok()
    );
    assert_eq!(server.received()[0].header("authorization"), None);
}

#[tokio::test]
async fn the_key_stays_out_of_details_and_debug_texts() {
    let body = json!({ "error": { "message": format!("the key {KEY} is unknown") } }).to_string();
    let server = Server::answering("401 Unauthorized", &[], &body);
    let error = error(&server, json!({})).await;
    assert_eq!(
        error,
        ModelError::new(
            ModelErrorKind::RefusesAccount,
            "HTTP 401: the key [secret] is unknown"
        )
    );
    assert!(!format!("{:?}", model(&server.base_url, json!({}))).contains(KEY));
}

#[tokio::test]
async fn the_value_of_a_variable_in_a_header_stays_out_of_details_even_without_the_words_around_it()
{
    let body = json!({ "error": { "message": format!("{KEY} is unknown") } }).to_string();
    let server = Server::answering("401 Unauthorized", &[], &body);
    let headers = json!({ "key": null, "headers": { "authorization": "Basic ${OPENAI_API_KEY}" } });
    assert_eq!(
        error(&server, headers).await.detail,
        "HTTP 401: [secret] is unknown"
    );
}

#[tokio::test]
async fn whose_key_it_is_stays_out_of_details() {
    let message = "the key of ada@example.com in organization org-AbCdEf123456 is unknown";
    let body = json!({ "error": { "message": message } }).to_string();
    let server = Server::answering("401 Unauthorized", &[], &body);
    let expected = "HTTP 401: the key of [email] in organization [account] is unknown";
    assert_eq!(error(&server, json!({})).await.detail, expected);
}

#[tokio::test]
async fn a_key_that_a_cut_would_go_through_stays_out_of_details() {
    for before in 450..500 {
        let body = format!("{}{KEY} and more", "x".repeat(before));
        let server = Server::answering("400 Bad Request", &[], &body);
        let error = error(&server, json!({})).await;
        assert!(
            !error.detail.contains(&KEY[..8]) && error.detail.chars().count() <= 500,
            "{}",
            error.detail
        );
    }
}

#[tokio::test]
async fn a_header_of_the_script_takes_the_place_of_the_key() {
    let server = Server::answering("200 OK", &["content-type: application/json"], &whole_body());
    let headers = json!({ "Authorization": "Bearer ${OPENAI_API_KEY}-of-the-gateway", "content-type": "application/x" });
    call(&server.base_url, json!({ "headers": headers }))
        .await
        .0
        .unwrap();
    let received = server.received();
    let count = |name: &str| {
        received[0]
            .head
            .lines()
            .filter(|line| line.to_lowercase().starts_with(name))
            .count()
    };
    assert_eq!(
        (count("authorization:"), count("content-type:")),
        (1, 1),
        "{}",
        received[0].head
    );
    assert_eq!(
        received[0].header("authorization"),
        Some(format!("Bearer {KEY}-of-the-gateway").as_str())
    );
}

#[tokio::test]
async fn a_secret_in_the_path_of_a_server_stays_out_of_details() {
    let gone = Server::answering("200 OK", &[], "")
        .base_url
        .replace("/v1", "/${OPENAI_API_KEY}/v1");
    let nobody = "http://127.0.0.1:1/${OPENAI_API_KEY}/v1";
    for base_url in [gone.as_str(), nobody] {
        let error = call(base_url, json!({})).await.0.unwrap_err();
        assert!(!error.detail.contains(KEY), "{}", error.detail);
    }
    let error = call(nobody, json!({})).await.0.unwrap_err();
    assert!(
        error.detail.contains("127.0.0.1:1"),
        "the server is named: {}",
        error.detail
    );
    let literal = json!({ "base_url": "https://ada:secret@example.com" });
    let refused = serde_json::from_value::<HttpSettings>(literal)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("`base_url` is a secret") && !refused.contains("ada"),
        "{refused}"
    );
}

#[tokio::test]
async fn what_an_answer_is_its_bytes_tell_and_not_its_content_type() {
    let text = says("Hel") + &says("lo") + &event(&json!({}), Some("stop")) + "data: [DONE]\n\n";
    for kind in [
        "text/plain",
        "text/html",
        "application/octet-stream",
        "text/event-stream",
        "application/json",
    ] {
        for stream in [true, false] {
            for body in [&whole_body(), &text] {
                let server = Server::answering("200 OK", &[&format!("content-type: {kind}")], body);
                let (outcome, _) = call(&server.base_url, json!({ "stream": stream })).await;
                assert_eq!(
                    outcome.unwrap().spoken(),
                    "Hello",
                    "{kind}, asked to stream: {stream}: {body}"
                );
            }
        }
        let server = Server::answering(
            "200 OK",
            &[&format!("content-type: {kind}")],
            "<p>Please log in</p>",
        );
        let error = error(&server, json!({})).await;
        assert_eq!(
            error.detail, "the server answered with a page of HTML: <p>Please log in</p>",
            "{kind}"
        );
    }
}

#[tokio::test]
async fn a_page_for_people_is_a_bad_reply_that_says_so() {
    let server = Server::answering(
        "200 OK",
        &["content-type: text/html; charset=utf-8"],
        "<p>Please log in</p>",
    );
    let error = error(&server, json!({})).await;
    assert_eq!(error.kind, ModelErrorKind::BadReply);
    assert_eq!(
        error.detail,
        "the server answered with a page of HTML: <p>Please log in</p>"
    );
}

#[test]
fn a_base_url_is_only_a_place_and_a_proxy_speaks_http() {
    for base_url in [
        "http://ada@example.com",
        "https://example.com/v1?key=abc",
        "https://example.com/#v1",
    ] {
        let refused =
            serde_json::from_value::<HttpSettings>(json!({ "base_url": base_url })).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("write only the address of the server"),
            "{refused}"
        );
    }
    for proxy in ["ftp://127.0.0.1:1", "socks5://127.0.0.1:1", "127.0.0.1:1"] {
        let settings = settings("http://127.0.0.1:1", json!({ "proxy": proxy }));
        let refused = HttpModel::new(Arc::new(OpenAiChat::default()), settings, Arc::new(OneKey))
            .unwrap_err();
        assert!(
            refused.to_string().contains("the proxy is not a URL"),
            "{proxy}: {refused}"
        );
    }
}

#[tokio::test]
async fn what_came_before_an_error_in_the_same_bytes_is_shown() {
    let text =
        says("Hel") + "data: {\"error\":{\"message\":\"It broke.\",\"type\":\"server_error\"}}\n\n";
    let server = Server::start(vec![stream_head(), chunk(&text), Step::Hang]);
    let (outcome, shown) = call(&server.base_url, json!({})).await;
    assert_eq!(
        (outcome.unwrap_err().kind, shown),
        (ModelErrorKind::Outage, vec!["Hel".to_owned()])
    );
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::answering("200 OK", &["content-type: application/json"], &whole_body());
    let server = Server::answering(
        "307 Temporary Redirect",
        &[&format!("location: {}", elsewhere.base_url)],
        "",
    );
    assert_eq!(
        error(&server, json!({})).await.kind,
        ModelErrorKind::RefusesRequest
    );
    assert_eq!(elsewhere.received().len(), 0);
}

#[tokio::test]
async fn an_answer_longer_than_the_limit_is_a_bad_reply() {
    let server = Server::answering("200 OK", &["content-type: application/json"], &whole_body());
    let whole = error(&server, json!({ "stream": false, "body_bytes_max": 50 })).await;
    assert_eq!(
        whole,
        ModelError::new(
            ModelErrorKind::BadReply,
            "the answer is longer than 50 bytes"
        )
    );
    let server = Server::start(vec![stream_head(), chunk(&says("Hello")), Step::Hang]);
    assert_eq!(error(&server, json!({ "body_bytes_max": 50 })).await, whole);
}

#[tokio::test]
async fn an_answer_that_is_none_is_a_bad_reply() {
    let server = Server::answering("200 OK", &["content-type: text/html"], "<p>Hello</p>");
    assert_eq!(
        error(&server, json!({ "stream": false })).await.kind,
        ModelErrorKind::BadReply
    );
}

#[tokio::test]
async fn a_stopped_call_ends_at_once() {
    let server = Server::start(vec![
        stream_head(),
        chunk(&(says("a") + &says("b"))),
        Step::Hang,
    ]);
    let drafts = KeptDrafts {
        open_for: 1,
        ..drafts()
    };
    assert!(
        model(&server.base_url, json!({}))
            .call(&request(), &drafts)
            .await
            .is_err()
    );
    assert_eq!(drafts.shown.into_inner().unwrap(), ["a"]);
}
