use super::*;

fn kind(status: u16, body: &Value) -> ModelErrorKind {
    let body = body.to_string();
    OpenAiChat::default()
        .decode_error(WireFailure {
            status,
            retry_after: None,
            body: body.as_bytes(),
        })
        .kind
}

fn named(code: &str) -> Value {
    json!({ "error": { "message": "no", "type": "some_error", "code": code } })
}

#[test]
fn statuses_have_kinds() {
    let kinds = [
        (400, ModelErrorKind::RefusesRequest),
        (401, ModelErrorKind::RefusesAccount),
        (402, ModelErrorKind::RefusesAccount),
        (403, ModelErrorKind::RefusesAccount),
        (404, ModelErrorKind::RefusesRequest),
        (408, ModelErrorKind::Timeout),
        (413, ModelErrorKind::ContextTooLong),
        (422, ModelErrorKind::RefusesRequest),
        (429, ModelErrorKind::Rate),
        (500, ModelErrorKind::Outage),
        (502, ModelErrorKind::Outage),
        (503, ModelErrorKind::Overload),
        (504, ModelErrorKind::Timeout),
        (529, ModelErrorKind::Overload),
        (302, ModelErrorKind::RefusesRequest),
    ];
    for (status, expected) in kinds {
        assert_eq!(kind(status, &named("x")), expected, "{status}");
    }
}

#[test]
fn a_code_says_more_than_its_status() {
    assert_eq!(
        kind(429, &named("insufficient_quota")),
        ModelErrorKind::RefusesAccount
    );
    assert_eq!(
        kind(400, &named("context_length_exceeded")),
        ModelErrorKind::ContextTooLong
    );
    assert_eq!(
        kind(400, &named("content_filter")),
        ModelErrorKind::ContentFilter
    );
    assert_eq!(
        kind(400, &named("invalid_api_key")),
        ModelErrorKind::RefusesAccount
    );
    assert_eq!(
        kind(429, &named("engine_overloaded")),
        ModelErrorKind::Overload
    );
}

#[test]
fn every_shape_of_an_error_has_a_detail() {
    let detail = |body: &str| {
        let failure = WireFailure {
            status: 400,
            retry_after: None,
            body: body.as_bytes(),
        };
        OpenAiChat::default().decode_error(failure).detail
    };
    assert_eq!(
        detail(r#"{"error":{"message":"m","type":"t","code":7}}"#),
        "HTTP 400: m (7, t)"
    );
    assert_eq!(detail(r#"{"error":"m"}"#), "HTTP 400: m");
    assert_eq!(detail(r#"{"detail":"m"}"#), "HTTP 400: m");
    assert_eq!(
        detail(r#"{"object":"error","message":"m","code":"c"}"#),
        "HTTP 400: m (c)"
    );
    assert_eq!(
        detail("<p>Bad\nGateway</p>"),
        "HTTP 400: <p>Bad Gateway</p>"
    );
    assert_eq!(detail(&"x".repeat(9_000)).len(), "HTTP 400: ".len() + 8_000);
}

#[test]
fn the_asked_wait_is_handed_on() {
    let retry_after = Some(std::time::Duration::from_secs(2));
    let error = OpenAiChat::default().decode_error(WireFailure {
        status: 429,
        retry_after,
        body: b"",
    });
    assert_eq!(
        (error.kind, error.retry_after_ms),
        (ModelErrorKind::Rate, Some(2_000))
    );
}

#[test]
fn an_error_inside_an_answer_is_an_error() {
    let kind = |text: String| match stream(&[text.as_bytes()]) {
        Err(DecodeError::Reported(error)) => error.kind,
        other => panic!("{other:?}"),
    };
    let hello = delta(&json!({ "content": "a" }));
    let in_stream = |error: Value| events(&[hello.clone(), json!({ "error": error })]);
    assert_eq!(
        kind(in_stream(json!({ "message": "m", "code": 429 }))),
        ModelErrorKind::Rate
    );
    assert_eq!(
        kind(in_stream(json!({ "message": "m", "type": "server_error" }))),
        ModelErrorKind::Outage
    );
    assert_eq!(
        kind(in_stream(json!({ "type": "overloaded_error" }))),
        ModelErrorKind::Overload
    );
    assert_eq!(kind(in_stream(json!("m"))), ModelErrorKind::Outage);
    assert_eq!(
        kind("event: error\ndata: {\"message\":\"m\",\"code\":503}\n\n".into()),
        ModelErrorKind::Overload
    );
    assert_eq!(
        kind(events(&[hello, finish("error")])),
        ModelErrorKind::Outage
    );
    let whole = json!({ "error": { "message": "m", "code": 502 } }).to_string();
    let whole = OpenAiChat::default().decode(whole.as_bytes());
    assert!(
        matches!(whole, Err(DecodeError::Reported(error)) if error.kind == ModelErrorKind::Outage)
    );
}

#[test]
fn an_answer_that_ended_with_an_error_may_cost() {
    let reached = |read: Result<LLMResponse, DecodeError>| match read {
        Err(DecodeError::Reported(error)) => error.reached,
        other => panic!("{other:?}"),
    };
    let whole =
        |document: Value| reached(OpenAiChat::default().decode(document.to_string().as_bytes()));
    let choice = json!({ "index": 0, "message": { "content": "a" }, "finish_reason": "insufficient_system_resource" });
    assert_eq!(whole(json!({ "choices": [choice] })), Some(Reached::Answer));
    let choice = json!({ "message": { "content": "a" }, "error": { "message": "m", "code": 429 } });
    assert_eq!(whole(json!({ "choices": [choice] })), Some(Reached::Answer));
    assert_eq!(
        whole(json!({ "error": { "message": "m", "code": 429 } })),
        None
    );
    let hello = delta(&json!({ "content": "a" }));
    let text = events(&[hello, json!({ "error": { "message": "m", "code": 429 } })]);
    assert_eq!(reached(stream(&[text.as_bytes()])), Some(Reached::Answer));
}

#[test]
fn a_stream_that_failed_stays_failed() {
    let mut decoder = OpenAiChat::default().stream_decoder();
    let first = decoder.push(b"data: {\"error\":\"m\"}\n\n").unwrap_err();
    assert_eq!(decoder.push(b"data: [DONE]\n\n"), Err(first.clone()));
    assert_eq!(decoder.finish(), Err(first));
}
