//! Waits for sockets, each under its own short limit.

use super::*;

fn limits(timeouts: &Value) -> Value {
    json!({ "timeouts": timeouts })
}

#[tokio::test]
async fn a_server_that_never_answers_is_a_timeout() {
    let server = Server::start(vec![Step::Hang]);
    let error = error(&server, limits(&json!({ "first_byte": "150ms" }))).await;
    assert_eq!(
        error,
        ModelError::new(ModelErrorKind::Timeout, "no first byte within 150ms")
    );
}

#[tokio::test]
async fn a_server_that_falls_silent_is_a_timeout() {
    let server = Server::start(vec![stream_head(), chunk(&says("Hel")), Step::Hang]);
    let (outcome, shown) = call(&server.base_url, limits(&json!({ "idle": "150ms" }))).await;
    assert_eq!(
        outcome,
        Err(ModelError::new(
            ModelErrorKind::Timeout,
            "no next piece within 150ms"
        ))
    );
    assert_eq!(shown, ["Hel"]);
}

#[tokio::test]
async fn an_answer_that_never_ends_is_a_timeout() {
    let server = Server::start(vec![stream_head(), chunk(&says("Hel")), Step::Hang]);
    let error = error(&server, limits(&json!({ "total": "150ms" }))).await;
    assert_eq!(
        error,
        ModelError::new(ModelErrorKind::Timeout, "no answer within 150ms")
    );
}

#[tokio::test]
async fn an_error_whose_body_hangs_keeps_the_kind_of_its_status() {
    let head = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 99\r\n\r\nbusy".to_owned();
    let server = Server::start(vec![Step::Send(head), Step::Hang]);
    let error = error(&server, limits(&json!({ "idle": "150ms" }))).await;
    assert_eq!(error.kind, ModelErrorKind::Overload);
}

#[tokio::test]
async fn a_connection_that_is_not_made_is_a_timeout() {
    // A listener whose queue is full answers nothing, so that the handshake does not end.
    let listener = socket_with_a_full_queue();
    let base_url = format!("http://{}/v1", listener.0);
    let (outcome, _) = call(
        &base_url,
        limits(&json!({ "connect": "150ms", "first_byte": "20s" })),
    )
    .await;
    let error = outcome.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Timeout, "{error}");
}

/// The address of a listener that takes no more connections, and what keeps it so.
fn socket_with_a_full_queue() -> (
    std::net::SocketAddr,
    std::net::TcpListener,
    Vec<std::net::TcpStream>,
) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let connect = || {
        std::net::TcpStream::connect_timeout(&address, std::time::Duration::from_millis(200)).ok()
    };
    let waiting = std::iter::from_fn(connect).take(20_000).collect();
    (address, listener, waiting)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_call_closes_its_socket() {
    for steps in [
        vec![Step::Hang],
        vec![stream_head(), chunk(&says("Hel")), Step::Hang],
    ] {
        let server = Server::start(steps);
        let model = model(&server.base_url, json!({}));
        let running = tokio::spawn(async move { model.call(&request(), &drafts()).await });
        server.until(|server| server.received().len() == 1);
        assert_eq!(server.gone(), 0);
        running.abort();
        assert!(running.await.unwrap_err().is_cancelled());
        server.until(|server| server.gone() == 1);
    }
}

#[tokio::test]
async fn a_short_wait_for_the_rate_limit_is_a_part_of_the_call() {
    let server = Server::answering("200 OK", &["content-type: application/json"], &whole_body());
    let limited = model(
        &server.base_url,
        json!({ "rate_limit": { "requests": 1, "per": "20ms" } }),
    );
    for _ in 0..5 {
        assert!(limited.call(&request(), &drafts()).await.is_ok());
    }
    assert_eq!(server.received().len(), 5);
}
