//! Files, and what else of the conversation is written in dialects.

use folkmoot_core::ids::Digest;
use folkmoot_core::prompt::border::ForgedRequest;
use folkmoot_core::prompt::{Attached, Item, Layer, LayerKind};

use super::*;

fn attached(name: &str, media_type: &str) -> Attached<String> {
    Attached {
        blob: Digest::sha256(name.as_bytes()),
        media_type: media_type.into(),
        name: name.into(),
        bytes: 3,
    }
}

/// The content of a message with these files, whose bytes are there, and the warnings.
fn content(file_parts: FileParts, attachments: Vec<Attached<String>>) -> (Value, Vec<String>) {
    let bytes: Files = attachments
        .iter()
        .map(|file| (file.blob, b"abc".as_slice().into()))
        .collect();
    let heard = Item::Heard {
        from: "Ada".into(),
        text: "Look!".into(),
        attachments,
    };
    let request = ForgedRequest {
        model: "m".into(),
        items: vec![heard],
        ..ForgedRequest::default()
    };
    let codec = OpenAiChat {
        file_parts,
        ..OpenAiChat::default()
    };
    let wire = codec.encode(&request.into_request(), &bytes, AnswerMode::Whole);
    (wire.body["messages"][0]["content"].clone(), wire.warnings)
}

fn all() -> Vec<Attached<String>> {
    vec![
        attached("a.png", "image/png"),
        attached("b.pdf", "application/pdf"),
        attached("c.wav", "audio/wav"),
    ]
}

const TOLD: &str = "Ada: Look!\n[attached: \"a.png\", image/png, 3 bytes]\n\
    [attached: \"b.pdf\", application/pdf, 3 bytes]\n[attached: \"c.wav\", audio/wav, 3 bytes]";

#[test]
fn files_stand_behind_the_text_in_a_part_each() {
    let parts = json!([
        { "type": "text", "text": TOLD },
        { "type": "image_url", "image_url": { "url": "data:image/png;base64,YWJj" } },
        { "type": "file", "file": { "filename": "b.pdf", "file_data": "data:application/pdf;base64,YWJj" } },
        { "type": "input_audio", "input_audio": { "data": "YWJj", "format": "wav" } },
    ]);
    assert_eq!(content(FileParts::File, all()), (parts, vec![]));
}

#[test]
fn a_server_gets_files_in_its_own_form() {
    let (parts, warnings) = content(FileParts::DocumentUrl, all());
    let document = json!({ "type": "document_url", "document_url": "data:application/pdf;base64,YWJj", "document_name": "b.pdf" });
    assert_eq!(
        (&parts[2], &parts[3]),
        (
            &document,
            &json!({ "type": "input_audio", "input_audio": "YWJj" })
        )
    );
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn what_a_server_does_not_take_is_told_of_and_not_sent() {
    let (parts, warnings) = content(FileParts::Images, all());
    let image =
        json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,YWJj" } });
    assert_eq!(parts, json!([{ "type": "text", "text": TOLD }, image]));
    assert_eq!(warnings, ["attachment_not_sent"]);
    assert_eq!(
        content(FileParts::LeftOut, all()),
        (json!(TOLD), vec!["attachment_not_sent".to_owned()])
    );
}

#[test]
fn the_types_that_are_taken_are_those_that_are_written() {
    let takes = |file_parts, media_type| {
        OpenAiChat {
            file_parts,
            ..OpenAiChat::default()
        }
        .takes_file(media_type)
    };
    for media_type in ["image/png", "image/jpeg", "image/gif", "image/webp"] {
        assert!(
            takes(FileParts::File, media_type) && takes(FileParts::Images, media_type),
            "{media_type}"
        );
        assert!(!takes(FileParts::LeftOut, media_type), "{media_type}");
    }
    for media_type in ["application/pdf", "audio/mpeg", "audio/wav"] {
        assert!(
            takes(FileParts::File, media_type) && takes(FileParts::DocumentUrl, media_type),
            "{media_type}"
        );
        assert!(!takes(FileParts::Images, media_type), "{media_type}");
    }
    for media_type in ["image/svg+xml", "text/plain", "video/mp4", ""] {
        assert!(!takes(FileParts::File, media_type), "{media_type}");
    }
}

#[test]
fn ids_of_calls_are_nine_letters_and_digits_where_a_server_wants_it() {
    let labels = ["abcDEF123", "call_0", "", "abcDEF123", "äbcdefgh"];
    let items = labels.iter().flat_map(|label| {
        let said = Item::Said {
            parts: vec![call(label, "t", "{}")],
        };
        [
            said,
            Item::Result {
                label: (*label).to_owned(),
                text: "r".into(),
                failed: false,
            },
        ]
    });
    let request = ForgedRequest {
        model: "m".into(),
        items: items.collect(),
        ..ForgedRequest::default()
    };
    let codec = OpenAiChat {
        call_ids: CallIds::Nine,
        ..OpenAiChat::default()
    };
    let body = codec
        .encode(&request.into_request(), &Files::new(), AnswerMode::Whole)
        .body;
    let ids: Vec<&str> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|m| m["tool_call_id"].as_str())
        .collect();
    assert_eq!(
        ids,
        [
            "abcDEF123",
            "c00000001",
            "c00000002",
            "c00000003",
            "c00000004"
        ]
    );
}

#[test]
fn the_layers_have_the_role_of_the_server() {
    let system = vec![Layer {
        kind: LayerKind::Role,
        text: "Be brief.".into(),
    }];
    let request = ForgedRequest {
        model: "m".into(),
        system,
        ..ForgedRequest::default()
    }
    .into_request();
    let codec = OpenAiChat {
        system_role: SystemRole::Developer,
        ..OpenAiChat::default()
    };
    let body = codec
        .encode(&request, &Files::new(), AnswerMode::Whole)
        .body;
    assert_eq!(
        body["messages"],
        json!([{ "role": "developer", "content": "Be brief." }])
    );
}
