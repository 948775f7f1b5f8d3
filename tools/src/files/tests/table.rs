//! Every tool against the table of paths: each is let through or refused as it should, and nothing outside is touched.

use folkmoot_core::tool::{ToolErrorCode, ToolOutcome};
use serde_json::{Value, json};

use crate::stage::paths::{Leads, SECRET, To, Tree};
use crate::stage::{build, call};

use ToolErrorCode::{BadArguments, NotAllowed, NotFound};

/// What a tool does with a path that leads somewhere; `None`: its work.
type Expected = fn(Leads) -> Option<ToolErrorCode>;

/// What every tool does that follows no link and needs something to be there.
fn strictly(leads: Leads) -> Option<ToolErrorCode> {
    match leads {
        Leads::NoPath | Leads::NoFolder | Leads::Special => Some(BadArguments),
        Leads::Free | Leads::Nowhere => Some(NotFound),
        Leads::Link(_) | Leads::Through(_) => Some(NotAllowed),
        Leads::File | Leads::HardLink | Leads::Root | Leads::Folder | Leads::EmptyFolder => None,
    }
}

fn along_links(leads: Leads) -> Option<ToolErrorCode> {
    if let Leads::Link(to) | Leads::Through(to) = leads {
        match to {
            To::File | To::Folder => None,
            To::Out => Some(NotAllowed),
            To::Nothing => Some(NotFound),
            To::Loop => Some(BadArguments),
        }
    } else {
        strictly(leads)
    }
}

fn is_folder(leads: Leads) -> bool {
    matches!(leads, Leads::Root | Leads::Folder | Leads::EmptyFolder)
}

/// A written file takes the place of a link.
fn writing(leads: Leads) -> Option<ToolErrorCode> {
    if matches!(leads, Leads::Free | Leads::Link(_)) {
        None
    } else if is_folder(leads) {
        Some(BadArguments)
    } else {
        strictly(leads)
    }
}

fn writing_along_links(leads: Leads) -> Option<ToolErrorCode> {
    if leads == Leads::Through(To::Folder) {
        Some(BadArguments)
    } else if matches!(leads, Leads::Through(_)) {
        along_links(leads)
    } else {
        writing(leads)
    }
}

fn appending(leads: Leads) -> Option<ToolErrorCode> {
    if leads == Leads::Free {
        None
    } else if leads == Leads::HardLink {
        // Its other name may stand outside, and would grow with it.
        Some(NotAllowed)
    } else if is_folder(leads) {
        Some(BadArguments)
    } else {
        strictly(leads)
    }
}

/// Runs the tool of `settings` at each path of the table.
async fn hold(settings: Value, arguments: fn(&str) -> Value, expected: Expected) {
    let mut tree = Tree::new();
    assert!(tree.paths.len() >= 120, "{}", tree.paths.len());
    let texts = |outside: Vec<(std::path::PathBuf, String)>| -> Vec<String> {
        outside.into_iter().map(|(_, text)| text).collect()
    };
    let before = texts(tree.outside());
    for (path, leads) in tree.paths.clone() {
        let tool = build(&settings, tree.base());
        let outcome = tool.run(&call(arguments(&path))).await;
        let said = format!("{settings} {path:?} {leads:?}: {outcome:?}");
        match (&outcome, expected(leads)) {
            (ToolOutcome::Done(output), None) => {
                // A file inside has the same text as one outside if it is that file.
                let is_inside = |line: &str| {
                    leads == Leads::HardLink || line.split(':').next().unwrap().ends_with("hard")
                };
                let mut secrets = output.text.lines().filter(|line| line.contains(SECRET));
                assert!(secrets.all(is_inside), "{said}");
            }
            (ToolOutcome::Failed(failure), Some(code)) => assert_eq!(failure.code, code, "{said}"),
            _ => panic!("{said}"),
        }
        assert_eq!(texts(tree.outside()), before, "{said}");
        let changes = tool.spec().effect != folkmoot_core::tool::EffectClass::Read;
        if changes && matches!(outcome, ToolOutcome::Done(_)) {
            tree = Tree::new();
        }
    }
}

fn at(path: &str) -> Value {
    json!({ "path": path })
}

fn with_content(path: &str) -> Value {
    json!({ "path": path, "content": "new" })
}

/// A file has no entries.
fn listing(leads: Leads) -> Option<ToolErrorCode> {
    if matches!(leads, Leads::File | Leads::HardLink) {
        Some(BadArguments)
    } else {
        strictly(leads)
    }
}

#[tokio::test]
async fn listing_goes_along_no_link() {
    hold(json!({ "use": "fs.list", "root": "root" }), at, listing).await;
}

fn everything(path: &str) -> Value {
    json!({ "path": path, "pattern": ".", "all": true })
}

#[tokio::test]
async fn searching_goes_along_no_link_and_waits_for_no_device() {
    hold(
        json!({ "use": "fs.search", "root": "root" }),
        everything,
        strictly,
    )
    .await;
}

