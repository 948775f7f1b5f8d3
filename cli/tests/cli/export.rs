//! `export`: a world written down.

use std::fs;

use serde_json::Value;

use crate::desk::{Desk, GATE, example};

fn told() -> Desk {
    let desk = Desk::new();
    desk.run(&["run", &example("release-room.yaml")]).expect(0);
    desk
}

#[test]
fn every_form_goes_to_standard_output_unless_a_file_is_named() {
    let desk = told();
    for (form, begins) in [
        ("md", "# release-room\n"),
        ("jsonl", "{\"folkmoot_export\":1,"),
        ("html", "<!doctype html>\n"),
    ] {
        let all = desk
            .run(&["export", "release-room", "--format", form])
            .expect(0);
        assert!(all.out.starts_with(begins) && all.err.is_empty(), "{all:?}");
        assert_eq!(
            desk.run(&["export", "release-room", "--format", form, "-o", "-"])
                .expect(0)
                .out,
            all.out
        );
        let named = desk
            .run(&["export", "release-room", "--format", form, "-o", form])
            .expect(0);
        assert_eq!(
            (
                named.out.as_str(),
                fs::read_to_string(desk.path(form)).unwrap()
            ),
            ("", all.out)
        );
    }
}

#[test]
fn a_file_that_exists_is_kept_unless_it_may_be_overwritten() {
    let desk = told();
    desk.write("report.html", "mine");
    let export = [
        "export",
        "release-room",
        "--format",
        "html",
        "-o",
        "report.html",
    ];
    desk.run(&export)
        .expect(2)
        .err_has("report.html exists")
        .err_has("--force");
    assert_eq!(
        fs::read_to_string(desk.path("report.html")).unwrap(),
        "mine"
    );
    desk.run(&[export.as_slice(), &["--force"]].concat())
        .expect(0);
    assert!(
        fs::read_to_string(desk.path("report.html"))
            .unwrap()
            .starts_with("<!doctype html>")
    );
    let names: Vec<_> = fs::read_dir(desk.dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        names
            .iter()
            .all(|name| !name.to_string_lossy().ends_with(".part")),
        "{names:?}"
    );
}

#[test]
fn what_cannot_be_written_leaves_nothing_behind() {
    let desk = told();
    desk.run(&["export", "nowhere", "--format", "md", "-o", "x.md"])
        .expect(3)
        .err_has("nowhere");
    desk.run(&[
        "export",
        "release-room",
        "--format",
        "md",
        "-o",
        "no/such/x.md",
    ])
    .expect(2)
    .err_has("cannot write");
    desk.run(&["export", "release-room", "--format", "pdf"])
        .expect(2)
        .err_has("jsonl");
    assert!(!desk.path("x.md").exists());
}

#[test]
fn lines_agree_with_the_log() {
    let desk = told();
    let lines = desk
        .run(&["export", "release-room", "--format", "jsonl"])
        .expect(0)
        .values();
    let log = desk
        .run(&["log", "release-room", "--json"])
        .expect(0)
        .values();
    let of = |event: &Value| {
        [
            event["position"].clone(),
            event["kind"].clone(),
            event["facts"].clone(),
            event["content"].clone(),
        ]
    };
    assert_eq!(lines[0]["head"], 41);
    assert_eq!(
        lines[1..].iter().map(of).collect::<Vec<_>>(),
        log.iter().map(of).collect::<Vec<_>>()
    );
    let links = lines[1..]
        .iter()
        .filter(|line| line["commit"]["link"].is_string())
        .count();
    let events: u64 = lines[1..]
        .iter()
        .filter_map(|line| line["commit"]["events"].as_u64())
        .sum();
    assert_eq!((links, events), (24, 41));
}

#[test]
fn a_report_tells_of_the_approval_and_the_run() {
    let page = told()
        .run(&["export", "release-room", "--format", "html"])
        .expect(0)
        .out;
    for part in [
        "<h1>release-room</h1>",
        "<title>run_command (tool)</title>",
        "worker asks to run <b>run_command</b>",
        "allowed</span> by <b>ada</b>",
        "re-decision",
        "no anchor of this world was given",
    ] {
        assert!(page.contains(part), "no {part:?} in {page}");
    }
}

#[test]
fn what_people_write_is_not_alive_in_a_report() {
    let desk = Desk::new();
    let alive = r#"</svg><script>alert(1)</script><img src=x onerror=alert(1)>"#;
    let room = GATE
        .replace("Please push", &format!("'{alive}'"))
        .replace("branch: main", &format!("branch: '{alive}'"));
    desk.write("gate.yaml", &room);
    desk.run(&["run", "gate.yaml"]).expect(4);
    let page = desk
        .run(&["export", "gate", "--format", "html"])
        .expect(0)
        .out;
    assert!(
        !page.contains("<script") && !page.contains("<img") && page.contains("&lt;script&gt;"),
        "{page}"
    );
    let text = desk
        .run(&["export", "gate", "--format", "md"])
        .expect(0)
        .out;
    assert!(
        text.lines()
            .all(|line| !line.contains("<script") || line.starts_with("> ")),
        "{text}"
    );
}
