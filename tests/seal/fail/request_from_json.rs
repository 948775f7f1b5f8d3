//! Parsing makes no request to a model.
use folkmoot_core::prompt::ModelRequest;

fn main() {
    let _: ModelRequest = serde_json::from_str("{}").unwrap();
}
