//! What makes requests for tests is not there without the feature `testing`.
use folkmoot_core::prompt::border::ForgedRequest;

fn main() {
    let _ = ForgedRequest::default().into_request();
}
