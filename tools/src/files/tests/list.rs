use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use folkmoot_core::tool::ToolErrorCode;
use serde_json::json;

use super::Place;
use crate::stage::{build, call, done, failure};

async fn listed(place: &Place, settings: serde_json::Value, after: Option<&str>) -> String {
    let mut all = json!({ "use": "fs.list", "root": "root" });
    for (key, value) in settings.as_object().unwrap() {
        all[key] = value.clone();
    }
    let mut arguments = json!({ "path": "." });
    if let Some(after) = after {
        arguments["after"] = after.into();
    }
    let tool = build(&all, place.folder.path());
    done(tool.run(&call(arguments)).await)
}

#[tokio::test]
async fn folder_is_listed_with_kinds_and_sizes() {
    let place = Place::new();
    place.link("../secret", "root/link");
    fs::write(place.path("root/Z"), "").unwrap();
    drop(std::os::unix::net::UnixListener::bind(place.path("root/socket")).unwrap());
    assert_eq!(
        listed(&place, json!({}), None).await,
        "Z (0 bytes)\na.md (5 bytes)\ninner/\nlink (symbolic link)\nsocket (device, pipe or socket)"
    );
}

#[tokio::test]
async fn listing_is_cut_and_goes_on_behind_its_last_name() {
    let place = Place::new();
    for number in 0..40 {
        fs::write(place.path(&format!("root/{number:02}")), "").unwrap();
    }
    for settings in [json!({ "max_entries": 7 }), json!({ "model_bytes": 256 })] {
        let mut names = Vec::new();
        let mut left_off = 42;
        while left_off > 0 {
            let text = listed(&place, settings.clone(), names.last().map(String::as_str)).await;
            assert!(text.len() <= 256, "{text}");
            left_off = 0;
            for line in text.lines() {
                match line.strip_prefix("[cut: ") {
                    Some(cut) => left_off = cut.split(' ').next().unwrap().parse().unwrap(),
                    None => names.push(line.split([' ', '/']).next().unwrap().to_owned()),
                }
            }
            assert_eq!(names.len() + left_off, 42, "{text}");
        }
        let mut expected: Vec<String> = (0..40).map(|number| format!("{number:02}")).collect();
        expected.extend(["a.md".to_owned(), "inner".to_owned()]);
        assert_eq!(names, expected);
    }
}

#[tokio::test]
async fn listing_goes_on_behind_a_name_as_it_was_shown() {
    let place = Place::new();
    for name in [&b"tab\tname"[..], b"\"quoted\"", b"\xff\x01", b"\xff\x02"] {
        fs::write(place.path("root").join(OsStr::from_bytes(name)), "").unwrap();
    }
    let mut after = None;
    let mut names = Vec::new();
    for _ in 0..6 {
        let text = listed(&place, json!({ "max_entries": 1 }), after.as_deref()).await;
        let line = text.lines().next().unwrap();
        let line = line.strip_suffix(" (0 bytes)").unwrap_or(line);
        after = Some(line.trim_end_matches('/').replace(" (5 bytes)", ""));
        names.extend(after.clone());
    }
    let expected = [
        r#""\"quoted\"""#,
        "a.md",
        "inner",
        r#""tab\tname""#,
        r#""\xFF\u{1}" (no UTF-8)"#,
        r#""\xFF\u{2}" (no UTF-8)"#,
    ];
    assert_eq!(names, expected);
}

#[tokio::test]
async fn name_cannot_be_taken_for_lines_of_the_listing() {
    let place = Place::new();
    for name in ["x\ninner2", "\u{202e}gnp.a", "a (5 bytes) ", "[cut: 1\r"] {
        fs::write(place.path("root").join(name), "").unwrap();
    }
    assert_eq!(
        listed(&place, json!({}), None).await,
        r#""[cut: 1\r" (0 bytes)
"a (5 bytes) " (0 bytes)
a.md (5 bytes)
inner/
"x\ninner2" (0 bytes)
"\u{202e}gnp.a" (0 bytes)"#
    );
    let text = done(place.read(json!({ "path": "." })).await);
    assert_eq!(text.lines().count(), 6, "{text}");
}

#[tokio::test]
async fn file_is_not_listed() {
    let place = Place::new();
    let tool = place.tool("fs.list");
    let outcome = tool.run(&call(json!({ "path": "a.md" }))).await;
    let expected = (ToolErrorCode::BadArguments, "a.md is a file, not a folder");
    assert_eq!(failure(&outcome), expected);
}
