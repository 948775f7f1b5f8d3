//! Lines that no peer of ours sends, made as in `tests/fuzz`.

use std::path::PathBuf;

use folkmoot::core::ids::WorldName;
use serde_json::{Value, json};

use super::Response;
use crate::desk::DeskRequest;
use crate::view::query::Query;

#[path = "../../../tests/fuzz/generator.rs"]
mod generator;

/// How many cases are made of each kind of line.
fn cases() -> u64 {
    std::env::var("FOLKMOOT_FUZZ_CASES").map_or(2_000, |cases| cases.parse().unwrap())
}

fn lines(values: &[Value]) -> Vec<Vec<u8>> {
    values
        .iter()
        .map(|value| value.to_string().into_bytes())
        .collect()
}

/// A line is a request that is read as it was meant, on one line again, or it is refused with a
/// reason.
#[test]
fn no_line_is_taken_for_another_request() {
    let world = WorldName::new("room").unwrap();
    let known = [
        DeskRequest::Query(Query::Names),
        DeskRequest::Query(Query::Worlds {
            labels: Default::default(),
        }),
        DeskRequest::Query(Query::Approvals(world)),
        DeskRequest::Backup(PathBuf::from("copy")),
    ];
    let mut seeds: Vec<Vec<u8>> = known
        .iter()
        .map(|request| serde_json::to_vec(request).unwrap())
        .collect();
    seeds.extend(lines(&[
        json!({ "decide": { "world": "room", "by": "ada", "matter": { "grant": 7 } } }),
        json!({ "erase": { "world": "room", "by": null } }),
        json!({ "room": { "world": "room", "by": "ada", "wants": { "news": { "program": "folkmoot" } } } }),
        json!({ "room": { "world": "room", "by": null, "wants": "rest" } }),
        json!({ "delete": { "worlds": ["room"], "by": "ada" } }),
    ]));
    let generator = generator::Generator::new("control", seeds);
    for case in 0..cases() {
        match serde_json::from_slice::<DeskRequest>(&generator.case(case)) {
            Ok(request) => {
                let line = serde_json::to_vec(&request).unwrap();
                assert!(!line.contains(&b'\n'), "case {case}");
                assert_eq!(
                    serde_json::from_slice::<DeskRequest>(&line).unwrap(),
                    request,
                    "case {case}"
                );
            }
            Err(error) => assert!(!error.to_string().is_empty(), "case {case}"),
        }
    }
}

#[test]
fn no_line_is_taken_for_another_answer() {
    let known = [
        json!({ "value": { "a": [1, null] } }),
        json!("done"),
        json!({ "error": { "code": 3, "message": "m" } }),
    ];
    let generator = generator::Generator::new("answers", lines(&known));
    for case in 0..cases() {
        if let Ok(response) = serde_json::from_slice::<Response>(&generator.case(case)) {
            let line = serde_json::to_vec(&response).unwrap();
            assert_eq!(
                serde_json::from_slice::<Response>(&line).unwrap(),
                response,
                "case {case}"
            );
        }
    }
}
