use std::fs;

use folkmoot_core::tool::{ToolErrorCode, ToolOutcome};
use serde_json::{Value, json};

use super::Place;
use crate::files::lines::Lines;
use crate::files::search::{Limits, search};
use crate::files::{StopOnDrop, StopSign};
use crate::stage::{build, call, done, failure};

impl Place {
    fn file(&self, name: &str, text: &str) {
        let path = self.path("root").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    async fn outcome(&self, settings: Value, arguments: Value) -> ToolOutcome {
        let mut all = json!({ "use": "fs.search", "root": "root" });
        merge(&mut all, settings);
        let mut given = json!({ "path": ".", "pattern": "find" });
        merge(&mut given, arguments);
        let tool = build(&all, self.folder.path());
        tool.run(&call(given)).await
    }

    async fn found(&self, arguments: Value) -> String {
        done(self.outcome(json!({}), arguments).await)
    }
}

fn merge(all: &mut Value, more: Value) {
    let Value::Object(more) = more else {
        panic!("{more}")
    };
    all.as_object_mut().unwrap().extend(more);
}

#[tokio::test]
async fn lines_are_found_in_the_order_of_paths_with_their_numbers() {
    let place = Place::new();
    place.file("b/2.md", "x\nfind me\r\n\nand find me\n");
    place.file("b/10.md", "no\nfind");
    place.file("Z.md", "Find\nfinding");
    assert_eq!(
        place.found(json!({})).await,
        "Z.md:2: finding\nb/10.md:2: find\nb/2.md:2: find me\nb/2.md:4: and find me\n\
         [lines: 4; files searched: 5]"
    );
    for (arguments, expected) in [
        (
            json!({ "path": "b/10.md" }),
            "b/10.md:2: find\n[lines: 1; files searched: 1]",
        ),
        (
            json!({ "path": "b", "pattern": "^find$" }),
            "b/10.md:2: find\n[lines: 1; files searched: 2]",
        ),
        (
            json!({ "ignore_case": true, "files": "*.md", "pattern": "FIND$" }),
            "Z.md:1: Find\nb/10.md:2: find\n[lines: 2; files searched: 5]",
        ),
        (
            json!({ "files": "b/2*" }),
            "b/2.md:2: find me\nb/2.md:4: and find me\n[lines: 2; files searched: 1]",
        ),
        (json!({ "files": "!*.md" }), "[lines: 0; files searched: 0]"),
        (
            json!({ "pattern": "find.*", "literal": true }),
            "[lines: 0; files searched: 5]",
        ),
    ] {
        assert_eq!(
            place.found(arguments.clone()).await,
            expected,
            "{arguments}"
        );
    }
}

#[tokio::test]
async fn hidden_and_ignored_files_are_searched_when_asked_for() {
    let place = Place::new();
    place.file(".gitignore", "built/\n*.log\n!keep.log\n[broken\n");
    place.file("inner/.gitignore", "/only_here\n");
    for name in [
        ".env",
        ".git/config",
        "built/a",
        "inner/built/a",
        "a.log",
        "inner/keep.log",
        "inner/only_here",
        "only_here",
        "inner/deep/only_here",
    ] {
        place.file(name, "find");
    }
    let names = |text: String| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('['));
        lines
            .map(|line| line.split(':').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        names(place.found(json!({})).await),
        ["inner/deep/only_here", "inner/keep.log", "only_here"]
    );
    assert_eq!(
        names(place.found(json!({ "path": "inner" })).await),
        ["inner/deep/only_here", "inner/keep.log"],
        "the files above count as well"
    );
    assert_eq!(
        names(place.found(json!({ "path": "built" })).await),
        ["built/a"]
    );
    assert_eq!(names(place.found(json!({ "all": true })).await).len(), 9);
}

#[tokio::test]
async fn ignore_files_have_room_for_so_many_lines_together() {
    let place = Place::new();
    place.file(
        ".gitignore",
        &("# why\n".to_owned() + &"a?*.x\n".repeat(1500)),
    );
    place.file("b/.gitignore", &("a?*.x\n".repeat(499) + "one\ntwo\n"));
    place.file("c/.gitignore", &("a?*.x\n".repeat(499) + "one\ntwo\n"));
    place.file("d/.gitignore", &("#".repeat(60_000) + "\none\ntwo\n"));
    // Cut within its second line, which would become one that ignores all.
    place.file("e/.gitignore", &("#".repeat(65_534 - 9006) + "\n*.x\n"));
    for folder in ["b", "c", "d", "e"] {
        place.file(&format!("{folder}/one"), "find");
        place.file(&format!("{folder}/two"), "find");
    }
    assert_eq!(
        place.found(json!({})).await,
        "b/two:1: find\nc/two:1: find\nd/one:1: find\nd/two:1: find\n\
         e/one:1: find\ne/two:1: find\n[lines: 6; files searched: 8]"
    );
}

