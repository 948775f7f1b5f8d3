//! Answers that are too much, too little, or never end.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use folkmoot_core::tool::ToolErrorCode::Failed;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::server::{Request, answer, ok};
use super::{Answers, Stage, code};
use crate::stage::done;

const URL: &str = "http://good.example/";

async fn with(max_bytes: u64, answers: Answers) -> Stage {
    let allow = json!([{ "host": "http://good.example" }]);
    Stage::new(
        json!({ "use": "http.get", "allow": allow, "max_bytes": max_bytes }),
        answers,
    )
    .await
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gzip(body: &[u8]) -> Vec<u8> {
    answer(
        200,
        &[("content-type", "text/plain"), ("content-encoding", "gzip")],
        body,
    )
}

#[tokio::test]
async fn a_text_is_cut_at_its_limit() {
    for (length, is_cut) in [(999, false), (1_000, false), (1_001, true)] {
        let answers: Answers = match length {
            999 => |_| ok("text/plain", "a".repeat(999)),
            1_000 => |_| ok("text/plain", "a".repeat(1_000)),
            _ => |_| ok("text/plain", "a".repeat(1_001)),
        };
        let text = done(with(1_000, answers).await.get(URL).await);
        assert_eq!(
            text.ends_with("\n[cut: the content is longer than 1000 bytes]"),
            is_cut,
            "{length}"
        );
        assert_eq!(text.matches("aaaaaaaaaa").count(), length.min(1_000) / 10);
    }
}

#[tokio::test]
async fn a_packed_text_is_cut_where_it_is_unpacked() {
    // 16 MiB in 16 KiB.
    let bomb = |_: &Request| gzip(&packed(&vec![b'a'; 16 << 20]));
    let text = done(with(100_000, bomb).await.get(URL).await);
    assert!(text.ends_with("a\n[cut: the content is longer than 100000 bytes]"));
    let body = text
        .split_once("\n\n")
        .unwrap()
        .1
        .split_once('\n')
        .unwrap()
        .0;
    assert_eq!(body, "a".repeat(100_000));
}

#[tokio::test]
async fn packed_texts_come_whole_or_not_at_all() {
    let hello = |_: &Request| gzip(&packed(b"hello"));
    assert!(done(with(5, hello).await.get(URL).await).ends_with("\n\nhello"));
    let two = |_: &Request| gzip(&[packed(b"hello, "), packed(b"world")].concat());
    assert!(done(with(12, two).await.get(URL).await).ends_with("\n\nhello, world"));
    let empty_parts = |_: &Request| gzip(&packed(b"").repeat(10_000));
    assert!(done(with(1_000, empty_parts).await.get(URL).await).contains("[cut: "));
    for answers in [
        (|_: &Request| gzip(b"this is not packed")) as Answers,
        |_| gzip(packed(b"hello").get(..12).unwrap()),
        |_| gzip(&[packed(b"hello").as_slice(), b"rubbish"].concat()),
        |_| {
            answer(
                200,
                &[("content-type", "text/plain"), ("content-encoding", "br")],
                "a",
            )
        },
        |_| {
            answer(
                200,
                &[("content-type", "text/plain"), ("content-encoding", "zstd")],
                "a",
            )
        },
        |_| {
            answer(
                200,
                &[
                    ("content-type", "text/plain"),
                    ("content-encoding", "deflate"),
                ],
                "a",
            )
        },
        |_| {
            answer(
                200,
                &[
                    ("content-type", "text/plain"),
                    ("content-encoding", "gzip, gzip"),
                ],
                packed(&packed(b"a")),
            )
        },
        |_| {
            answer(
                200,
                &[("content-encoding", "gzip"), ("content-encoding", "gzip")],
                packed(&packed(b"a")),
            )
        },
    ] {
        assert_eq!(
            code(&with(1_000, answers).await.get(URL).await),
            Some(Failed)
        );
    }
}

#[tokio::test]
async fn broken_answers_are_failures() {
    for answers in [
        (|_: &Request| Vec::new()) as Answers,
        |_| b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf".to_vec(),
        |_| b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n".to_vec(),
        |_| b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n".to_vec(),
        |_| b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab".to_vec(),
        |_| b"HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n".to_vec(),
        |_| b"HTTP/0.9 hello".to_vec(),
        |_| b"<html>no protocol at all</html>".to_vec(),
        |_| b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n".to_vec(),
        // More headers, or longer ones, than there is room for.
        |_| format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(129)).into_bytes(),
        |_| format!("HTTP/1.1 200 OK\r\na: {}\r\n\r\n", "b".repeat(70_000)).into_bytes(),
        |_| format!("HTTP/1.1 200 {}\r\n\r\n", "b".repeat(70_000)).into_bytes(),
        |_| {
            format!(
                "HTTP/1.1 302 Found\r\nlocation: /{}\r\n\r\n",
                "b".repeat(70_000)
            )
            .into_bytes()
        },
    ] {
        let stage = with(1_000, answers).await;
        let outcome = stage.get(URL).await;
        let said = String::from_utf8_lossy(&answers(&Request::default())).into_owned();
        let said: String = said.chars().take(60).collect();
        assert_eq!(code(&outcome), Some(Failed), "{said}: {outcome:?}");
    }
    let long = |_: &Request| answer(302, &[("location", &format!("/{}", "b".repeat(9_000)))], "");
    let stage = with(1_000, long).await;
    assert_eq!(
        code(&stage.get(URL).await),
        Some(folkmoot_core::tool::ToolErrorCode::NotAllowed)
    );
    let url = format!("{URL}{}", "a".repeat(9_000));
    assert_eq!(
        code(&stage.get(&url).await),
        Some(folkmoot_core::tool::ToolErrorCode::BadArguments)
    );
}

