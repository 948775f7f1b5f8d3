//! A person whose client is in JavaScript: a process of node.

use std::path::Path;
use std::process::Stdio;

use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::Command;

use crate::people::Show;
use crate::record::{Decided, FeedRecord, Piece, Post, Received, RoomRecord};

/// Tells whether there is a node that knows what the client needs.
pub(crate) fn is_there() -> bool {
    let version = std::process::Command::new("node").arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let major = version.ok().and_then(|text| {
        let (major, _) = text.strip_prefix('v')?.split_once('.')?;
        major.parse::<u32>().ok()
    });
    major.is_some_and(|major| major >= 20)
}

/// Something that the person sent or received.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Line {
    Posted { posted: Post },
    Decided { decided: Decided },
    Draft { draft: Piece },
    Item(Received),
}

/// The life of the room with this number, of one person, until the show is over.
pub(crate) async fn play(mut show: Show, number: usize) -> RoomRecord {
    let owner = format!("node-{number}");
    let world = show.open(&owner).await;
    let person = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/person.mjs");
    let mut command = Command::new("node");
    command
        .arg(person)
        .args([&show.urls[0], &owner, &world])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let mut node = command.spawn().unwrap();
    let mut lines = BufReader::new(node.stdout.take().unwrap()).lines();
    let stdin = node.stdin.take();
    let mut stderr = node.stderr.take().unwrap();
    let said = tokio::spawn(async move {
        let mut said = String::new();
        stderr.read_to_string(&mut said).await.unwrap();
        said
    });
    let ended = tokio::spawn(async move {
        drop(show.goes_on.wait_for(|goes_on| !goes_on).await);
        drop(stdin);
    });
    let mut feed = FeedRecord::default();
    let mut posts = Vec::new();
    let mut decided = Vec::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        match serde_json::from_str(&line).unwrap() {
            Line::Posted { posted } => posts.push(posted),
            Line::Decided { decided: it } => decided.push(it),
            Line::Draft { draft } => feed.draft(draft),
            Line::Item(item) => {
                show.items_seen.send_modify(|seen| *seen += 1);
                feed.items.push(item);
            }
        }
    }
    let status = node.wait().await.unwrap();
    assert!(
        status.success(),
        "{world}: {status}: {}",
        said.await.unwrap()
    );
    ended.await.unwrap();
    RoomRecord {
        world,
        owner,
        posts,
        decided,
        feeds: vec![feed],
    }
}
