//! Parsing makes no view of an outcome.
use folkmoot_core::prompt::border::ModelView;

fn main() {
    let _: ModelView = serde_json::from_str("{}").unwrap();
}
