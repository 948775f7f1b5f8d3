//! Folders and files that are swapped for links which lead out, while tools go through them.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use folkmoot_core::tool::{ToolErrorCode, ToolOutcome};
use serde_json::{Value, json};

use super::Place;
use crate::files::{StopOnDrop, StopSign};
use crate::stage::{build, call};

/// How often names are swapped, unless `FOLKMOOT_LINK_SWAPS` says otherwise.
const SWAPS: u32 = 2000;

fn swaps_min() -> u32 {
    match std::env::var("FOLKMOOT_LINK_SWAPS") {
        Ok(swaps) => swaps.parse().unwrap(),
        Err(_) => SWAPS,
    }
}

/// The text of each file outside.
const FORBIDDEN: &str = "forbidden";

/// Names under which a thing stands now, now a link to one outside, and now nothing.
const SWAPPED: [(&str, &str, &str); 2] = [
    ("folder", "real", "../other"),
    ("file", "real_file", "../secret"),
];

/// What tools are asked for, again and again.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("fs.read", json!({ "path": "folder/secret" })),
        ("fs.read", json!({ "path": "file" })),
        ("fs.list", json!({ "path": "folder" })),
        ("fs.search", json!({ "path": ".", "pattern": "." })),
        ("fs.search", json!({ "path": "folder", "pattern": "." })),
        (
            "fs.write",
            json!({ "path": "folder/secret", "content": "public" }),
        ),
        ("fs.append", json!({ "path": "folder/log", "content": "." })),
        ("fs.append", json!({ "path": "file", "content": " " })),
        (
            "fs.edit",
            json!({ "path": "folder/secret", "old": "public", "new": "public" }),
        ),
        (
            "fs.edit",
            json!({ "path": "file", "old": "public", "new": "public" }),
        ),
        (
            "fs.move",
            json!({ "from": "folder/secret", "to": "folder/moved" }),
        ),
        (
            "fs.move",
            json!({ "from": "folder/moved", "to": "folder/secret" }),
        ),
        ("fs.delete", json!({ "path": "folder/log" })),
        ("fs.delete", json!({ "path": "folder/moved" })),
    ]
}

/// Swaps until `done`.
fn swap(root: &Path, swaps: &AtomicU32, done: &StopSign) {
    let at = |name| root.join(name);
    while done.check().is_ok() {
        for (name, real, outside) in SWAPPED {
            std::fs::rename(at(real), at(name)).unwrap();
            std::fs::rename(at(name), at(real)).unwrap();
            // A new link each time: a tool that writes may take the place of one.
            symlink(outside, at("link")).unwrap();
            std::fs::rename(at("link"), at(name)).unwrap();
            std::fs::remove_file(at(name)).unwrap();
        }
        swaps.fetch_add(1, Ordering::Relaxed);
    }
}

/// All that stands outside of the root.
fn outside(place: &Place) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in [".", "other"] {
        for entry in std::fs::read_dir(place.path(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            found.push((path.display().to_string(), text));
        }
    }
    found.sort();
    found
}

fn staged() -> Place {
    let place = Place::in_memory();
    std::fs::create_dir(place.path("root/real")).unwrap();
    for (name, text) in [
        ("root/real/secret", "public"),
        ("root/real_file", "public"),
        ("secret", FORBIDDEN),
        ("other/secret", FORBIDDEN),
        ("other/log", FORBIDDEN),
        ("other/only_outside", FORBIDDEN),
    ] {
        std::fs::write(place.path(name), text).unwrap();
    }
    place
}

/// Runs every call until there were enough swaps, and until some were let in and some met a link.
async fn race(links: &str) {
    let place = staged();
    let before = outside(&place);
    let (swaps, done) = (Arc::new(AtomicU32::new(0)), StopSign::default());
    let swapping = std::thread::spawn({
        let (root, swaps, done) = (place.path("root"), Arc::clone(&swaps), done.clone());
        move || swap(&root, &swaps, &done)
    });
    let guard = StopOnDrop(done);
    let tools: Vec<_> = calls()
        .into_iter()
        .map(|(kind, arguments)| {
            let settings = json!({ "use": kind, "root": "root", "links": links });
            (build(&settings, place.folder.path()), call(arguments))
        })
        .collect();
    let mut let_in = vec![0_u32; tools.len()];
    let mut refused = vec![0_u32; tools.len()];
    // A search of everything goes past a link, and is not refused.
    let meets_links: Vec<bool> = calls()
        .iter()
        .map(|(_, arguments)| arguments["path"] != ".")
        .collect();
    let met_both = |let_in: &[u32], refused: &[u32]| {
        let mut links = refused
            .iter()
            .zip(&meets_links)
            .filter(|(_, meets_links)| **meets_links);
        links.all(|(times, _)| *times > 0) && let_in.iter().all(|times| *times > 0)
    };
    while swaps.load(Ordering::Relaxed) < swaps_min() || !met_both(&let_in, &refused) {
        for (number, (tool, call)) in tools.iter().enumerate() {
            match tool.run(call).await {
                ToolOutcome::Done(output) => {
                    let is_outside = ["only_outside", FORBIDDEN]
                        .iter()
                        .any(|word| output.text.contains(word));
                    assert!(!is_outside, "{:?}: {output:?}", call.arguments);
                    let_in[number] += 1;
                }
                ToolOutcome::Failed(failure) => {
                    refused[number] += u32::from(failure.code == ToolErrorCode::NotAllowed);
                }
                ToolOutcome::NeedsInput(question) => panic!("{question:?}"),
            }
        }
        assert_eq!(outside(&place), before);
        assert!(!swapping.is_finished(), "nothing is swapped any more");
    }
    drop(guard);
    swapping.join().unwrap();
    println!(
        "{} swaps, let in {let_in:?}, refused {refused:?}",
        swaps.load(Ordering::Relaxed)
    );
    assert_eq!(outside(&place), before);
}

#[tokio::test]
async fn a_link_that_is_swapped_in_meanwhile_does_not_lead_out() {
    race("refuse").await;
}

#[tokio::test]
async fn a_link_that_is_swapped_in_and_may_be_followed_does_not_lead_out() {
    race("follow").await;
}
