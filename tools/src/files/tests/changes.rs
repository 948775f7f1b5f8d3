use std::os::unix::fs::{MetadataExt, PermissionsExt};

use folkmoot_core::tool::{ToolErrorCode, ToolOutcome};
use serde_json::{Value, json};

use super::Place;
use crate::files::replace::replace;
use crate::stage::{build, call, failure};

impl Place {
    async fn edit(&self, old: &str, new: &str, count: Option<u32>) -> ToolOutcome {
        let mut arguments = json!({ "path": "a.md", "old": old, "new": new });
        if let Some(count) = count {
            arguments["count"] = count.into();
        }
        self.tool("fs.edit").run(&call(arguments)).await
    }
}

#[tokio::test]
async fn text_is_replaced_where_it_stands_as_often_as_was_said() {
    for (text, old, new, count, expected) in [
        ("hello", "l", "L", Some(2), Ok("heLLo")),
        ("hello", "ell", "", None, Ok("ho")),
        ("hello", "hello", "ell", None, Ok("ell")),
        ("ééé", "é", "éé", Some(3), Ok("éééééé")),
        ("a\r\nb\n", "\r\n", "\n", None, Ok("a\nb\n")),
        ("hello", "l", "L", None, Err(ToolErrorCode::BadArguments)),
        ("hello", "l", "L", Some(3), Err(ToolErrorCode::BadArguments)),
        ("hello", "e", "E", Some(2), Err(ToolErrorCode::BadArguments)),
        ("hello", "Hello", "", None, Err(ToolErrorCode::NotFound)),
        ("hello", "", "x", None, Err(ToolErrorCode::BadArguments)),
        ("", "x", "y", None, Err(ToolErrorCode::NotFound)),
        // Two places, of which only one can be replaced.
        ("aaa", "aa", "b", None, Err(ToolErrorCode::BadArguments)),
        ("aaa", "aa", "b", Some(2), Err(ToolErrorCode::BadArguments)),
        (
            "ababa",
            "aba",
            "x",
            Some(1),
            Err(ToolErrorCode::BadArguments),
        ),
        ("aaaa", "aa", "b", Some(2), Err(ToolErrorCode::BadArguments)),
    ] {
        let place = Place::new();
        std::fs::write(place.path("root/a.md"), text).unwrap();
        let outcome = place.edit(old, new, count).await;
        let found = match &outcome {
            ToolOutcome::Done(_) => Ok(place.text("root/a.md")),
            ToolOutcome::Failed(failure) => Err(failure.code),
            ToolOutcome::NeedsInput(_) => panic!("{outcome:?}"),
        };
        let expected = expected.map(str::to_owned);
        assert_eq!(found, expected, "{text:?} {old:?} {count:?}: {outcome:?}");
        if found.is_err() {
            assert_eq!(place.text("root/a.md"), text);
        }
        assert_eq!(std::fs::read_dir(place.path("root")).unwrap().count(), 2);
    }
}

#[tokio::test]
async fn edited_file_keeps_its_mode_and_its_other_name_keeps_the_old_text() {
    let place = Place::new();
    let path = place.path("root/a.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::hard_link(&path, place.path("outside")).unwrap();
    assert_eq!(
        place.edit("hello", "bye", None).await,
        ToolOutcome::text("a.md is edited, 5 bytes became 3")
    );
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(
        (place.text("root/a.md"), place.text("outside")),
        ("bye".into(), "hello".into())
    );
}

#[test]
fn replaced_file_has_no_more_rights_than_the_old_one_at_any_time() {
    let place = Place::new();
    let path = place.path("root/a.md");
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let root = place.root();
    let spot = root.spot("a.md").unwrap();
    for (old, new) in [
        (0o600, 0o600),
        (0o4755, 0o755),
        (0o2060, 0o060),
        (0o1444, 0o444),
    ] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(old)).unwrap();
        replace(&spot, b"new", "part", || {
            let now = mode(place.path("root/part"));
            assert_eq!(now & !new & 0o077, 0, "{old:o}: {now:o}");
            Ok(())
        })
        .unwrap();
        assert_eq!(mode(path.clone()), new, "{old:o}");
    }
}

