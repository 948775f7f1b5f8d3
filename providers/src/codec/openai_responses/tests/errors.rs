use super::*;

fn kind(all: &[Value]) -> ModelErrorKind {
    match stream(&[events(all).as_bytes()]) {
        Err(DecodeError::Reported(error)) => error.kind,
        other => panic!("{other:?}"),
    }
}

fn failed(error: &Value) -> Value {
    json!({ "type": "response.failed", "response": { "status": "failed", "error": error, "output": [] } })
}

#[test]
fn statuses_and_codes_have_kinds() {
    let kind = |status: u16, code: &str| {
        let body =
            json!({ "error": { "message": "no", "type": "some_error", "code": code } }).to_string();
        let failure = WireFailure {
            status,
            retry_after: None,
            body: body.as_bytes(),
        };
        OpenAiResponses::default().decode_error(failure).kind
    };
    assert_eq!(kind(401, "x"), ModelErrorKind::RefusesAccount);
    assert_eq!(kind(404, "x"), ModelErrorKind::RefusesRequest);
    assert_eq!(kind(429, "rate_limit_exceeded"), ModelErrorKind::Rate);
    assert_eq!(
        kind(429, "insufficient_quota"),
        ModelErrorKind::RefusesAccount
    );
    assert_eq!(
        kind(400, "context_length_exceeded"),
        ModelErrorKind::ContextTooLong
    );
    assert_eq!(kind(500, "server_error"), ModelErrorKind::Outage);
}

#[test]
fn an_answer_that_failed_is_an_error_with_a_kind() {
    let told = |code: &str| {
        kind(&[
            text_delta(0, "a"),
            failed(&json!({ "code": code, "message": "m" })),
        ])
    };
    assert_eq!(told("server_error"), ModelErrorKind::Outage);
    assert_eq!(told("rate_limit_exceeded"), ModelErrorKind::Rate);
    assert_eq!(told("invalid_prompt"), ModelErrorKind::RefusesRequest);
    assert_eq!(
        told("context_length_exceeded"),
        ModelErrorKind::ContextTooLong
    );
    assert_eq!(
        told("image_content_policy_violation"),
        ModelErrorKind::ContentFilter
    );
    assert_eq!(kind(&[failed(&Value::Null)]), ModelErrorKind::Outage);
    assert_eq!(
        kind(&[json!({ "type": "response.failed", "response": {} })]),
        ModelErrorKind::Outage
    );

    let whole = json!({ "status": "failed", "error": { "code": "rate_limit_exceeded", "message": "m" }, "output": [] });
    let Err(DecodeError::Reported(error)) =
        OpenAiResponses::default().decode(whole.to_string().as_bytes())
    else {
        panic!()
    };
    assert_eq!(
        (error.kind, error.detail.as_str()),
        (ModelErrorKind::Rate, "m (rate_limit_exceeded)")
    );
    assert_eq!(error.reached, Some(Reached::Answer), "it had begun");
}

#[test]
fn an_error_event_is_an_error_in_each_of_its_shapes() {
    let flat = json!({ "type": "error", "code": "rate_limit_exceeded", "message": "m", "param": null, "sequence_number": 1 });
    assert_eq!(kind(&[flat]), ModelErrorKind::Rate);
    let nested =
        json!({ "type": "error", "error": { "type": "overloaded_error", "message": "m" } });
    assert_eq!(kind(&[nested]), ModelErrorKind::Overload);
    for data in [
        r#"{"error":{"message":"m","code":503}}"#,
        r#"{"object":"error","message":"m","code":503}"#,
    ] {
        let text = format!("data: {data}\n\n");
        let Err(DecodeError::Reported(error)) = stream(&[text.as_bytes()]) else {
            panic!("{data}")
        };
        assert_eq!(error.kind, ModelErrorKind::Overload, "{data}");
    }
    let named = "event: error\ndata: {\"message\":\"m\",\"code\":503}\n\n";
    let Err(DecodeError::Reported(error)) = stream(&[named.as_bytes()]) else {
        panic!()
    };
    assert_eq!(error.kind, ModelErrorKind::Overload);
}

#[test]
fn a_stream_that_failed_stays_failed() {
    let mut decoder = OpenAiResponses::default().stream_decoder();
    let first = decoder
        .push(b"data: {\"type\":\"error\",\"message\":\"m\"}\n\n")
        .unwrap_err();
    assert_eq!(decoder.push(b"data: [DONE]\n\n"), Err(first.clone()));
    assert_eq!(decoder.finish(), Err(first));
}

#[test]
fn an_event_that_is_no_json_is_an_error() {
    assert!(matches!(
        stream(&[b"data: <html>\n\n"]),
        Err(DecodeError::Json(_))
    ));
}
