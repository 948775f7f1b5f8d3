//! Heads and bodies that are too much, or that two readers would read in two ways.

use folkmoot_server::ServerLimits;

use super::harness::{Answer, Served};

async fn sent(served: &Served, bytes: &[u8]) -> Answer {
    let mut client = served.client().await;
    client.send(bytes).await;
    client.answer().await
}

/// Tells whether the server refused what it read, or hung up.
fn is_refused(answer: &Answer) -> bool {
    matches!(answer.status, 0 | 400 | 408 | 413 | 414 | 431)
}

#[tokio::test]
async fn too_many_headers_and_too_long_ones_are_refused() {
    let served = Served::with(ServerLimits::default()).await;
    let mut many = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n".to_vec();
    (0..100_000).for_each(|n| many.extend_from_slice(format!("x-{n}: 1\r\n").as_bytes()));
    many.extend_from_slice(b"\r\n");
    let few_but_many = {
        let mut head = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n".to_vec();
        (0..120).for_each(|n| head.extend_from_slice(format!("x-{n}: 1\r\n").as_bytes()));
        head.extend_from_slice(b"\r\n");
        head
    };
    let long = format!(
        "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n",
        "a".repeat(1 << 20)
    );
    let url = format!(
        "GET /healthz?{} HTTP/1.1\r\nhost: localhost\r\n\r\n",
        "a".repeat(1 << 20)
    );
    for (what, head) in [
        ("100,000 headers", many.as_slice()),
        ("120 headers", &few_but_many),
        ("a long header", long.as_bytes()),
        ("a long URL", url.as_bytes()),
    ] {
        let answer = sent(&served, head).await;
        assert!(is_refused(&answer), "{what}: {}", answer.text);
        served.serves_others().await;
    }
    assert_eq!(sent(&served, &few_but_many).await.status, 431);
}

#[tokio::test]
async fn requests_that_two_readers_read_in_two_ways_are_refused() {
    let served = Served::with(ServerLimits::default()).await;
    let room = served.room().await;
    let post = format!(
        "POST /v1/worlds/{room}/messages HTTP/1.1\r\nhost: localhost\r\n\
         content-type: application/json\r\n"
    );
    let smuggled = "DELETE /v1/worlds/x HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let forms = [
        format!("{post}content-length: 5\r\ncontent-length: 6\r\n\r\n{{}}{smuggled}"),
        format!("{post}content-length: 5, 6\r\n\r\n{{}}{smuggled}"),
        format!("{post}content-length: +2\r\n\r\n{{}}{smuggled}"),
        format!("{post}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}"),
        format!("{post}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n0\r\n\r\n{smuggled}"),
        format!("{post}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n{smuggled}"),
        format!("{post}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n{smuggled}"),
        format!("{post}transfer-encoding : chunked\r\n\r\n0\r\n\r\n{smuggled}"),
        format!("{post}x: a\r\n content-length: 2\r\n\r\n{{}}{smuggled}"),
        format!("{post}transfer-encoding: chunked\r\n\r\nffffffffffffffff1\r\n{{}}{smuggled}"),
        format!("{post}transfer-encoding: chunked\r\n\r\n-1\r\n{{}}\r\n{smuggled}"),
    ];
    for form in forms {
        let answer = sent(&served, form.as_bytes()).await;
        // With both lengths the chunks count, and the connection ends (RFC 9112, 6.1).
        let is_over = answer.status == 422 && answer.text.contains("connection: close");
        assert!(is_refused(&answer) || is_over, "{form}\n{}", answer.text);
        let answers = answer.text.matches("HTTP/1.1 ").count();
        assert!(answers <= 1, "{form}\n{}", answer.text);
    }
    let read = served
        .ask("GET", &format!("/v1/worlds/{room}/messages"), "")
        .await;
    assert_eq!(read.status, 200);
    served.serves_others().await;
}

#[tokio::test]
async fn packed_bodies_and_those_of_other_letters_are_not_read() {
    let served = Served::with(ServerLimits::default()).await;
    let room = served.room().await;
    let head = |more: &str, length: usize| {
        format!(
            "POST /v1/worlds/{room}/messages HTTP/1.1\r\nhost: localhost\r\n{more}\
             content-length: {length}\r\nconnection: close\r\n\r\n"
        )
    };
    // The beginning of a gzip stream; nobody may look at what it unpacks to.
    let mut bomb = head(
        "content-type: application/json\r\ncontent-encoding: gzip\r\n",
        10,
    )
    .into_bytes();
    bomb.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
    assert_eq!(sent(&served, &bomb).await.status, 415);

    let mut letters = head("content-type: application/json\r\n", 12).into_bytes();
    letters.extend_from_slice(b"{\"text\":\"\xff\"}");
    assert_eq!(sent(&served, &letters).await.status, 400);
}