#[tokio::test]
async fn replaced_file_keeps_its_group_and_owner_where_the_system_lets_us() {
    let place = Place::new();
    let path = place.path("root/a.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o660)).unwrap();
    if std::os::unix::fs::chown(&path, Some(1), Some(2)).is_err() {
        return;
    }
    place.edit("hello", "bye", None).await;
    let now = std::fs::metadata(&path).unwrap();
    assert_eq!((now.uid(), now.gid(), now.mode() & 0o7777), (1, 2, 0o660));
}

#[tokio::test]
async fn large_file_and_what_is_no_text_are_not_edited() {
    let place = Place::new();
    let settings = json!({ "use": "fs.edit", "root": "root", "max_bytes": 5 });
    let tool = build(&settings, place.folder.path());
    let with = |new: &str| call(json!({ "path": "a.md", "old": "hello", "new": new }));
    let too_large = (ToolErrorCode::TooLarge, "more than 5 bytes");
    assert_eq!(failure(&tool.run(&with("longer")).await), too_large);
    std::fs::write(place.path("root/a.md"), "hello!").unwrap();
    assert_eq!(failure(&tool.run(&with("x")).await), too_large);
    for bytes in [&b"hello\0"[..], b"hello\xff"] {
        std::fs::write(place.path("root/a.md"), bytes).unwrap();
        let outcome = place.edit("hello", "x", None).await;
        assert_eq!(failure(&outcome).0, ToolErrorCode::BadArguments);
        assert_eq!(std::fs::read(place.path("root/a.md")).unwrap(), bytes);
    }
}

#[tokio::test]
async fn many_places_of_a_long_text_take_no_long_time() {
    let place = Place::new();
    std::fs::write(place.path("root/a.md"), "a".repeat(1_000_000)).unwrap();
    for (old, count) in [
        ("a".repeat(500_000), 2),
        ("a".into(), 1_000_000),
        ("ab".into(), 1),
    ] {
        let outcome = place.edit(&old, "b", Some(count)).await;
        assert_eq!(matches!(outcome, ToolOutcome::Done(_)), count == 1_000_000);
    }
}

#[tokio::test]
async fn edit_that_would_grow_beyond_all_memory_is_refused_before_it_is_made() {
    let place = Place::new();
    let text = "a".repeat(1024 * 1024);
    std::fs::write(place.path("root/a.md"), &text).unwrap();
    let new = "b".repeat(1_000_000);
    let outcome = place.edit("a", &new, Some(1024 * 1024)).await;
    let too_large = (ToolErrorCode::TooLarge, "more than 1048576 bytes");
    assert_eq!(failure(&outcome), too_large);
    assert_eq!(place.text("root/a.md"), text);
}

#[test]
fn file_that_was_changed_since_it_was_read_is_not_edited() {
    let place = Place::new();
    let root = place.root();
    let spot = root.spot("a.md").unwrap();
    let file = std::fs::File::open(place.path("root/a.md")).unwrap();
    let version = crate::files::edit::Version::of(&file).unwrap();
    version.check(&spot).unwrap();
    std::fs::write(place.path("root/new"), "hello").unwrap();
    std::fs::rename(place.path("root/new"), place.path("root/a.md")).unwrap();
    let changed = version.check(&spot).unwrap_err();
    assert_eq!(
        changed.detail,
        "a.md: it was changed meanwhile: read it again"
    );
    std::fs::remove_file(place.path("root/a.md")).unwrap();
    assert_eq!(
        version.check(&spot).unwrap_err().code,
        ToolErrorCode::NotFound
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_added_while_a_file_is_edited_is_not_lost() {
    let place = Place::in_memory();
    std::fs::write(place.path("root/a.md"), "red\n").unwrap();
    let (edit, append) = (place.tool("fs.edit"), place.tool("fs.append"));
    let edits = tokio::spawn(async move {
        for (old, new) in [("red", "blue"), ("blue", "red")].repeat(1000) {
            let arguments = json!({ "path": "a.md", "old": old, "new": new });
            while let ToolOutcome::Failed(failure) = edit.run(&call(arguments.clone())).await {
                assert!(failure.detail.contains("meanwhile"), "{failure:?}");
            }
        }
    });
    let mut added = 0;
    while !edits.is_finished() {
        let line = call(json!({ "path": "a.md", "content": "line\n" }));
        assert!(matches!(append.run(&line).await, ToolOutcome::Done(_)));
        added += 1;
    }
    edits.await.unwrap();
    assert_eq!(
        place.text("root/a.md"),
        "red\n".to_owned() + &"line\n".repeat(added)
    );
}

#[tokio::test]
async fn text_for_which_there_is_no_room_is_not_added_in_part() {
    let place = Place::new();
    let file = std::fs::File::create(place.path("root/full")).unwrap();
    // The longest that a file can be here: what is written at its end has no room, as on a full disk.
    let (mut fits, mut fails) = (0, 1_u64 << 63);
    while fails - fits > 1 {
        let between = fits + (fails - fits) / 2;
        match file.set_len(between) {
            Ok(()) => fits = between,
            Err(_) => fails = between,
        }
    }
    if fails == 1 << 63 {
        return;
    }
    let length = fits - 3;
    file.set_len(length).unwrap();
    let outcome = place.append("full", "four").await;
    assert_eq!(failure(&outcome).0, ToolErrorCode::Failed);
    assert_eq!(file.metadata().unwrap().len(), length);
    let outcome = place.append("full", "two").await;
    assert_eq!(outcome, ToolOutcome::text("3 bytes are added to full"));
}

#[tokio::test]
async fn moved_file_or_folder_replaces_nothing() {
    let place = Place::new();
    let tool = place.tool("fs.move");
    let moved = async |from: &str, to: &str| {
        let arguments: Value = json!({ "from": from, "to": to });
        tool.run(&call(arguments)).await
    };
    for (from, to, code) in [
        ("a.md", "inner/b.md", ToolErrorCode::NotAllowed),
        ("a.md", "inner", ToolErrorCode::NotAllowed),
        ("a.md", "a.md", ToolErrorCode::NotAllowed),
        ("inner", "inner/deeper", ToolErrorCode::BadArguments),
        ("a.md", "none/a.md", ToolErrorCode::NotFound),
        ("none", "new", ToolErrorCode::NotFound),
        (".", "new", ToolErrorCode::BadArguments),
        ("a.md", ".", ToolErrorCode::BadArguments),
        ("a.md", "../new", ToolErrorCode::BadArguments),
    ] {
        assert_eq!(failure(&moved(from, to).await).0, code, "{from} {to}");
    }
    assert_eq!(
        moved("a.md", "inner/c.md").await,
        ToolOutcome::text("a.md is now inner/c.md")
    );
    moved("inner", "other").await;
    assert_eq!(place.text("root/other/c.md"), "hello");
    assert_eq!(place.text("root/other/b.md"), "inside");
    assert!(!place.path("root/inner").exists() && !place.path("root/a.md").exists());
}

#[test]
fn both_places_of_a_move_are_paths_for_rules() {
    let place = Place::new();
    let paths = folkmoot_core::tool::PathArguments::trees(["/from", "/to"]);
    assert_eq!(place.tool("fs.move").spec().paths, paths);
}

#[tokio::test]
async fn file_or_empty_folder_is_deleted() {
    let place = Place::new();
    let deleted = async |path: &str| {
        place
            .tool("fs.delete")
            .run(&call(json!({ "path": path })))
            .await
    };
    let full = deleted("inner").await;
    let expected = "inner is a folder with something in it";
    assert_eq!(failure(&full), (ToolErrorCode::NotAllowed, expected));
    assert_eq!(
        deleted("inner/b.md").await,
        ToolOutcome::text("inner/b.md is deleted")
    );
    assert_eq!(
        deleted("inner").await,
        ToolOutcome::text("inner is deleted")
    );
    assert_eq!(failure(&deleted("inner").await).0, ToolErrorCode::NotFound);
    assert_eq!(failure(&deleted(".").await).0, ToolErrorCode::BadArguments);
    assert_eq!(std::fs::read_dir(place.path("root")).unwrap().count(), 1);
}
