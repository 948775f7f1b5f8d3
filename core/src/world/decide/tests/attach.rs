use crate::command::{Action, Command, TalkAction};
use crate::content::Content;
use crate::event::refusal::Refusal;
use crate::event::*;
use crate::ids::{Digest, MessageId};
use crate::prompt::{Attached, Item};
use crate::testing::*;
use crate::tool::FilePart;

fn file(name: &str, media_type: &str) -> Attachment {
    Attachment::of(name, media_type, b"bytes")
}

fn with_files(said: &str, attachments: Vec<Attachment>) -> Command {
    Command::of(
        ada(),
        Action::Talk(TalkAction::PostMessage {
            text: said.to_owned(),
            attachments,
            reply_to: None,
        }),
    )
}

fn posted(position: u64, said: &str, attachments: Vec<Attachment>) -> Event {
    let body = MessageBody {
        attachments,
        ..MessageBody::text(said)
    };
    let author = Author::Person(person("ada").display);
    Event::Talk(TalkEvent::MessagePosted(MessagePosted::said(
        MessageId(at(position)),
        author,
        None,
        body,
    )))
}

#[test]
fn message_with_a_file_is_routed_like_its_text_and_heard_with_the_file() {
    let past = Past::began().said("@eve hi");
    let picture = file("cat.png", "image/png");
    let command = with_files("@bob look", vec![picture.clone()]);
    let to_bob = routed(
        6,
        RoutingRule::Addressed,
        &[("bob", RoutingReason::Mentioned)],
        &[],
    );
    check(
        &past,
        &command,
        &accepted([posted(6, "@bob look", vec![picture.clone()]), to_bob]),
    );
    let past = past.then(command);
    assert_eq!(
        past.world.news(&agent("bob"))[0].attachments,
        std::slice::from_ref(&picture)
    );
    let past = past.woke("bob");
    let heard = past
        .memory("bob")
        .items
        .last()
        .unwrap()
        .item
        .as_ref()
        .clone();
    let (name, media_type) = ("cat.png".into(), "image/png".into());
    let seen = Attached {
        blob: picture.blob,
        media_type,
        name,
        bytes: picture.bytes,
    };
    assert_eq!(
        seen.to_string(),
        format!(
            "[attached: \"cat.png\", image/png, {} bytes]",
            picture.bytes
        )
    );
    assert_eq!(
        heard,
        Item::Heard {
            from: "ada".into(),
            text: "@bob look".into(),
            attachments: vec![seen]
        }
    );
}

#[test]
fn files_alone_are_a_message() {
    let past = Past::with(room_with(|spec| {
        spec.policy.main_agent = Some(agent("eve"))
    }))
    .said("@bob hi");
    let files = vec![file("a.txt", "text/plain"), file("b.txt", "text/plain")];
    let to_eve = routed(
        6,
        RoutingRule::MainAgent,
        &[("eve", RoutingReason::MainAgent)],
        &[],
    );
    check(
        &past,
        &with_files("", files.clone()),
        &accepted([posted(6, "", files), to_eve]),
    );
}

#[test]
fn an_erased_message_has_no_files() {
    let mut past = Past::began()
        .said("@bob hi")
        .then(with_files("@bob look", vec![file("cat.png", "image/png")]));
    let mut commit = past.commits.pop().unwrap();
    let mut world =
        past.commits
            .iter()
            .fold(crate::world::World::default(), |mut world, commit| {
                world.apply(commit);
                world
            });
    for event in &mut commit.events {
        if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
            posted.body = Content::Erased { by: None };
        }
    }
    world.apply(&commit);
    let erased = world.news(&agent("bob")).pop().unwrap();
    assert_eq!(
        (erased.text, erased.attachments),
        (String::new(), Vec::new())
    );
}

