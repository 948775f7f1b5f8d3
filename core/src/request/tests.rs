use serde_json::json;

use super::*;

fn declaration(schema: Value) -> ToolDeclaration {
    ToolDeclaration { name: "look".into(), description: "Looks.".into(), schema }
}

/// Digests rely on sorted maps: some crate that asks for `preserve_order` would change them all.
#[test]
fn json_maps_are_sorted_in_this_build() {
    let value: Value = serde_json::from_str(r#"{"b":1,"a":{"d":2,"c":3}}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"a":{"c":3,"d":2},"b":1}"#);
}

#[test]
fn fingerprint_does_not_depend_on_the_order_of_a_schemas_keys() {
    let one = declaration(serde_json::from_str(r#"{"type":"object","required":["a"]}"#).unwrap());
    let two = declaration(serde_json::from_str(r#"{"required":["a"],"type":"object"}"#).unwrap());
    let start = |tool| fingerprint_start("m", &Parameters::default(), &[], &[tool]);
    assert_eq!(start(one), start(two));
}

/// Golden: recorded fingerprints are compared with recomputed ones for as long as a world lives.
#[test]
fn fingerprint_is_what_it_always_was() {
    let parameters = Parameters { temperature_milli: Some(700), ..Parameters::default() };
    let layer = Layer { kind: LayerKind::Role, text: "Be brief.".into() };
    let start = fingerprint_start("m-1", &parameters, &[layer], &[declaration(json!({"type": "object"}))]);
    let item = Item::Heard { from: "ada".into(), text: "hi".into(), attachments: Vec::new() };
    let next = fingerprint_next(start, item.digest());
    assert_eq!(start.to_string(), "56321478d492343ce92abd8227bc498222a4d91a709a4263d07bba31301a0eb6");
    assert_eq!(item.digest().to_string(), "4b51cf7767b1d7f98c8e352177b4c3d3b0917334c929fc75dee919f846d2b1c1");
    assert_eq!(next.to_string(), "2037f28aa5e5cc6b05e0272e1f7955155f9bec801a2d2c69c2d319dcf713d402");
}

#[test]
fn what_is_attached_is_part_of_the_fingerprint_and_nothing_attached_leaves_it_as_it_was() {
    let heard = |attachments| Item::<ModelText>::Heard { from: "ada".into(), text: "hi".into(), attachments };
    let file = |bytes: &[u8]| Attached {
        blob: Digest::sha256(bytes),
        media_type: "text/plain".into(),
        name: "a.txt".into(),
        bytes: 1,
    };
    assert_eq!(serde_json::to_value(heard(Vec::new())).unwrap(), json!({"heard": {"from": "ada", "text": "hi"}}));
    let [none, one, other] = [Vec::new(), vec![file(b"1")], vec![file(b"2")]].map(|files| heard(files).digest());
    assert!(none != one && one != other && other != none);
}
