use super::*;

fn kind(status: u16, name: &str, message: &str) -> ModelErrorKind {
    let body = json!({ "type": "error", "error": { "type": name, "message": message }, "request_id": "req_1" });
    codec()
        .decode_error(WireFailure {
            status,
            retry_after: None,
            body: body.to_string().as_bytes(),
        })
        .kind
}

fn kind_in_stream(name: &str, message: &str) -> ModelErrorKind {
    let error = json!({ "type": "error", "error": { "type": name, "message": message } });
    match stream(&[events(&[begin(), text_start(0), text_delta(0, "a"), error]).as_bytes()]) {
        Err(DecodeError::Reported(error)) => error.kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_documented_errors_have_kinds() {
    let kinds = [
        (400, "invalid_request_error", ModelErrorKind::RefusesRequest),
        (401, "authentication_error", ModelErrorKind::RefusesAccount),
        (402, "billing_error", ModelErrorKind::RefusesAccount),
        (403, "permission_error", ModelErrorKind::RefusesAccount),
        (404, "not_found_error", ModelErrorKind::RefusesRequest),
        (413, "request_too_large", ModelErrorKind::ContextTooLong),
        (429, "rate_limit_error", ModelErrorKind::Rate),
        (500, "api_error", ModelErrorKind::Outage),
        (504, "timeout_error", ModelErrorKind::Timeout),
        (529, "overloaded_error", ModelErrorKind::Overload),
    ];
    for (status, name, expected) in kinds {
        assert_eq!(kind(status, name, "m"), expected, "{status}");
        assert_eq!(kind_in_stream(name, "m"), expected, "{name} in a stream");
    }
}

#[test]
fn a_message_says_more_than_its_status() {
    let refused = |message: &str| kind(400, "invalid_request_error", message);
    let too_long = "prompt is too long: 200251 tokens > 200000 maximum";
    assert_eq!(refused(too_long), ModelErrorKind::ContextTooLong);
    assert_eq!(
        kind_in_stream("invalid_request_error", too_long),
        ModelErrorKind::ContextTooLong
    );
    let beyond = "input length and `max_tokens` exceed context limit: 199999 + 21333 > 200000";
    assert_eq!(refused(beyond), ModelErrorKind::ContextTooLong);
    assert_eq!(
        refused("Your credit balance is too low to access the API."),
        ModelErrorKind::RefusesAccount
    );
    assert_eq!(
        refused("You have reached your specified API usage limits."),
        ModelErrorKind::RefusesAccount
    );
    assert_eq!(
        refused("Output blocked by content filtering policy"),
        ModelErrorKind::ContentFilter
    );
    assert_eq!(
        refused("temperature: range: 0..1"),
        ModelErrorKind::RefusesRequest
    );
}

#[test]
fn the_detail_names_the_error() {
    let body = br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let wait = Some(std::time::Duration::from_secs(2));
    let error = codec().decode_error(WireFailure {
        status: 529,
        retry_after: wait,
        body,
    });
    assert_eq!(error.detail, "HTTP 529: Overloaded (overloaded_error)");
    assert_eq!(error.retry_after_ms, Some(2_000));
}

#[test]
fn an_error_with_a_status_of_success_is_an_error() {
    let body = br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let whole = codec().decode(body);
    assert!(
        matches!(whole, Err(DecodeError::Reported(error)) if error.kind == ModelErrorKind::Overload)
    );
}

#[test]
fn an_error_behind_the_beginning_of_an_answer_may_cost() {
    let error =
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n";
    let failed = |text: String| match codec().stream_decoder().push(text.as_bytes()) {
        Err(DecodeError::Reported(error)) => (error.kind, error.reached),
        other => panic!("{other:?}"),
    };
    let begun = events(&[begin()]) + error;
    assert_eq!(
        failed(begun),
        (ModelErrorKind::Overload, Some(Reached::Answer))
    );
    assert_eq!(
        failed(error.to_owned()),
        (ModelErrorKind::Overload, None),
        "turned away at the door"
    );
}

#[test]
fn a_stream_that_failed_stays_failed() {
    let mut decoder = codec().stream_decoder();
    let first = decoder
        .push(b"event: error\ndata: {\"error\":{\"type\":\"api_error\"}}\n\n")
        .unwrap_err();
    assert_eq!(
        decoder.push(events(&[begin(), stop()]).as_bytes()),
        Err(first.clone())
    );
    assert_eq!(decoder.finish(), Err(first));
}