#[test]
fn too_many_and_too_large_files_are_refused_with_their_numbers() {
    let past = Past::with(room_with(|spec| {
        spec.limits.attachments_max = 2;
        spec.limits.attachment_bytes_max = 5;
    }));
    let bad = |why: &str| {
        quietly(Refusal::BadMessage {
            why: why.to_owned(),
        })
    };
    let small = || file("a.txt", "text/plain");
    let why = "the message has 3 attachments, at most 2 are allowed";
    check(
        &past,
        &with_files("hi", vec![small(), small(), small()]),
        &bad(why),
    );
    let large = Attachment {
        bytes: 6,
        ..small()
    };
    let why = "the attachment \"a.txt\" has 6 bytes, at most 5 are allowed";
    check(&past, &with_files("hi", vec![small(), large]), &bad(why));
    assert!(
        past.decide(&with_files("hi", vec![small(), small()]))
            .answer
            .is_ok()
    );
}

#[test]
fn names_that_lie_about_their_place_and_types_that_are_none_are_refused() {
    let names = [
        ("", "it is empty"),
        (" \t", "it is empty"),
        (
            "a/b.png",
            "it has a path separator; give the file's name alone",
        ),
        (
            r"a\b.png",
            "it has a path separator; give the file's name alone",
        ),
        ("..", "it names a folder"),
        ("a\nb.png", "it has a control character"),
        ("gpj.\u{202e}exe", "it has a control character"),
        ("a\u{2028}b", "it has a control character"),
        (&"x".repeat(256), "it is longer than 255 bytes"),
    ];
    for (name, why) in names {
        let error = AttachmentError::Name {
            name: name.to_owned(),
            why,
        };
        assert_eq!(file(name, "image/png").check(5), Err(error), "{name:?}");
    }
    for media_type in [
        "",
        "image",
        "image/",
        "/png",
        "image/png; q=1",
        "image/p ng",
        "im\u{e4}ge/png",
        "a/b/c",
        ".a/b",
    ] {
        let error = AttachmentError::MediaType {
            media_type: media_type.to_owned(),
        };
        assert_eq!(
            file("a.png", media_type).check(5),
            Err(error),
            "{media_type:?}"
        );
    }
    for (name, media_type) in [
        ("Übersicht [1].pdf", "application/vnd.a+json"),
        (&"x".repeat(255), "text/plain"),
    ] {
        assert_eq!(file(name, media_type).check(5), Ok(()), "{name:?}");
    }
    let why = "an attachment cannot be called \"a/b\": it has a path separator; give the file's name alone".to_owned();
    check(
        &Past::began(),
        &with_files("hi", vec![file("a/b", "a/b")]),
        &quietly(Refusal::BadMessage { why }),
    );
}

#[test]
fn a_large_file_has_the_parts_of_its_size() {
    const MAX: u64 = crate::spec::limits::BLOB_BYTES_MAX as u64;
    let cases: [(u64, &[u64], bool); 10] = [
        (MAX, &[], true),
        (MAX, &[MAX], false),
        (MAX + 1, &[], false),
        (MAX + 1, &[MAX, 1], true),
        (MAX + 1, &[1, MAX], false),
        (MAX + 1, &[MAX + 1], false),
        (MAX + 1, &[MAX, 1, 0], false),
        (MAX + 1, &[MAX, 2], false),
        (3 * MAX, &[MAX, MAX, MAX], true),
        (3 * MAX, &[MAX, MAX / 2, MAX / 2, MAX], false),
    ];
    for (bytes, parts, is_whole) in cases {
        let part = |bytes: &u64| FilePart {
            blob: Digest::sha256(&bytes.to_le_bytes()),
            bytes: *bytes,
        };
        let attachment = Attachment {
            bytes,
            parts: parts.iter().map(part).collect(),
            ..file("a.csv", "text/csv")
        };
        assert_eq!(
            attachment.check(u32::MAX).is_ok(),
            is_whole,
            "{bytes} {parts:?}"
        );
        let sum: u64 = attachment.blobs().map(|part| part.bytes).sum();
        assert!(!is_whole || sum == bytes);
    }
}
