//! A text for models cannot be changed in its place either.
use folkmoot_core::prompt::border::ModelText;

fn change(mut text: ModelText) {
    text.make_ascii_uppercase();
}

fn main() {
    let _ = change;
}
