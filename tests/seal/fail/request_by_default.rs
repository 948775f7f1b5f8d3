//! There is no empty request or view to begin with.
use folkmoot_core::prompt::ModelRequest;
use folkmoot_core::prompt::border::ModelView;

fn main() {
    let _: ModelRequest = Default::default();
    let _: ModelView = Default::default();
}