/// A server that says `first` and then no more, and tells when its client has gone.
async fn dragging(
    first: &'static [u8],
) -> (
    Stage,
    tokio::task::JoinHandle<()>,
    tokio::sync::oneshot::Receiver<()>,
) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stage = with(1_000_000, |_| Vec::new()).await;
    let mut fake = super::Fake::new(&stage.server);
    fake.server = listener.local_addr().unwrap();
    let outside = std::sync::Arc::new(fake);
    let settings = json!({ "use": "http.get", "allow": [{ "host": "http://good.example" }] });
    let tool = super::try_tool(&settings, outside).unwrap().tool;
    let (told, waits) = tokio::sync::oneshot::channel();
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut bytes = [0; 4096];
        assert_ne!(stream.read(&mut bytes).await.unwrap(), 0);
        stream.write_all(first).await.unwrap();
        told.send(()).unwrap();
        // The end of the stream, or a reset: the client has gone.
        while let Ok(1..) = stream.read(&mut bytes).await {}
    });
    (Stage { tool, ..stage }, served, waits)
}

#[tokio::test]
async fn a_call_that_is_dropped_leaves_its_server() {
    for first in [
        &b""[..],
        b"HTTP/1.1 200",
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n",
        b"HTTP/1.1 103 Early Hints\r\n\r\n",
    ] {
        let (stage, served, waits) = dragging(first).await;
        tokio::select! {
            outcome = stage.get(URL) => panic!("{outcome:?}"),
            said = waits => said.unwrap(),
        }
        // This ends because the connection does.
        served.await.unwrap();
    }
}

#[tokio::test]
async fn an_endless_text_is_left_at_its_limit() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stage = with(1_000, |_| Vec::new()).await;
    let mut fake = super::Fake::new(&stage.server);
    fake.server = listener.local_addr().unwrap();
    let settings = json!({ "use": "http.get", "allow": [{ "host": "http://good.example" }], "max_bytes": 50_000 });
    let tool = super::try_tool(&settings, std::sync::Arc::new(fake))
        .unwrap()
        .tool;
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
            .await
            .unwrap();
        // Until the client has gone.
        while stream.write_all(&[b'a'; 1024]).await.is_ok() {}
    });
    let text = done(tool.run(&crate::stage::call(json!({ "url": URL }))).await);
    assert!(text.ends_with("[cut: the content is longer than 50000 bytes]"));
    served.await.unwrap();
}
