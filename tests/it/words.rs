//! Errors and entries as a program prints them.

use std::fmt::Debug;

use folkmoot::core::event::refusal::{Refusal, RefusalReason};
use folkmoot::core::event::{Author, Notice};
use folkmoot::core::ids::{CallId, Digest, MessageId, Position, RequestId, Time};
use folkmoot::core::port::AppendError;
use folkmoot::core::tool::{Table, View};
use folkmoot::{
    AssembleError, Error, OpenError, OpenMode, PersonName, Proof, Room, RoomError, SeatError,
    Store, TranscriptEntry, TranscriptMessage, TranscriptNotice, TranscriptShown, WorldName,
};
use folkmoot_tests::agent_name;
use serde_json::json;

/// Returns what `fn main() -> Result<(), E>` prints of an error.
fn printed(error: &impl Debug) -> String {
    format!("{error:?}")
}

#[test]
fn errors_print_their_words_with_their_causes() {
    let part = "tool refund".to_owned();
    let why = "nobody binds it".to_owned();
    let assemble = OpenError::Assemble(AssembleError { part, why });
    let name = WorldName::new("to do").unwrap_err();
    let words = name.to_string();
    let error = Room::from_yaml("world: desk\nagents: []\nworlds: 1\n").unwrap_err();
    let nowhere = Store::open("nowhere/store", OpenMode::Existing).unwrap_err();
    let refused = SeatError::Refused(Refusal::Right {
        reason: RefusalReason::NoRight,
        decided: None,
    });
    let full = AppendError::Full(std::io::Error::other("no room"));
    assert_eq!(
        [
            printed(&assemble),
            printed(&name),
            printed(&RoomError::from(name.clone())),
            printed(&refused),
            printed(&Error::from(refused.clone())),
            printed(&Error::from(name)),
            printed(&Error::from(OpenError::Append(full))),
        ],
        [
            "tool refund: nobody binds it".to_owned(),
            words.clone(),
            words.clone(),
            "refused: no_right".to_owned(),
            "refused: no_right: this person may not do that here".to_owned(),
            words,
            "the world's log cannot be written: the disk is full: no room".to_owned(),
        ]
    );
    assert!(
        printed(&error).starts_with("room.yaml:2:1: the world has no agents (add `agents:` with "),
        "{error:?}"
    );
    assert!(!printed(&nowhere).contains('{'), "{nowhere:?}");
}

#[test]
fn entries_of_a_transcript_print_as_lines() {
    let (at, time) = (Position::ZERO.next(), Time(0));
    let message = TranscriptMessage {
        message: MessageId(at),
        at,
        time,
        author: Author::Person(PersonName::new("ada").unwrap()),
        reply_to: None,
        episode: serde_json::from_value(json!(1)).unwrap(),
        text: Some("Hello!".to_owned()),
        attachments: Vec::new(),
        edited: false,
    };
    let erased = TranscriptMessage {
        text: None,
        author: Author::World,
        ..message.clone()
    };
    let agent = agent_name("clerk");
    let request = RequestId(at);
    let notice = TranscriptNotice {
        at,
        time,
        notice: Notice::AgentWaits {
            agent: agent.clone(),
            request,
        },
        to: None,
        episode: None,
    };
    let table = Table {
        title: Some("Fruit".to_owned()),
        columns: vec!["name".to_owned(), "cents".to_owned()],
        rows: vec![
            vec![json!("plum"), json!(20)],
            vec![json!("fig"), json!(null)],
        ],
    };
    let shown = TranscriptShown {
        at,
        time,
        agent,
        call: CallId::new([7; 16]),
        views: vec![View::Text("Two.".to_owned()), View::Table(table)],
    };
    let entries = [
        TranscriptEntry::Message(message),
        TranscriptEntry::Message(erased),
        TranscriptEntry::Notice(notice),
        TranscriptEntry::Shown(shown),
    ];
    assert_eq!(
        entries.map(|entry| entry.to_string()),
        [
            "ada: Hello!",
            "world: [erased]",
            "world: agent_waits: agent clerk, request 1",
            "a tool of clerk shows:\nTwo.\nFruit\nname | cents\nplum | 20\nfig | ",
        ]
    );
}

#[test]
fn names_and_ids_print() {
    let ids: [String; 3] = [
        RequestId(Position::ZERO.next()).to_string(),
        Digest::of(&[b"a"]).short(),
        CallId::new([7; 16]).to_string(),
    ];
    assert_eq!((ids[0].as_str(), ids[1].as_str()), ("1", "ae6121c8"));
    assert_eq!(ids[2], "07".repeat(16));
    let proof = Proof::by("sign-in").user("user-17");
    let proof = proof.called(PersonName::new("ada").unwrap());
    assert_eq!(proof.principal().to_string(), "ada");
    assert_eq!(
        proof.principal().person().unwrap().proof(),
        "sign-in:user-17"
    );
}
