use serde_json::{Map, json};

use super::*;
use crate::model::response::{CallPart, Part};
use crate::model::{CachePlace, CacheTtl, Effort, OutputFormat, Reasoning, ToolChoice};

fn declaration(schema: Value) -> ToolDeclaration {
    ToolDeclaration {
        name: "look".into(),
        description: "Looks.".into(),
        schema,
    }
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
    let parameters = Parameters {
        temperature_milli: Some(700),
        ..Parameters::default()
    };
    let layer = Layer {
        kind: LayerKind::Role,
        text: "Be brief.".into(),
    };
    let start = fingerprint_start(
        "m-1",
        &parameters,
        &[layer],
        &[declaration(json!({"type": "object"}))],
    );
    let item = Item::Heard {
        from: "ada".into(),
        text: "hi".into(),
        attachments: Vec::new(),
    };
    let next = fingerprint_next(start, item.digest());
    assert_eq!(
        start.to_string(),
        "56321478d492343ce92abd8227bc498222a4d91a709a4263d07bba31301a0eb6"
    );
    assert_eq!(
        item.digest().to_string(),
        "4b51cf7767b1d7f98c8e352177b4c3d3b0917334c929fc75dee919f846d2b1c1"
    );
    assert_eq!(
        next.to_string(),
        "2037f28aa5e5cc6b05e0272e1f7955155f9bec801a2d2c69c2d319dcf713d402"
    );
}

#[test]
fn what_is_attached_is_part_of_the_fingerprint_and_nothing_attached_leaves_it_as_it_was() {
    let heard = |attachments| Item::<ModelText>::Heard {
        from: "ada".into(),
        text: "hi".into(),
        attachments,
    };
    let file = |bytes: &[u8]| Attached {
        blob: Digest::sha256(bytes),
        media_type: "text/plain".into(),
        name: "a.txt".into(),
        bytes: 1,
    };
    assert_eq!(
        serde_json::to_value(heard(Vec::new())).unwrap(),
        json!({"heard": {"from": "ada", "text": "hi"}})
    );
    let [none, one, other] =
        [Vec::new(), vec![file(b"1")], vec![file(b"2")]].map(|files| heard(files).digest());
    assert!(none != one && one != other && other != none);
}

/// Golden: doubles cannot tell these integers apart, and a fingerprint must.
#[test]
fn integers_beyond_what_a_double_holds_are_told_apart_in_schemas_and_arguments() {
    let start = |number: &str| {
        let schema = format!(r#"{{"maximum":{number},"type":"integer"}}"#);
        let tool = declaration(serde_json::from_str(&schema).unwrap());
        fingerprint_start("m-1", &Parameters::default(), &[], &[tool]).to_string()
    };
    let said = |number: &str| {
        let arguments = format!(r#"{{"n":{number}}}"#);
        let call = CallPart {
            label: "c1".into(),
            tool: "look".into(),
            arguments,
        };
        let opaque =
            serde_json::from_str(&format!(r#"{{"wire":"openai-chat","n":{number}}}"#)).unwrap();
        Item::<ModelText>::Said {
            parts: vec![Part::Call(call), Part::Opaque(opaque)],
        }
        .digest()
        .to_string()
    };
    let numbers = [
        "9007199254740992",
        "9007199254740993",
        "18446744073709551615",
        "-9223372036854775808",
    ];
    assert_eq!(
        numbers.map(start),
        [
            "3d5aa3f69019dab183035417497eb34f9b506caec8e1392089fb3df807d38542",
            "13934c2fe78150625953153e212ca02fcd556a9035fa7f9492c7efe7b71f1db0",
            "4f924b1fc26176f41af350a48955e9dae05208207f79e6396217541ea892b933",
            "ca870bef217cedbc59a3d690e289a40dfcc11981f81e056e18113a5c9c59302f",
        ]
    );
    assert_eq!(
        numbers.map(said),
        [
            "625435b410f16b8f2b447831f6d6df0b7063e9196ede31c670434506e2777bea",
            "7ba4d096c962a79c2f7c6e4af1b352e716e22c4913c2d8897c769fbe064b0df2",
            "06f9522bcb6b546926eea36d80b9b8a9a8ba740e95201c091b625482aa98d40d",
            "c467c1c9140d0ff1b7cff5efea077f1f59753b38733116b758e9f73b10d848df",
        ]
    );
}

/// Parameters that leave nothing open.
fn all() -> Parameters {
    Parameters {
        temperature_milli: Some(700),
        output_tokens_max: Some(500),
        top_p_milli: Some(900),
        stop: vec!["END".into()],
        seed: Some(7),
        tool_choice: Some(ToolChoice::Required),
        parallel_calls: Some(false),
        strict_tools: Some(true),
        output: Some(OutputFormat::Json),
        reasoning: Some(Reasoning {
            effort: Some(Effort::Low),
            ..Reasoning::default()
        }),
        cache: [(CachePlace::System, CacheTtl::OneHour)].into(),
        extra: Map::from_iter([("top_k".to_owned(), json!(4))]),
    }
}

#[test]
fn parameters_are_laid_over_one_another_field_by_field() {
    let open = Parameters::default();
    assert_eq!((open.or(&all()), all().or(&open)), (all(), all()));
    let own = Parameters {
        temperature_milli: Some(0),
        cache: [(CachePlace::Tools, CacheTtl::Default)].into(),
        extra: Map::from_iter([
            ("top_k".to_owned(), json!(5)),
            ("user".to_owned(), json!("u")),
        ]),
        ..Parameters::default()
    };
    let expected = Parameters {
        temperature_milli: Some(0),
        cache: [
            (CachePlace::Tools, CacheTtl::Default),
            (CachePlace::System, CacheTtl::OneHour),
        ]
        .into(),
        extra: own.extra.clone(),
        ..all()
    };
    assert_eq!(own.or(&all()), expected);
}

#[test]
fn call_without_tools_says_nothing_of_tools_and_a_summary_is_prose_of_a_length() {
    let toolless = Parameters {
        tool_choice: None,
        parallel_calls: None,
        strict_tools: None,
        ..all()
    };
    assert_eq!(all().without_tools(), toolless);
    let summary = |most| Parameters {
        output_tokens_max: Some(most),
        stop: Vec::new(),
        output: None,
        ..toolless.clone()
    };
    assert_eq!(
        (all().for_summary(200), all().for_summary(900)),
        (summary(200), summary(500))
    );
}

#[test]
fn parameters_that_leave_everything_open_are_written_as_nothing() {
    assert_eq!(
        serde_json::to_value(Parameters::default()).unwrap(),
        json!({})
    );
    let written = serde_json::to_value(all()).unwrap();
    assert_eq!(
        serde_json::from_value::<Parameters>(written).unwrap(),
        all()
    );
}
