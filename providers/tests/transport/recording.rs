//! What is recorded of exchanges, and that it plays.

use folkmoot_providers::codec::Wire;
use folkmoot_providers::{Exchange, RecordedModel, Recorder};

use super::*;

/// Keeps what it is told as a recording's lines.
#[derive(Debug, Default)]
struct Kept(Mutex<Vec<Value>>);

impl Recorder for Kept {
    fn record(&self, exchange: &Exchange) {
        self.0
            .lock()
            .unwrap()
            .push(serde_json::to_value(exchange).unwrap());
    }
}

impl Kept {
    fn lines(&self) -> String {
        self.0
            .lock()
            .unwrap()
            .iter()
            .map(|line| format!("{line}\n"))
            .collect()
    }

    fn only(&self) -> Value {
        let kept = self.0.lock().unwrap();
        assert_eq!(kept.len(), 1);
        kept[0].clone()
    }
}

/// Makes one call that is recorded.
async fn record(server: &Server, settings: Value) -> (Result<LLMResponse, ModelError>, Arc<Kept>) {
    let kept = Arc::new(Kept::default());
    let recorder: Arc<dyn Recorder> = Arc::<Kept>::clone(&kept);
    let model = model(&server.base_url, settings).recorded_by(Wire::OpenaiChat, recorder);
    let outcome = model.call(&request(), &drafts()).await;
    (outcome, kept)
}

/// The same call, out of the recording.
async fn replay(kept: &Kept) -> Result<LLMResponse, ModelError> {
    RecordedModel::new(Wire::OpenaiChat, &kept.lines())
        .unwrap()
        .call(&request(), &drafts())
        .await
}

/// Without the mark that it was played.
fn unplayed(outcome: Result<LLMResponse, ModelError>) -> Value {
    let outcome = outcome.map_err(|error| ModelError {
        played: None,
        ..error
    });
    let text = serde_json::to_string(&outcome).unwrap();
    serde_json::from_str(
        &text
            .replace(r#""played":0,"#, "")
            .replace(r#","played":0"#, ""),
    )
    .unwrap()
}

#[tokio::test]
async fn a_whole_answer_is_recorded_as_it_went_over_the_wire_and_plays() {
    let server = Server::answering(
        "200 OK",
        &["content-type: application/json", "x-request-id: 1"],
        &whole_body(),
    );
    let (outcome, kept) = record(&server, json!({ "stream": false })).await;
    let expected = json!({
        "fingerprint": request().request.fingerprint(), "agent": "worker", "wire": "openai-chat",
        "path": "/chat/completions",
        "request": serde_json::from_str::<Value>(&server.received()[0].body).unwrap(),
        "status": 200, "headers": { "content-type": "application/json" }, "stream": false, "body": whole_body(),
    });
    assert_eq!(kept.only(), expected);
    assert_eq!(unplayed(replay(&kept).await), unplayed(outcome));
}

#[tokio::test]
async fn a_streamed_answer_plays_as_it_was() {
    let text = says("Hel") + &says("lo") + &event(&json!({}), Some("stop")) + "data: [DONE]\n\n";
    let server = Server::start(vec![stream_head(), chunk(&text), Step::Hang]);
    let (outcome, kept) = record(&server, json!({})).await;
    assert_eq!(
        (&kept.only()["stream"], &kept.only()["body"]),
        (&json!(true), &json!(text))
    );
    assert_eq!(unplayed(replay(&kept).await), unplayed(outcome));
}

#[tokio::test]
async fn failures_are_recorded_with_their_wait_and_play() {
    for status in ["429 Too Many Requests", "503 Service Unavailable"] {
        let body = json!({ "error": { "message": "slow down" } }).to_string();
        let server = Server::answering(status, &["retry-after-ms: 1500"], &body);
        let (outcome, kept) = record(&server, json!({})).await;
        assert_eq!(outcome.as_ref().unwrap_err().retry_after_ms, Some(1_500));
        assert_eq!(unplayed(replay(&kept).await), unplayed(outcome));
    }
}

#[tokio::test]
async fn a_stream_that_broke_off_leaves_what_had_come() {
    let server = Server::start(vec![stream_head(), chunk(&says("Hel"))]);
    let (outcome, kept) = record(&server, json!({})).await;
    assert_eq!(kept.only()["body"], json!(says("Hel")));
    let (outcome, replayed) = (outcome.unwrap_err(), replay(&kept).await.unwrap_err());
    assert_eq!(
        (outcome.kind, replayed.kind),
        (ModelErrorKind::Outage, ModelErrorKind::Outage)
    );
}

#[tokio::test]
async fn without_an_answer_there_is_no_exchange() {
    let server = Server::start(vec![]);
    let (outcome, kept) = record(&server, json!({})).await;
    assert_eq!(
        (outcome.unwrap_err().kind, kept.lines().as_str()),
        (ModelErrorKind::Outage, "")
    );
}

#[tokio::test]
async fn keys_accounts_and_people_are_not_recorded() {
    let message = format!("{KEY} of ada@example.com in org-AbCdEf123456 is unknown");
    let body = json!({ "error": { "message": message } }).to_string();
    let server = Server::answering(
        "401 Unauthorized",
        &["content-type: application/json"],
        &body,
    );
    let (_, kept) = record(&server, json!({})).await;
    let body = r#"{"error":{"message":"[secret] of [email] in [account] is unknown"}}"#;
    assert_eq!(kept.only()["body"], json!(body));
    assert!(!kept.lines().contains(KEY) && !kept.lines().to_lowercase().contains("authorization"));
}

#[tokio::test]
async fn a_changed_request_is_told_from_the_recorded_one() {
    let server = Server::answering("200 OK", &["content-type: application/json"], &whole_body());
    let (_, kept) = record(&server, json!({})).await;
    let mut changed = request();
    let mut draft = forged();
    draft.system[0].text = "Be long.".into();
    draft.items.push(Item::Heard {
        from: "Bob".into(),
        text: "Ho".into(),
        attachments: Vec::new(),
    });
    changed.request = draft.into_request();
    let model = RecordedModel::new(Wire::OpenaiChat, &kept.lines()).unwrap();
    let error = model.call(&changed, &drafts()).await.unwrap_err();
    assert_eq!(
        (error.kind, error.played),
        (ModelErrorKind::NotRecorded, None)
    );
    assert!(
        error
            .detail
            .contains("the request is not that of exchange 1: "),
        "{error}"
    );
    assert!(
        error
            .detail
            .contains(r#"messages[0].content: recorded "Be brief.", now "Be long.""#),
        "{error}"
    );
    assert!(error.detail.contains("messages[2] is new, "), "{error}");
}
