use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::Arc;

use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{PathArguments, ToolErrorCode, ToolOutcome};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Links, Root, StopOnDrop, StopSign};
use crate::stage::{build, call, failure};

mod changes;
mod lines;
mod list;
mod race;
mod real_time;
mod search;
#[cfg(target_os = "linux")]
mod table;

/// A root with a few files, and a secret beside it.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self::within(tempfile::tempdir().unwrap())
    }

    /// In memory where that can be: what is written is synced.
    fn in_memory() -> Self {
        let in_memory = tempfile::tempdir_in("/dev/shm");
        Self::within(in_memory.or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn within(folder: TempDir) -> Self {
        let place = Self { folder };
        std::fs::create_dir_all(place.path("root/inner")).unwrap();
        std::fs::create_dir(place.path("other")).unwrap();
        std::fs::write(place.path("root/a.md"), "hello").unwrap();
        std::fs::write(place.path("root/inner/b.md"), "inside").unwrap();
        std::fs::write(place.path("secret"), "secret").unwrap();
        std::fs::write(place.path("other/secret"), "secret").unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn link(&self, to: &str, name: &str) {
        symlink(to, self.path(name)).unwrap();
    }

    fn root(&self) -> Root {
        let authority = cap_std::ambient_authority();
        Root {
            dir: cap_std::fs::Dir::open_ambient_dir(self.path("root"), authority).unwrap(),
            links: Links::Refuse,
        }
    }

    fn tool(&self, kind: &str) -> Arc<dyn Tool> {
        build(&json!({ "use": kind, "root": "root" }), self.folder.path())
    }

    async fn read(&self, arguments: Value) -> ToolOutcome {
        self.tool("fs.read").run(&call(arguments)).await
    }

    async fn write(&self, path: &str, content: &str) -> ToolOutcome {
        self.tool("fs.write")
            .run(&call(json!({ "path": path, "content": content })))
            .await
    }

    async fn append(&self, path: &str, content: &str) -> ToolOutcome {
        self.tool("fs.append")
            .run(&call(json!({ "path": path, "content": content })))
            .await
    }
}

/// Ways out of `root`. Each names something that exists, or whose folder does.
fn ways_out(place: &Place) -> Vec<String> {
    place.link("../secret", "root/file_link");
    place.link("..", "root/folder_link");
    place.link("../../other", "root/inner/up");
    place.link("file_link", "root/second_link");
    place.link("../new", "root/dangling");
    symlink(place.path("secret"), place.path("root/absolute_link")).unwrap();
    [
        "../secret",
        "inner/../../secret",
        "./../other/secret",
        "folder_link/secret",
        "folder_link/other/secret",
        "inner/up/../secret",
        "..",
        "../new",
        "folder_link/new",
    ]
    .map(ToOwned::to_owned)
    .into_iter()
    .chain([
        place.path("secret").to_str().unwrap().to_owned(),
        place.path("root/a.md").to_str().unwrap().to_owned(),
    ])
    .collect()
}

const LINKS_OUT: [&str; 4] = ["file_link", "second_link", "dangling", "absolute_link"];

fn untouched(place: &Place, what: &str) {
    assert_eq!(
        (place.text("secret"), place.text("other/secret")),
        ("secret".into(), "secret".into()),
        "{what}"
    );
    assert!(!place.path("new").exists(), "{what}");
}

#[tokio::test]
async fn nothing_outside_the_root_is_read() {
    let place = Place::new();
    for path in ways_out(&place).iter().map(String::as_str).chain(LINKS_OUT) {
        let outcome = place.read(json!({ "path": path })).await;
        let code = failure(&outcome).0;
        assert!(
            matches!(
                code,
                ToolErrorCode::NotAllowed | ToolErrorCode::BadArguments
            ),
            "{path}: {outcome:?}"
        );
        let following = build(
            &json!({ "use": "fs.read", "root": "root", "links": "follow" }),
            place.folder.path(),
        );
        let outcome = following.run(&call(json!({ "path": path }))).await;
        let code = failure(&outcome).0;
        let is_refused = matches!(
            code,
            ToolErrorCode::NotAllowed | ToolErrorCode::BadArguments
        );
        assert!(is_refused || path == "dangling", "{path}: {outcome:?}");
    }
}

#[tokio::test]
async fn nothing_outside_the_root_is_written() {
    let place = Place::new();
    for path in ways_out(&place) {
        for outcome in [
            place.write(&path, "gone").await,
            place.append(&path, "gone").await,
        ] {
            let code = failure(&outcome).0;
            assert!(
                matches!(
                    code,
                    ToolErrorCode::NotAllowed | ToolErrorCode::BadArguments
                ),
                "{path}: {outcome:?}"
            );
        }
        untouched(&place, &path);
    }
    for path in LINKS_OUT {
        let outcome = place.append(path, "gone").await;
        assert_eq!(failure(&outcome).0, ToolErrorCode::NotAllowed, "{path}");
        untouched(&place, path);
    }
}

#[tokio::test]
async fn a_written_file_replaces_a_link_and_not_what_it_names() {
    let place = Place::new();
    ways_out(&place);
    for path in LINKS_OUT {
        assert!(
            matches!(place.write(path, "mine").await, ToolOutcome::Done(_)),
            "{path}"
        );
        untouched(&place, path);
        assert!(!place.path("root").join(path).is_symlink());
        assert_eq!(place.text(&format!("root/{path}")), "mine");
    }
}

/// Each names a file that is there, if all spellings were taken.
const SPELLINGS: [(&str, bool); 16] = [
    ("a.md", true),
    ("inner/b.md", true),
    ("./a.md", false),
    ("./inner/b.md", false),
    ("inner/./b.md", false),
    ("inner//b.md", false),
    ("inner/../a.md", false),
    ("inner/../inner/b.md", false),
    ("../root/a.md", false),
    ("//a.md", false),
    ("/a.md", false),
    ("a.md/", false),
    ("a.md/.", false),
    ("inner/b.md/", false),
    ("..", false),
    ("", false),
];

#[tokio::test]
async fn file_has_one_spelling_for_every_tool_and_others_are_refused_by_name() {
    let place = Place::new();
    for (path, is_taken) in SPELLINGS {
        let outcomes = [
            place.read(json!({ "path": path })).await,
            place.write(path, "new").await,
            place.append(path, "!").await,
            build(
                &json!({ "use": "fs.read", "root": "root", "links": "follow" }),
                place.folder.path(),
            )
            .run(&call(json!({ "path": path })))
            .await,
        ];
        for outcome in outcomes {
            if is_taken {
                assert!(
                    matches!(outcome, ToolOutcome::Done(_)),
                    "{path:?}: {outcome:?}"
                );
            } else {
                let (code, why) = failure(&outcome);
                assert_eq!(code, ToolErrorCode::BadArguments, "{path:?}");
                assert!(
                    why.starts_with(&format!("{path:?} is no path for this tool: it ")),
                    "{why}"
                );
            }
        }
    }
    assert_eq!(
        (place.text("root/a.md"), place.text("root/inner/b.md")),
        ("new!".into(), "new!".into())
    );
}

#[tokio::test]
async fn root_is_named_by_a_dot_alone() {
    let place = Place::new();
    assert_eq!(
        place.read(json!({ "path": "." })).await,
        ToolOutcome::text("a.md\ninner/")
    );
    for outcome in [place.write(".", "x").await, place.append(".", "x").await] {
        assert_eq!(failure(&outcome).0, ToolErrorCode::BadArguments);
    }
}

#[tokio::test]
async fn link_within_the_root_is_followed_only_where_the_tool_is_set_so() {
    let place = Place::new();
    place.link("inner/b.md", "root/link");
    place.link("inner", "root/folder");
    let following = |kind: &str| {
        build(
            &json!({ "use": kind, "root": "root", "links": "follow" }),
            place.folder.path(),
        )
    };
    for path in ["link", "folder/b.md", "folder"] {
        for outcome in [
            place.read(json!({ "path": path })).await,
            place.append(path, "!").await,
        ] {
            let (code, why) = failure(&outcome);
            assert_eq!(code, ToolErrorCode::NotAllowed, "{path}");
            assert!(
                why.contains("a symbolic link stands there, and this tool follows none"),
                "{why}"
            );
        }
        let outcome = following("fs.read")
            .run(&call(json!({ "path": path })))
            .await;
        assert_eq!(
            outcome,
            ToolOutcome::text(if path == "folder" { "b.md" } else { "inside" }),
            "{path}"
        );
    }
    assert_eq!(
        failure(&place.write("folder/b.md", "x").await).0,
        ToolErrorCode::NotAllowed
    );
    assert_eq!(place.text("root/inner/b.md"), "inside");
    following("fs.write")
        .run(&call(json!({ "path": "folder/b.md", "content": "x" })))
        .await;
    assert_eq!(place.text("root/inner/b.md"), "x");
}

#[test]
fn tool_says_which_argument_is_a_path_and_where_its_folder_is() {
    let place = Place::new();
    place.link("root", "other_name");
    for kind in [
        "fs.list",
        "fs.read",
        "fs.search",
        "fs.write",
        "fs.append",
        "fs.edit",
        "fs.delete",
    ] {
        let spec = |settings: Value| build(&settings, place.folder.path()).spec().clone();
        let plain = spec(json!({ "use": kind, "root": "root/inner" }));
        let paths = if kind == "fs.search" {
            PathArguments::trees(["/path"])
        } else {
            PathArguments::at(["/path"])
        };
        assert_eq!(plain.paths, paths);
        assert_eq!(plain.folder.as_deref(), Some("root/inner"));
        assert!(
            spec(json!({ "use": kind, "root": "root", "links": "follow" }))
                .paths
                .follows_links
        );
        assert_eq!(
            spec(json!({ "use": kind, "root": "./other_name/inner" }))
                .folder
                .as_deref(),
            Some("root/inner")
        );
        assert_eq!(
            spec(json!({ "use": kind, "root": "." })).folder.as_deref(),
            Some(".")
        );
        let above = build(
            &json!({ "use": kind, "root": ".." }),
            &place.path("root/inner"),
        )
        .spec()
        .clone();
        assert_eq!(above.folder.as_deref(), Some(".."));
    }
}

#[tokio::test]
async fn tool_stays_in_the_folder_that_it_opened_whatever_comes_in_its_place() {
    let place = Place::new();
    let (read, write) = (place.tool("fs.read"), place.tool("fs.write"));
    std::fs::rename(place.path("root"), place.path("moved")).unwrap();
    place.link("other", "root");
    let outcome = read.run(&call(json!({ "path": "secret" }))).await;
    assert_eq!(failure(&outcome).0, ToolErrorCode::NotFound);
    write
        .run(&call(json!({ "path": "secret", "content": "mine" })))
        .await;
    assert_eq!(
        (place.text("moved/secret"), place.text("other/secret")),
        ("mine".into(), "secret".into())
    );
}

#[tokio::test]
async fn a_long_file_is_cut_and_can_be_read_on() {
    let place = Place::new();
    let whole = "0123456789äöü€".repeat(100);
    std::fs::write(place.path("root/long"), &whole).unwrap();
    let settings = json!({ "use": "fs.read", "root": "root", "model_bytes": 256 });
    let tool = build(&settings, place.folder.path());
    let (mut read, mut offset) = (String::new(), 0);
    loop {
        let outcome = tool
            .run(&call(json!({ "path": "long", "offset": offset })))
            .await;
        let ToolOutcome::Done(output) = outcome else {
            panic!("{outcome:?}")
        };
        assert!(output.text.len() <= 256);
        let Some((part, note)) = output
            .text
            .split_once("\n[cut: the file goes on at offset ")
        else {
            read.push_str(&output.text);
            break;
        };
        read.push_str(part);
        offset = note.trim_end_matches(']').parse().unwrap();
    }
    assert_eq!(read, whole);
}

#[tokio::test]
async fn a_part_of_a_file_is_read_by_offset_and_limit() {
    let place = Place::new();
    for (offset, limit, text) in [
        (0, 5, "hello"),
        (1, 4, "ello"),
        (1, 3, "ell\n[cut: the file goes on at offset 4]"),
        (5, 5, ""),
        (50, 5, ""),
    ] {
        let outcome = place
            .read(json!({ "path": "a.md", "offset": offset, "limit": limit }))
            .await;
        assert_eq!(outcome, ToolOutcome::text(text));
    }
    std::fs::write(place.path("root/a.md"), "a€b").unwrap();
    for (offset, limit, text) in [
        (0, 2, "a\n[cut: the file goes on at offset 1]"),
        (0, 4, "a€\n[cut: the file goes on at offset 4]"),
        (2, 9, "b"),
        (2, 2, "[cut: nothing]"),
    ] {
        let outcome = place
            .read(json!({ "path": "a.md", "offset": offset, "limit": limit }))
            .await;
        if text == "[cut: nothing]" {
            assert_eq!(
                failure(&outcome).0,
                ToolErrorCode::BadArguments,
                "two bytes that belong to one character"
            );
        } else {
            assert_eq!(outcome, ToolOutcome::text(text), "{offset} {limit}");
        }
    }
}

#[tokio::test]
async fn what_is_no_text_is_refused() {
    let place = Place::new();
    for bytes in [&b"\x7fELF\0\0"[..], b"caf\xe9", b"\xff\xfe", b"abc\xe2\x82"] {
        std::fs::write(place.path("root/binary"), bytes).unwrap();
        let outcome = place.read(json!({ "path": "binary" })).await;
        assert_eq!(
            failure(&outcome),
            (ToolErrorCode::BadArguments, "binary is not a text (UTF-8)")
        );
    }
}

#[tokio::test]
async fn what_is_no_file_is_refused_and_not_waited_for() {
    let place = Place::new();
    let made = std::process::Command::new("mkfifo")
        .arg(place.path("root/pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    let outcome = place.read(json!({ "path": "pipe" })).await;
    assert_eq!(
        failure(&outcome),
        (
            ToolErrorCode::BadArguments,
            "pipe is neither a file nor a folder"
        )
    );
    assert!(matches!(
        place.append("pipe", "x").await,
        ToolOutcome::Failed(_)
    ));
    assert_eq!(
        failure(&place.write("inner", "x").await),
        (ToolErrorCode::BadArguments, "inner is a folder")
    );
    for path in ["", ".", "inner/", "inner/..", "/"] {
        assert!(
            matches!(place.write(path, "x").await, ToolOutcome::Failed(_)),
            "{path}"
        );
    }
    assert_eq!(
        std::fs::read_dir(place.path("root/inner")).unwrap().count(),
        1
    );
}

#[tokio::test]
async fn a_folder_is_listed_in_order() {
    let place = Place::new();
    std::fs::write(place.path("root/Z"), "").unwrap();
    assert_eq!(
        place.read(json!({ "path": "." })).await,
        ToolOutcome::text("Z\na.md\ninner/")
    );
    assert_eq!(
        place.read(json!({ "path": "inner" })).await,
        ToolOutcome::text("b.md")
    );
}

#[tokio::test]
async fn what_is_missing_is_not_found() {
    let place = Place::new();
    for outcome in [
        place.read(json!({ "path": "none" })).await,
        place.write("none/a", "x").await,
        place.append("none/a", "x").await,
    ] {
        assert_eq!(failure(&outcome).0, ToolErrorCode::NotFound);
    }
}

#[tokio::test]
async fn a_file_is_written_whole_and_keeps_its_mode() {
    let place = Place::new();
    std::fs::set_permissions(
        place.path("root/a.md"),
        std::fs::Permissions::from_mode(0o740),
    )
    .unwrap();
    assert_eq!(
        place.write("a.md", "new").await,
        ToolOutcome::text("a.md is written, 3 bytes")
    );
    assert_eq!(place.text("root/a.md"), "new");
    assert_eq!(
        std::fs::metadata(place.path("root/a.md"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o740
    );
    place.write("inner/c.md", "there").await;
    assert_eq!(place.text("root/inner/c.md"), "there");
    assert_eq!(
        place.read(json!({ "path": "." })).await,
        ToolOutcome::text("a.md\ninner/"),
        "nothing else is left"
    );
}

#[tokio::test]
async fn what_a_lost_attempt_left_behind_does_not_hinder_the_next() {
    let place = Place::new();
    let (tool, first) = (
        place.tool("fs.write"),
        call(json!({ "path": "new.md", "content": "x" })),
    );
    let part = format!(
        ".{}.part",
        folkmoot_core::ids::Digest::of(&[first.idempotency_key.as_bytes()]).short()
    );
    std::fs::write(place.path("root").join(&part), "half of it").unwrap();
    tool.run(&first).await;
    assert_eq!(place.text("root/new.md"), "x");
    assert!(!place.path("root").join(part).exists());
}

#[tokio::test]
async fn appended_texts_stand_one_behind_the_other() {
    let place = Place::new();
    assert_eq!(
        place.append("log", "a\n").await,
        ToolOutcome::text("2 bytes are added to log")
    );
    place.append("log", "b\n").await;
    place.append("inner/b.md", "!").await;
    assert_eq!(
        (place.text("root/log"), place.text("root/inner/b.md")),
        ("a\nb\n".into(), "inside!".into())
    );
}

#[tokio::test]
async fn more_than_the_limit_is_not_written() {
    let place = Place::new();
    for kind in ["fs.write", "fs.append"] {
        let tool = build(
            &json!({ "use": kind, "root": "root", "max_bytes": 3 }),
            place.folder.path(),
        );
        let with = |content: &str| call(json!({ "path": kind, "content": content }));
        assert_eq!(
            failure(&tool.run(&with("four")).await),
            (ToolErrorCode::TooLarge, "more than 3 bytes")
        );
        assert!(!place.path("root").join(kind).exists());
        assert!(matches!(tool.run(&with("one")).await, ToolOutcome::Done(_)));
    }
}

#[test]
fn a_write_that_nobody_waits_for_any_more_changes_nothing() {
    let place = Place::new();
    let stop = StopSign::default();
    drop(StopOnDrop(stop.clone()));
    for content in ["late", ""] {
        let arguments = super::WriteArguments {
            path: "a.md".into(),
            content: content.into(),
        };
        let failure = super::write::write(&place.root(), &arguments, ".x.part", &stop).unwrap_err();
        assert_eq!(failure.code, ToolErrorCode::TimedOut);
        assert_eq!(place.text("root/a.md"), "hello");
        assert!(!place.path("root/.x.part").exists());
    }
}

#[tokio::test]
async fn arguments_that_the_schema_would_refuse_are_refused() {
    let place = Place::new();
    for arguments in [
        json!({}),
        json!({ "path": 5 }),
        json!({ "path": "a.md", "mode": "x" }),
        json!("a.md"),
    ] {
        let ToolCall { arguments, .. } = call(arguments);
        let outcome = place.read(arguments).await;
        assert_eq!(failure(&outcome).0, ToolErrorCode::BadArguments);
    }
}

#[test]
fn rule_against_a_place_denies_what_reaches_it_from_above() {
    let place = Place::new();
    let rules = [
        json!({ "beneath": "inner/keys" }),
        json!({ "equals": "inner/keys" }),
        json!({ "one_of": ["inner/keys", "other"] }),
    ];
    let reaching = [".", "inner", "inner/keys"];
    for (kind, argument) in [
        ("fs.search", "path"),
        ("fs.move", "from"),
        ("fs.move", "to"),
        ("fs.read", "path"),
        ("fs.list", "path"),
    ] {
        let tool = place.tool(kind);
        for rule in &rules {
            let mut rule = rule.clone();
            rule["path"] = format!("/{argument}").into();
            let rule = [serde_json::from_value(rule).unwrap()];
            for path in [
                ".",
                "inner",
                "inner/keys",
                "inner/key",
                "inner/keysafe",
                "a.md",
            ] {
                let is_reached = match kind {
                    "fs.search" | "fs.move" => reaching.contains(&path),
                    _ => path == "inner/keys",
                };
                let mut arguments = json!({});
                arguments[argument] = path.into();
                let is_denied = tool.spec().is_denied(&rule, &arguments);
                assert_eq!(is_denied, is_reached, "{kind} {rule:?} {path}");
            }
        }
    }
}
