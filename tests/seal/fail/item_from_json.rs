//! Parsing makes no item, layer or declaration that goes to a model.
use folkmoot_core::prompt::{Item, Layer, ToolDeclaration};

fn main() {
    let _: Item = serde_json::from_str("{}").unwrap();
    let _: Layer = serde_json::from_str("{}").unwrap();
    let _: ToolDeclaration = serde_json::from_str("{}").unwrap();
}
