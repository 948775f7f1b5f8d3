use std::time::Duration;

use super::*;

fn error(status: u16, body: &Value) -> ModelError {
    let body = body.to_string();
    codec().decode_error(WireFailure {
        status,
        retry_after: None,
        body: body.as_bytes(),
    })
}

fn named(code: u16, status: &str, message: &str) -> Value {
    json!({ "error": { "code": code, "message": message, "status": status } })
}

#[test]
fn the_providers_words_have_kinds() {
    let kinds = [
        (400, "INVALID_ARGUMENT", ModelErrorKind::RefusesRequest),
        (400, "FAILED_PRECONDITION", ModelErrorKind::RefusesAccount),
        (401, "UNAUTHENTICATED", ModelErrorKind::RefusesAccount),
        (403, "PERMISSION_DENIED", ModelErrorKind::RefusesAccount),
        (404, "NOT_FOUND", ModelErrorKind::RefusesRequest),
        (429, "RESOURCE_EXHAUSTED", ModelErrorKind::Rate),
        (499, "CANCELLED", ModelErrorKind::Outage),
        (500, "INTERNAL", ModelErrorKind::Outage),
        (503, "UNAVAILABLE", ModelErrorKind::Overload),
        (504, "DEADLINE_EXCEEDED", ModelErrorKind::Timeout),
    ];
    for (code, status, expected) in kinds {
        let body = named(code, status, "no");
        assert_eq!(error(code, &body).kind, expected, "{status}");
        assert_eq!(
            error(code, &json!([body])).kind,
            expected,
            "{status} in a list"
        );
        let in_stream = events(&[document(&json!([{ "text": "a" }]), "STOP"), body.clone()]);
        let whole = codec().decode(body.to_string().as_bytes());
        for read in [stream(&[in_stream.as_bytes()]), whole] {
            assert!(
                matches!(read, Err(DecodeError::Reported(error)) if error.kind == expected),
                "{status}"
            );
        }
    }
}

#[test]
fn a_message_says_more_than_its_status() {
    let long =
        "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).";
    assert_eq!(
        error(400, &named(400, "INVALID_ARGUMENT", long)).kind,
        ModelErrorKind::ContextTooLong
    );
    let key = "API key not valid. Please pass a valid API key.";
    assert_eq!(
        error(400, &named(400, "INVALID_ARGUMENT", key)).kind,
        ModelErrorKind::RefusesAccount
    );
    let expired = json!({ "error": { "code": 400, "message": "no", "status": "INVALID_ARGUMENT", "details": [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_EXPIRED" }
    ] } });
    assert_eq!(error(400, &expired).kind, ModelErrorKind::RefusesAccount);
}

#[test]
fn a_quota_of_a_minute_comes_back_and_one_of_a_day_does_not() {
    let exhausted = |id: &str, delay: &str, limit: &str| {
        json!({ "error": {
            "code": 429, "status": "RESOURCE_EXHAUSTED",
            "message": format!("You exceeded your current quota, please check your plan. * Quota exceeded, limit: {limit}"),
            "details": [
                { "@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{ "quotaId": id }] },
                { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay },
            ],
        } })
    };
    let minute = error(
        429,
        &exhausted(
            "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
            "32.5s",
            "10",
        ),
    );
    assert_eq!(
        (minute.kind, minute.retry_after_ms),
        (ModelErrorKind::Rate, Some(32_500))
    );
    let day = error(
        429,
        &exhausted(
            "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
            "32s",
            "50",
        ),
    );
    assert_eq!(
        (day.kind, day.retry_after_ms),
        (ModelErrorKind::RefusesAccount, Some(32_000))
    );
    let never = error(
        429,
        &exhausted("GenerateRequestsPerMinute", "99999999s", "0\nPlease retry"),
    );
    assert_eq!(
        (never.kind, never.retry_after_ms),
        (ModelErrorKind::RefusesAccount, Some(86_400_000))
    );
    assert_eq!(
        error(429, &exhausted("PerMinute", "-1s", "100")).retry_after_ms,
        None
    );
    assert_eq!(
        error(429, &exhausted("PerMinute", "soon", "100")).retry_after_ms,
        None
    );
}

#[test]
fn a_wait_in_a_header_goes_before_one_in_the_body() {
    let delay = json!([{ "retryDelay": "9s" }]);
    let body =
        json!({ "error": { "code": 429, "status": "RESOURCE_EXHAUSTED", "details": delay } })
            .to_string();
    let failure = |retry_after| WireFailure {
        status: 429,
        retry_after,
        body: body.as_bytes(),
    };
    let header = Some(Duration::from_secs(2));
    assert_eq!(
        codec().decode_error(failure(header)).retry_after_ms,
        Some(2_000)
    );
    assert_eq!(
        codec().decode_error(failure(None)).retry_after_ms,
        Some(9_000)
    );
    let in_stream = format!("data: {body}\n\n");
    let Err(DecodeError::Reported(told)) = stream(&[in_stream.as_bytes()]) else {
        panic!()
    };
    assert_eq!(told.retry_after_ms, Some(9_000));
}

#[test]
fn every_shape_of_an_error_has_a_detail() {
    let detail = |body: &str| {
        codec()
            .decode_error(WireFailure {
                status: 502,
                retry_after: None,
                body: body.as_bytes(),
            })
            .detail
    };
    assert_eq!(
        detail(&named(502, "BAD", "m").to_string()),
        "HTTP 502: m (502, BAD)"
    );
    assert_eq!(detail(r#"{"error":"m"}"#), "HTTP 502: m");
    assert_eq!(detail(r#"{"error":{}}"#), r#"HTTP 502: {"error":{}}"#);
    assert_eq!(
        detail("<p>Bad\nGateway</p>"),
        "HTTP 502: <p>Bad Gateway</p>"
    );
    assert_eq!(detail("[]"), "HTTP 502: []");
}

#[test]
fn an_error_that_says_nothing_is_none() {
    let mut body = document(&json!([{ "text": "x" }]), "STOP");
    body["error"] = json!({});
    assert!(matches!(decode(&body), LLMResponse::Text(_)));
    assert!(matches!(
        stream(&[b"data: {\"error\":\"m\"}\n\n"]),
        Err(DecodeError::Reported(_))
    ));
}
