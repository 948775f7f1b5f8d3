use serde_json::json;

use super::*;
use crate::model::response::CallPart;
use crate::prompt::LayerKind;

const COUNT: TokenCounter = TokenCounter::ESTIMATE;

#[test]
fn four_bytes_are_a_token_and_what_is_left_over_is_one_more() {
    let notice = |text: &str| COUNT.item(&Item::Notice { text: text.into() }) - COUNT.item_tokens;
    assert_eq!(
        [
            notice(""),
            notice("a"),
            notice("four"),
            notice("fives"),
            notice("äöü")
        ],
        [0, 1, 1, 2, 2]
    );
}

#[test]
fn every_part_of_a_request_is_counted() {
    let call = CallPart {
        label: "c1".to_owned(),
        tool: "look".to_owned(),
        arguments: "{}".to_owned(),
    };
    let parts = vec![
        Part::Text("1234".to_owned()),
        Part::Reasoning("1234".to_owned()),
        Part::Call(call),
        Part::Opaque(json!({"a": 1})),
    ];
    assert_eq!(COUNT.item(&Item::Said { parts }), 8 + 6);
    let heard = Item::Heard {
        from: "ada".into(),
        text: "hello".into(),
        attachments: Vec::new(),
    };
    let result = Item::Result {
        label: "c1".to_owned(),
        text: "123456".into(),
        failed: false,
    };
    assert_eq!([COUNT.item(&heard), COUNT.item(&result)], [10, 10]);
    let tool = ToolDeclaration {
        name: "look".into(),
        description: "Looks.".into(),
        schema: json!({}),
    };
    assert_eq!(COUNT.tool(&tool), 16 + 3);
    assert_eq!(
        COUNT.layer(&Layer {
            kind: LayerKind::Role,
            text: "Be brief.".into()
        }),
        4 + 3
    );
}

#[test]
fn small_models_keep_less_free() {
    let share = |context_tokens_max| Share { context_tokens_max };
    assert_eq!((share(256).answer(), share(256).summary()), (64, 32));
    assert_eq!(
        (share(100_000).answer(), share(100_000).summary()),
        (4_096, 1_024)
    );
    assert_eq!((share(0).answer(), share(0).summary()), (0, 1));
}

#[test]
fn files_have_an_allowance_by_their_kind_and_no_more_than_are_sent() {
    let heard = |files: &[(&str, u64)]| {
        let attached = |(media_type, bytes): &(&str, u64)| Attached {
            blob: crate::ids::Digest::of(&[b"x"]),
            media_type: (*media_type).into(),
            name: "a".into(),
            bytes: *bytes,
        };
        let attachments = files.iter().map(attached).collect();
        of_files(
            [Item::Heard {
                from: "ada".into(),
                text: "".into(),
                attachments,
            }]
            .iter(),
        )
    };
    assert_eq!(heard(&[]), 0);
    assert_eq!(
        heard(&[("text/csv; charset=utf-8", 401), ("application/json", 400)]),
        201
    );
    assert_eq!(heard(&[("Image/PNG", 100)]), 5_000);
    assert_eq!(
        (
            heard(&[("application/pdf", 3_000)]),
            heard(&[("application/pdf", 3_000_000)])
        ),
        (1_500, 500_000)
    );
    assert_eq!(
        heard(&[("text/plain", FILES_BYTES_MAX + 1)]),
        0,
        "it is never sent"
    );
    assert_eq!(
        heard(&[("text/plain", FILES_BYTES_MAX); 9]),
        FILES_TOKENS_MAX
    );
}
