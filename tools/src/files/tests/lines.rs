use folkmoot_core::tool::ToolErrorCode;
use serde_json::json;

use super::Place;
use crate::stage::{build, call, done, failure};

#[tokio::test]
async fn part_of_a_file_is_read_by_lines() {
    let place = Place::new();
    for (text, line, lines, expected) in [
        ("a\nb\nc\n", 1, 9, "a\nb\nc\n"),
        ("a\nb\nc\n", 1, 3, "a\nb\nc\n"),
        ("a\nb\nc", 3, 1, "c"),
        ("a\nb\nc\n", 1, 1, "a\n[cut: the file goes on at line 2]"),
        ("a\nb\nc\n", 2, 1, "b\n[cut: the file goes on at line 3]"),
        ("a\nb\nc\n", 3, 1, "c\n"),
        ("a\nb\nc\n", 4, 1, ""),
        ("a\nb\nc\n", 900, 1, ""),
        ("\n\n\n", 2, 1, "\n[cut: the file goes on at line 3]"),
        ("a\r\nb\r\n", 2, 1, "b\r\n"),
        ("", 1, 1, ""),
        ("ä\nö", 2, 5, "ö"),
    ] {
        std::fs::write(place.path("root/a.md"), text).unwrap();
        let arguments = json!({ "path": "a.md", "line": line, "lines": lines });
        let found = done(place.read(arguments).await);
        assert_eq!(found, expected, "{text:?} {line} {lines}");
    }
    let from_third = done(place.read(json!({ "path": "a.md", "line": 2 })).await);
    assert_eq!(from_third, "ö");
}

#[tokio::test]
async fn long_lines_are_cut_and_can_be_read_on() {
    let place = Place::new();
    let mut whole: String = (0..60).map(|number| format!("line {number}\n")).collect();
    whole += &"€".repeat(300);
    whole += "\nthe end";
    std::fs::write(place.path("root/a.md"), &whole).unwrap();
    let settings = json!({ "use": "fs.read", "root": "root", "model_bytes": 256 });
    let tool = build(&settings, place.folder.path());
    let mut read = String::new();
    let mut next = json!({ "line": 1 });
    loop {
        next["path"] = "a.md".into();
        let text = done(tool.run(&call(next)).await);
        assert!(text.len() <= 256, "{}", text.len());
        let Some((part, note)) = text.rsplit_once("\n[cut: the file goes on at ") else {
            read.push_str(&text);
            break;
        };
        read.push_str(part);
        let (unit, number) = note.trim_end_matches(']').split_once(' ').unwrap();
        let number: u64 = number.parse().unwrap();
        if unit == "line" {
            read.push('\n');
        }
        next = json!({ unit: number });
    }
    assert_eq!(read, whole);
}

#[tokio::test]
async fn bytes_and_lines_are_not_mixed_and_what_is_no_text_is_refused() {
    let place = Place::new();
    for arguments in [
        json!({ "path": "a.md", "line": 1, "offset": 0 }),
        json!({ "path": "a.md", "lines": 1, "limit": 9 }),
    ] {
        let outcome = place.read(arguments).await;
        let expected = "give `offset` and `limit`, or `line` and `lines`";
        assert_eq!(failure(&outcome), (ToolErrorCode::BadArguments, expected));
    }
    std::fs::write(place.path("root/a.md"), b"\xff\nb\nc\0\n\xe2\x82").unwrap();
    for (line, is_text) in [(1, false), (2, true), (3, false), (4, false)] {
        let arguments = json!({ "path": "a.md", "line": line, "lines": 1 });
        let outcome = place.read(arguments).await;
        let is_done = matches!(outcome, folkmoot_core::tool::ToolOutcome::Done(_));
        assert_eq!(is_done, is_text, "{outcome:?}");
    }
}

#[tokio::test]
async fn line_that_says_where_to_go_on_is_within_what_a_log_keeps() {
    let place = Place::new();
    std::fs::write(place.path("root/long"), "find a line\n".repeat(20_000)).unwrap();
    for name in 0..900 {
        let name = format!("{name}{}", "n".repeat(100));
        std::fs::write(place.path("root/inner").join(name), "").unwrap();
    }
    let settings = [
        (json!({}), 48 * 1024),
        (json!({ "model_bytes": 1_000_000 }), 48 * 1024),
        (json!({ "output_bytes": 1000 }), 1000),
    ];
    for (settings, max) in settings {
        for (kind, arguments) in [
            ("fs.read", json!({ "path": "long" })),
            ("fs.read", json!({ "path": "long", "line": 1 })),
            ("fs.read", json!({ "path": "inner" })),
            ("fs.list", json!({ "path": "inner" })),
            ("fs.search", json!({ "path": "long", "pattern": "find" })),
        ] {
            let mut settings = settings.clone();
            settings["use"] = kind.into();
            settings["root"] = "root".into();
            if kind == "fs.search" {
                settings["max_matches"] = 20_000.into();
            }
            let tool = build(&settings, place.folder.path());
            let text = done(tool.run(&call(arguments)).await);
            let last = text.lines().last().unwrap();
            assert!(text.len() <= max, "{kind} {settings}: {}", text.len());
            assert!(last.starts_with("[cut: "), "{kind} {settings}: {last}");
        }
    }
}
