//! What a model sees of a tool's outcome is not made from its fields.
use folkmoot_core::prompt::border::ModelView;

fn main() {
    let _ = ModelView { before: String::new(), text: "done".to_owned(), failed: false, is_data: false };
}
