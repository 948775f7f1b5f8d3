use serde_json::json;

use super::*;
use crate::request::LayerKind;
use crate::response::CallPart;

const COUNT: TokenCounter = TokenCounter::ESTIMATE;

#[test]
fn four_bytes_are_a_token_and_what_is_left_over_is_one_more() {
    let notice = |text: &str| COUNT.item(&Item::Notice { text: text.into() }) - COUNT.item_tokens;
    assert_eq!([notice(""), notice("a"), notice("four"), notice("fives"), notice("äöü")], [0, 1, 1, 2, 2]);
}

#[test]
fn every_part_of_a_request_is_counted() {
    let call = CallPart { label: "c1".to_owned(), tool: "look".to_owned(), arguments: "{}".to_owned() };
    let parts = vec![
        Part::Text("1234".to_owned()),
        Part::Reasoning("1234".to_owned()),
        Part::Call(call),
        Part::Opaque(json!({"a": 1})),
    ];
    assert_eq!(COUNT.item(&Item::Said { parts }), 8 + 6);
    let heard = Item::Heard { from: "ada".into(), text: "hello".into(), attachments: Vec::new() };
    let result = Item::Result { label: "c1".to_owned(), text: "123456".into(), failed: false };
    assert_eq!([COUNT.item(&heard), COUNT.item(&result)], [10, 10]);
    let tool = ToolDeclaration { name: "look".into(), description: "Looks.".into(), schema: json!({}) };
    assert_eq!(COUNT.tool(&tool), 16 + 3);
    assert_eq!(COUNT.layer(&Layer { kind: LayerKind::Role, text: "Be brief.".into() }), 4 + 3);
}

#[test]
fn small_models_keep_less_free() {
    let share = |context_tokens_max| Share { context_tokens_max };
    assert_eq!((share(256).answer(), share(256).summary()), (64, 32));
    assert_eq!((share(100_000).answer(), share(100_000).summary()), (4_096, 1_024));
    assert_eq!((share(0).answer(), share(0).summary()), (0, 1));
}
