//! There is no empty request or view to begin with.
use folkmoot_core::border::ModelView;
use folkmoot_core::request::ModelRequest;

fn main() {
    let _: ModelRequest = Default::default();
    let _: ModelView = Default::default();
}
