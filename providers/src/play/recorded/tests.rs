use folkmoot_core::model::response::Part;

use super::*;
use crate::play::tests::{TestDrafts, block_on, call, play};

const RECORDING: &str = include_str!("../../../tests/fixtures/recording.jsonl");

fn model(lines: &str) -> RecordedModel {
    RecordedModel::new(Wire::OpenaiChat, lines).unwrap()
}

fn keyed(text: &str) -> String {
    let fingerprint = call("worker", vec![], &[]).request.fingerprint();
    let body =
        format!(r#"{{"choices":[{{"finish_reason":"stop","message":{{"content":"{text}"}}}}]}}"#);
    format!(r#"{{"fingerprint":"{fingerprint}","body":{body}}}"#) + "\n"
}

fn texts(model: &RecordedModel, agent: &str, played: &[u32]) -> (String, Option<u32>) {
    let response = play(model, &call(agent, vec![], played)).0.unwrap();
    (response.spoken(), response.reply().played)
}

#[test]
fn exchanges_are_played_in_order_by_agent_through_the_codec() {
    let model = model(RECORDING);
    assert_eq!(texts(&model, "planner", &[]), ("Plan.".into(), Some(0)));
    let (slow, _) = play(&model, &call("worker", vec![], &[]));
    let expected = ModelError {
        kind: ModelErrorKind::Rate,
        retry_after_ms: Some(2_000),
        reached: None,
        detail: "HTTP 429: slow down (rate_limit_exceeded)".into(),
        played: Some(1),
    };
    assert_eq!(slow, Err(expected));
    let (hello, shown) = play(&model, &call("worker", vec![], &[1]));
    assert_eq!(hello.unwrap().reply().parts, [Part::Text("Hello".into())]);
    assert_eq!(shown, ["Hel", "lo"]);
}

#[test]
fn what_is_not_recorded_is_an_error_that_says_what_was_asked_for() {
    let asked = call("worker", vec![], &[0, 1, 2]);
    let error = play(&model(RECORDING), &asked).0.unwrap_err();
    assert_eq!(
        (error.kind, error.played),
        (ModelErrorKind::NotRecorded, None)
    );
    for part in ["worker", "small-1", &asked.request.fingerprint().short()] {
        assert!(error.detail.contains(part), "{} names {part}", error.detail);
    }
}

#[test]
fn a_fingerprint_finds_its_exchange_whatever_the_order() {
    let other = format!(r#"{{"fingerprint":"{}","body":""}}"#, "0".repeat(64)) + "\n";
    let model = model(&(other + RECORDING + &keyed("first") + &keyed("second")));
    assert_eq!(texts(&model, "worker", &[]), ("first".into(), Some(4)));
    assert_eq!(texts(&model, "worker", &[4]), ("second".into(), Some(5)));
    assert_eq!(texts(&model, "worker", &[4, 5]), ("second".into(), Some(5)));
}

#[test]
fn a_keyed_exchange_is_not_played_for_another_request() {
    let error = play(
        &model(&keyed("x").replace(char::is_numeric, "0")),
        &call("worker", vec![], &[]),
    )
    .0
    .unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::NotRecorded);
}

#[test]
fn a_bad_line_is_told_by_its_number() {
    let line = |lines: &str| match RecordedModel::new(Wire::OpenaiChat, lines) {
        Err(RecordingError::BadLine { line, .. }) => line,
        other => panic!("{other:?}"),
    };
    assert_eq!(line("{}"), 1);
    assert_eq!(
        line("\n{\"body\": \"\"}\n{\"body\": \"\", \"sttaus\": 200}"),
        3
    );
    assert_eq!(line("{\"body\": \"\", \"fingerprint\": \"abc\"}"), 1);
}

#[test]
fn a_stopped_call_shows_no_more() {
    let drafts = TestDrafts {
        open_for: 1,
        ..TestDrafts::default()
    };
    let outcome = block_on(model(RECORDING).call(&call("worker", vec![], &[1]), &drafts));
    assert_eq!(outcome.unwrap_err().played, Some(2));
    assert_eq!(drafts.shown.into_inner().unwrap(), ["Hel"]);
}