#[tokio::test]
async fn search_has_bounds_and_says_when_they_cut_it() {
    let place = Place::new();
    place.file("a", &"find\n".repeat(50));
    place.file("b", &"find\n".repeat(50));
    place.file("large", &("find\n".to_owned() + &"x".repeat(2000)));
    let found = async |settings| done(place.outcome(settings, json!({})).await);
    let text = found(json!({ "max_matches": 60 })).await;
    assert!(
        text.ends_with("b:10: find\n[cut: more than these lines: 60; files searched: 3]"),
        "{text}"
    );
    let text = found(json!({ "model_bytes": 256 })).await;
    assert!(
        text.contains("\n[cut: more than ") && text.len() <= 256,
        "{text}"
    );
    let text = found(json!({ "max_matches": 100, "max_bytes": 1000 })).await;
    assert!(
        text.ends_with("[lines: 100; files searched: 4; left out: 1]"),
        "{text}"
    );
    place.file("long", &"find ".repeat(1000));
    let text = place.found(json!({ "path": "long" })).await;
    assert!(text.len() < 600 && text.contains('…'), "{text}");
}

#[tokio::test]
async fn file_with_a_line_without_end_is_left_out() {
    let place = Place::new();
    place.file("b", &("find\n".to_owned() + &"find ".repeat(100_000)));
    place.file("c", &"find a line\n".repeat(100_000));
    place.file("d", "find");
    assert_eq!(
        place.found(json!({ "pattern": "^find$" })).await,
        "b:1: find\nd:1: find\n[lines: 2; files searched: 5; left out: 1]"
    );
    let outcome = place.outcome(json!({}), json!({ "path": "b", "pattern": "^find$" }));
    let expected = "b has a line of more than 262144 bytes";
    assert_eq!(failure(&outcome.await), (ToolErrorCode::TooLarge, expected));
}

#[tokio::test]
async fn pattern_whose_search_would_take_hours_is_refused() {
    let place = Place::new();
    for pattern in ["(?:1?1?){10000}[^1]", "[01]{20000}[^01]"] {
        let outcome = place.outcome(json!({}), json!({ "pattern": pattern }));
        assert_eq!(failure(&outcome.await).0, ToolErrorCode::BadArguments);
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_and_folders_without_end_are_left() {
    let place = Place::new();
    fs::write(place.path("root/binary"), b"\0find").unwrap();
    fs::write(place.path("root/latin"), b"find caf\xe9").unwrap();
    place.file(&("d/".repeat(40) + "deep"), "find");
    assert_eq!(
        place.found(json!({})).await,
        "latin:1: find caf\u{fffd}\n[lines: 1; files searched: 4; left out: 1]"
    );
}

#[tokio::test]
async fn link_is_not_gone_along_and_a_name_makes_no_line() {
    let place = Place::new();
    place.link("../other", "root/out");
    place.link("../secret", "root/file");
    place.file("x\ny:1: find", "find");
    for links in ["refuse", "follow"] {
        let arguments = json!({ "pattern": "secret|find", "all": true });
        let outcome = place.outcome(json!({ "links": links }), arguments).await;
        let expected = "\"x\\ny:1: find\":1: find\n[lines: 1; files searched: 3]";
        assert_eq!(outcome, ToolOutcome::text(expected));
    }
}

#[tokio::test]
async fn pattern_that_cannot_be_used_is_told() {
    let place = Place::new();
    for (arguments, why) in [
        (json!({ "pattern": "(" }), "the pattern cannot be used: "),
        (json!({ "pattern": "a\nb" }), "the pattern cannot be used: "),
        (
            json!({ "pattern": "((a{1000}){1000}){1000}" }),
            "the pattern cannot be used: ",
        ),
        (json!({ "files": "[" }), "`files` is no glob: "),
        (
            json!({ "files": "#a" }),
            "`files` is no glob: it says nothing",
        ),
        (
            json!({ "files": " " }),
            "`files` is no glob: it says nothing",
        ),
    ] {
        let outcome = place.outcome(json!({}), arguments).await;
        let (code, said) = failure(&outcome);
        assert_eq!(code, ToolErrorCode::BadArguments);
        assert!(said.starts_with(why), "{said}");
    }
}

#[test]
fn search_that_nobody_waits_for_any_more_ends() {
    let place = Place::new();
    let stop = StopSign::default();
    drop(StopOnDrop(stop.clone()));
    let limits = Limits {
        matches_max: 100,
        file_bytes_max: 1000,
    };
    for path in [".", "a.md"] {
        let arguments = serde_json::from_value(json!({ "path": path, "pattern": "x" })).unwrap();
        let failure =
            search(&place.root(), &arguments, limits, Lines::new(1000), &stop).unwrap_err();
        assert_eq!(failure.code, ToolErrorCode::TimedOut, "{path}");
    }
}
