//! A request to a model is not made from its fields.
use folkmoot_core::ids::Digest;
use folkmoot_core::model::Parameters;
use folkmoot_core::prompt::ModelRequest;

fn main() {
    let _ = ModelRequest {
        model: "small-1".to_owned(),
        parameters: Parameters::default(),
        system: vec![],
        tools: vec![],
        items: vec![],
        fingerprint: Digest::of(&[]),
    };
}
