//! Sockets and bodies that never end, and readers who never read.

use folkmoot_server::ServerLimits;

use super::harness::{Client, Served, request};

/// The most that the attacks of this file may add to the memory of the process, in KiB.
const GROWTH_MAX_KIB: u64 = 64 * 1024;

async fn socket(served: &Served, room: &str, name: &str) -> Client {
    let mut client = served.client().await;
    let head = format!(
        "GET /v1/worlds/{room}/socket HTTP/1.1\r\nhost: localhost\r\nx-name: {name}\r\n\
         upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n\
         sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    client.send(head.as_bytes()).await;
    client.read_until("\r\n\r\n").await;
    client
}

/// A masked frame whose mask is zero.
fn frame(opcode: u8, bytes: &[u8]) -> Vec<u8> {
    let mut frame = head_of_frame(opcode, bytes.len() as u64);
    frame.extend_from_slice(bytes);
    frame
}

fn head_of_frame(opcode: u8, length: u64) -> Vec<u8> {
    let mut head = vec![0x80 | opcode];
    match u8::try_from(length) {
        Ok(short) if short < 126 => head.push(0x80 | short),
        _ => {
            head.push(0x80 | 127);
            head.extend_from_slice(&length.to_be_bytes());
        }
    }
    head.extend_from_slice(&[0; 4]);
    head
}

#[tokio::test]
async fn frames_that_are_too_long_or_no_text_end_the_socket() {
    let _alone = super::ALONE.lock().await;
    let served = Served::with(ServerLimits::default()).await;
    let room = served.room().await;
    let before = resident_kib();
    let piece = vec![b'a'; 1 << 20];
    for name in 0..8 {
        let mut client = socket(&served, &room, &format!("c{name}")).await;
        client.send(&frame(1, br#"{"type":"hello"}"#)).await;
        client.send(&head_of_frame(1, 100 << 20)).await;
        for _ in 0..100 {
            if !client.send(&piece).await {
                break;
            }
        }
        client.answer().await;
    }
    let mut letters = socket(&served, &room, "letters").await;
    letters.send(&frame(1, br#"{"type":"hello"}"#)).await;
    letters.send(&frame(1, b"\xff\xfe")).await;
    letters.answer().await;
    assert!(resident_kib() < before + GROWTH_MAX_KIB);
    served.serves_others().await;
}

#[tokio::test]
async fn flood_of_commands_is_answered_with_the_limit() {
    let _alone = super::ALONE.lock().await;
    let served = Served::with(ServerLimits::default()).await;
    let room = served.room().await;
    let mut client = socket(&served, &room, "flooder").await;
    client.send(&frame(1, br#"{"type":"hello"}"#)).await;
    for n in 0..200 {
        let command = format!(r#"{{"type":"post","id":"k{n}","text":"x"}}"#);
        client.send(&frame(1, command.as_bytes())).await;
    }
    client.read_until("limit_reached").await;
    served.serves_others().await;
}

#[tokio::test]
async fn flood_of_connections_is_turned_away() {
    let _alone = super::ALONE.lock().await;
    let served = Served::with(ServerLimits::default()).await;
    let room = served.room().await;
    let mut last = String::new();
    for _ in 0..11 {
        let mut client = socket(&served, &room, "comer").await;
        client.send(&frame(1, br#"{"type":"hello"}"#)).await;
        client.send(&frame(8, &1000_u16.to_be_bytes())).await;
        last = client.answer().await.text;
    }
    assert!(last.contains("limit_reached"), "{last:?}");
    served.serves_others().await;
}

#[tokio::test]
async fn bodies_without_an_end_are_cut_off() {
    let _alone = super::ALONE.lock().await;
    let served = Served::with(ServerLimits::default()).await;
    let room = served.room().await;
    let before = resident_kib();
    let piece = format!("10000\r\n{}\r\n", "a".repeat(0x10000));
    for below in ["messages", "blobs?name=a.txt"] {
        let mut client = served.client().await;
        let head = format!(
            "POST /v1/worlds/{room}/{below} HTTP/1.1\r\nhost: localhost\r\n\
             content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
        );
        client.send(head.as_bytes()).await;
        let mut sent = 0;
        while client.send(piece.as_bytes()).await {
            sent += 1;
            assert!(sent < 100_000, "the server reads for ever");
        }
        let answer = client.answer().await;
        assert!(matches!(answer.status, 0 | 413), "{}", answer.text);
    }
    assert!(resident_kib() < before + GROWTH_MAX_KIB);
    served.serves_others().await;
}

#[tokio::test]
async fn readers_who_never_read_cost_little_and_hold_up_nobody() {
    let _alone = super::ALONE.lock().await;
    let served = Served::with(ServerLimits {
        commands_per_minute: std::num::NonZeroU32::MAX,
        ..ServerLimits::default()
    })
    .await;
    let room = served.room().await;
    let feed = format!("/v1/worlds/{room}/feed");
    let mut idle = Vec::new();
    for _ in 0..20 {
        let mut client = served.client().await;
        client.send(&request("GET", &feed, "")).await;
        idle.push(client);
    }
    let before = resident_kib();
    let path = format!("/v1/worlds/{room}/messages");
    let body = format!(r#"{{"text":"{}"}}"#, "a".repeat(7_900));
    for _ in 0..1_000 {
        assert_eq!(served.ask("POST", &path, &body).await.status, 201);
    }
    // 20 readers would hold 160 MB of what was said.
    assert!(resident_kib() < before + GROWTH_MAX_KIB);
    served.serves_others().await;
}

/// The memory of this process, in KiB.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.unwrap().parse().unwrap()
}