#[tokio::test]
async fn searching_along_links_stays_in_the_folder() {
    let settings = json!({ "use": "fs.search", "root": "root", "links": "follow" });
    hold(settings, everything, along_links).await;
}

#[tokio::test]
async fn reading_goes_along_no_link_and_waits_for_no_device() {
    hold(json!({ "use": "fs.read", "root": "root" }), at, strictly).await;
}

#[tokio::test]
async fn reading_along_links_stays_in_the_folder() {
    let settings = json!({ "use": "fs.read", "root": "root", "links": "follow" });
    hold(settings, at, along_links).await;
}

/// What a tool does that works on the name itself: a link on the way is followed if the tool is set so, and none at the end.
fn by_name(leads: Leads) -> Option<ToolErrorCode> {
    if leads == Leads::Root {
        Some(BadArguments)
    } else {
        strictly(leads)
    }
}

fn by_name_along_links(leads: Leads) -> Option<ToolErrorCode> {
    if matches!(leads, Leads::Through(_)) {
        along_links(leads)
    } else {
        by_name(leads)
    }
}

fn editing(leads: Leads) -> Option<ToolErrorCode> {
    if is_folder(leads) {
        Some(BadArguments)
    } else {
        by_name(leads)
    }
}

fn editing_along_links(leads: Leads) -> Option<ToolErrorCode> {
    if is_folder(leads) || leads == Leads::Through(To::Folder) {
        Some(BadArguments)
    } else {
        by_name_along_links(leads)
    }
}

fn deleting(leads: Leads) -> Option<ToolErrorCode> {
    if leads == Leads::Folder {
        Some(NotAllowed)
    } else {
        by_name(leads)
    }
}

fn deleting_along_links(leads: Leads) -> Option<ToolErrorCode> {
    if matches!(leads, Leads::Folder | Leads::Through(To::Folder)) {
        Some(NotAllowed)
    } else {
        by_name_along_links(leads)
    }
}

/// Nothing may stand where something is moved to, not even a link.
fn moving_to(leads: Leads) -> Option<ToolErrorCode> {
    match leads {
        Leads::Free => None,
        Leads::NoPath | Leads::NoFolder | Leads::Root => Some(BadArguments),
        Leads::Nowhere => Some(NotFound),
        Leads::File
        | Leads::HardLink
        | Leads::Folder
        | Leads::EmptyFolder
        | Leads::Special
        | Leads::Link(_)
        | Leads::Through(_) => Some(NotAllowed),
    }
}

fn edited(path: &str) -> Value {
    json!({ "path": path, "old": "a", "new": "the", "count": 1 })
}

fn moved_from(path: &str) -> Value {
    json!({ "from": path, "to": "moved" })
}

fn moved_to(path: &str) -> Value {
    json!({ "from": "inner/empty", "to": path })
}

#[tokio::test]
async fn editing_changes_nothing_outside() {
    let settings = |links| json!({ "use": "fs.edit", "root": "root", "links": links });
    hold(settings("refuse"), edited, editing).await;
    hold(settings("follow"), edited, editing_along_links).await;
}

#[tokio::test]
async fn moving_changes_nothing_outside() {
    let settings = |links| json!({ "use": "fs.move", "root": "root", "links": links });
    hold(settings("refuse"), moved_from, by_name).await;
    hold(settings("follow"), moved_from, by_name_along_links).await;
    hold(settings("refuse"), moved_to, moving_to).await;
}

#[tokio::test]
async fn deleting_changes_nothing_outside() {
    let settings = |links| json!({ "use": "fs.delete", "root": "root", "links": links });
    hold(settings("refuse"), at, deleting).await;
    hold(settings("follow"), at, deleting_along_links).await;
}

#[tokio::test]
async fn writing_changes_nothing_outside() {
    let settings = json!({ "use": "fs.write", "root": "root" });
    hold(settings, with_content, writing).await;
}

#[tokio::test]
async fn writing_along_links_changes_nothing_outside() {
    let settings = json!({ "use": "fs.write", "root": "root", "links": "follow" });
    hold(settings, with_content, writing_along_links).await;
}

#[tokio::test]
async fn appending_changes_nothing_outside() {
    let settings = json!({ "use": "fs.append", "root": "root" });
    hold(settings, with_content, appending).await;
}

/// Links that lead to what a process has open, whatever their text says.
#[tokio::test]
async fn links_of_the_kernel_lead_nowhere() {
    let base = std::path::Path::new("/");
    for links in ["refuse", "follow"] {
        let settings = json!({ "use": "fs.read", "root": "proc", "links": links });
        let tool = build(&settings, base);
        for path in [
            "self/root/etc/passwd",
            "self/root",
            "self/cwd",
            "self/exe",
            "self/fd/0",
            "thread-self/root/etc/passwd",
            "1/root/etc/passwd",
        ] {
            let outcome = tool.run(&call(at(path))).await;
            assert!(
                matches!(outcome, ToolOutcome::Failed(_)),
                "{links} {path}: {outcome:?}"
            );
        }
    }
}
