use std::sync::Arc;

use folkmoot_core::ids::Digest;
use folkmoot_core::prompt::{Attached, Item};

use super::encode::request;
use super::*;

#[test]
fn files_are_blocks_before_the_words_about_them() {
    let bytes: [&[u8]; 4] = [b"\x89PNG", b"%PDF", "Grüezi".as_bytes(), b"\xff\xfe"];
    let types = [
        "image/png",
        "application/pdf",
        "text/markdown; charset=utf-8",
        "text/plain",
    ];
    let attachments: Vec<Attached<String>> = bytes
        .iter()
        .zip(types)
        .map(|(bytes, media_type)| Attached {
            blob: Digest::sha256(bytes),
            media_type: media_type.into(),
            name: "f".into(),
            bytes: 1,
        })
        .collect();
    let files: Files = bytes
        .iter()
        .map(|bytes| (Digest::sha256(bytes), Arc::from(*bytes)))
        .collect();
    let request = request(vec![Item::Heard {
        from: "Ada".into(),
        text: "Look!".into(),
        attachments,
    }]);
    let wire = codec().encode(&request.into_request(), &files, AnswerMode::Whole);
    let source = |media_type: &str, data: &str| json!({ "type": "base64", "media_type": media_type, "data": data });
    let note = json!({ "type": "text", "media_type": "text/plain", "data": "Grüezi" });
    let blocks = wire.body["messages"][0]["content"].as_array().unwrap();
    let expected = [
        json!({ "type": "image", "source": source("image/png", "iVBORw==") }),
        json!({ "type": "document", "source": source("application/pdf", "JVBERg=="), "title": "f" }),
        json!({ "type": "document", "source": note, "title": "f" }),
    ];
    assert_eq!(blocks[..3], expected);
    assert!(
        blocks[3]["text"]
            .as_str()
            .unwrap()
            .starts_with("Ada: Look!\n[attached: "),
        "{}",
        blocks[3]
    );
    assert_eq!(
        (blocks.len(), wire.warnings.clone()),
        (4, vec!["attachment_not_sent".to_owned()]),
        "a text that is none is told"
    );
}

#[test]
fn the_files_that_the_wire_carries_are_known() {
    let carried = [
        "image/jpeg",
        "image/png",
        "image/gif",
        "image/webp",
        "application/pdf",
        "text/csv",
    ];
    assert!(
        carried
            .iter()
            .all(|media_type| codec().takes_file(media_type))
    );
    assert!(
        !["image/svg+xml", "audio/wav", "application/zip", ""]
            .iter()
            .any(|media_type| codec().takes_file(media_type))
    );
}
