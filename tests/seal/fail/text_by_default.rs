//! There is no empty text for models to begin with.
use folkmoot_core::prompt::border::ModelText;

fn main() {
    let _: ModelText = Default::default();
}
