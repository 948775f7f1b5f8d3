//! Waits for sockets, each under its own short limit.

use super::*;

fn limits(timeouts: &Value) -> Value {
    json!({ "timeouts": timeouts })
}

#[tokio::test]
async fn a_server_that_never_answers_is_a_timeout() {
    let server = Server::start(vec![Step::Hang]);
    let error = error(&server, limits(&json!({ "first_byte": "150ms" }))).await;
    assert_eq!(error, ModelError::new(ModelErrorKind::Timeout, "no first byte within 150ms"));
}

#[tokio::test]
async fn a_server_that_falls_silent_is_a_timeout() {
    let server = Server::start(vec![stream_head(), chunk(&says("Hel")), Step::Hang]);
    let (outcome, shown) = call(&server.base_url, limits(&json!({ "idle": "150ms" }))).await;
    assert_eq!(outcome, Err(ModelError::new(ModelErrorKind::Timeout, "no next piece within 150ms")));
    assert_eq!(shown, ["Hel"]);
}

#[tokio::test]
async fn an_answer_that_never_ends_is_a_timeout() {
    let server = Server::start(vec![stream_head(), chunk(&says("Hel")), Step::Hang]);
    let error = error(&server, limits(&json!({ "total": "150ms" }))).await;
    assert_eq!(error, ModelError::new(ModelErrorKind::Timeout, "no answer within 150ms"));
}

#[tokio::test]
async fn an_error_whose_body_hangs_keeps_the_kind_of_its_status() {
    let head = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 99\r\n\r\nbusy".to_owned();
    let server = Server::start(vec![Step::Send(head), Step::Hang]);
    let error = error(&server, limits(&json!({ "idle": "150ms" }))).await;
    assert_eq!(error.kind, ModelErrorKind::Overload);
}
