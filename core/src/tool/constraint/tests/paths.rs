//! Paths: which spelling is taken, and what rules and grants make of each.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::path::{PathFault, is_beneath, parts, plain};
use super::super::{Constraint, ConstraintFault, Terms};
use crate::ids::ToolName;
use crate::spec::rules::Rules;
use crate::spec::{DenyRule, WorldSpec};
use crate::tool::{CallRule, EffectClass, PathArguments, Severity, ToolSpec};

fn tool() -> ToolSpec {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let name = ToolName::new("read").unwrap();
    ToolSpec {
        paths: PathArguments::at(["/path"]),
        ..ToolSpec::new(name, EffectClass::Read, "Reads.", schema)
    }
}

fn constraint(value: Value) -> Constraint {
    serde_json::from_value(value).unwrap()
}

fn rules(tool: ToolSpec, when: Vec<Constraint>) -> Rules {
    let mut spec = WorldSpec::default();
    spec.policy.deny = vec![DenyRule {
        tool: tool.name.clone(),
        when,
    }];
    spec.tools.insert(tool.name.clone(), tool);
    // As a recorded definition is taken: without the checks of a new one.
    Rules::from(spec)
}

/// The spelling; whether it is plain; whether it lies beneath `secrets`; and beneath `notes`.
const SPELLINGS: [(&str, Result<(), PathFault>, bool, bool); 27] = [
    ("secrets/key.txt", Ok(()), true, false),
    ("secrets", Ok(()), true, false),
    ("secrets/a/b/c", Ok(()), true, false),
    ("secrets2/key.txt", Ok(()), false, false),
    ("secretsx", Ok(()), false, false),
    ("Secrets/key.txt", Ok(()), false, false),
    ("notes/secrets", Ok(()), false, true),
    ("notes/a b", Ok(()), false, true),
    ("notes/..x", Ok(()), false, true),
    ("notes/...", Ok(()), false, true),
    (".", Ok(()), false, false),
    ("notes\\..\\secrets", Ok(()), false, false),
    ("./secrets/key.txt", Err(PathFault::Here), false, false),
    ("secrets/./key.txt", Err(PathFault::Here), false, false),
    ("secrets/.", Err(PathFault::Here), false, false),
    ("./.", Err(PathFault::Here), false, false),
    (
        "notes/../secrets/key.txt",
        Err(PathFault::Parent),
        false,
        false,
    ),
    ("..", Err(PathFault::Parent), false, false),
    ("../secrets", Err(PathFault::Parent), false, false),
    ("notes/..", Err(PathFault::Parent), false, false),
    ("secrets//key.txt", Err(PathFault::EmptyPart), false, false),
    ("secrets/", Err(PathFault::EmptyPart), false, false),
    ("notes//../secrets", Err(PathFault::EmptyPart), false, false),
    ("/secrets/key.txt", Err(PathFault::Absolute), false, false),
    ("/", Err(PathFault::Absolute), false, false),
    ("", Err(PathFault::Empty), false, false),
    ("secrets\0/key.txt", Err(PathFault::Nul), false, false),
];

#[test]
fn each_spelling_is_refused_or_is_the_path_that_rules_and_grants_read() {
    let beneath = |folder: &str| constraint(json!({ "path": "/path", "beneath": folder }));
    let tool = tool();
    let denying = rules(tool.clone(), vec![beneath("secrets")]);
    for (spelling, is_plain, in_secrets, in_notes) in SPELLINGS {
        let arguments = json!({ "path": spelling });
        assert_eq!(parts(spelling).map(drop), is_plain, "{spelling:?}");
        let found = denying.findings(&tool.name, &arguments.to_string());
        let errors: Vec<&str> = found
            .iter()
            .filter(|one| one.severity == Severity::Error)
            .map(|one| &*one.code)
            .collect();
        assert_eq!(
            errors,
            is_plain
                .err()
                .map(PathFault::code)
                .into_iter()
                .collect::<Vec<_>>(),
            "{spelling:?}"
        );
        assert_eq!(
            denying.forbids(&tool, &arguments),
            in_secrets,
            "{spelling:?}"
        );
        assert_eq!(beneath("notes").fits(&arguments), in_notes, "{spelling:?}");
        assert_eq!(
            beneath(".").fits(&arguments),
            is_plain.is_ok(),
            "{spelling:?}"
        );
        let exact = constraint(json!({ "path": "/path", "equals": spelling }));
        assert_eq!(
            tool.fault_of(&exact, Terms::Deny).is_some(),
            is_plain.is_err(),
            "{spelling:?}"
        );
    }
}

#[test]
fn recorded_prefix_on_a_path_denies_every_path_and_grants_none() {
    let old = constraint(json!({ "path": "/path", "prefix": "secrets/" }));
    let tool = tool();
    let denying = rules(tool.clone(), vec![old.clone()]);
    for (spelling, ..) in SPELLINGS {
        assert!(
            denying.forbids(&tool, &json!({ "path": spelling })),
            "{spelling:?}"
        );
    }
    assert!(!tool.can_grant(std::slice::from_ref(&old)));
    let fault = tool.fault_of(&old, Terms::Grant).unwrap();
    let instead = r#"{"beneath":"secrets","path":"/path"}"#;
    let ConstraintFault::PathByLetters {
        place,
        instead: said,
    } = &fault
    else {
        panic!("{fault}")
    };
    let said: Value = serde_json::from_str(said).unwrap();
    assert_eq!(
        (place.as_str(), said),
        ("/path", serde_json::from_str::<Value>(instead).unwrap())
    );
    let elsewhere = ToolSpec {
        paths: PathArguments::default(),
        ..tool
    };
    assert_eq!(
        elsewhere.fault_of(&old, Terms::Grant),
        None,
        "of a tool that calls no argument a path"
    );
}

#[test]
fn constraints_on_paths_are_beneath_and_equals_and_beneath_is_on_paths_alone() {
    let fault = |tool: &ToolSpec, value| tool.fault_of(&constraint(value), Terms::Grant);
    let place = || "/path".to_owned();
    for good in [
        json!({ "equals": "a" }),
        json!({ "one_of": ["a", "b/c"] }),
        json!({ "beneath": "." }),
    ] {
        let mut one = good;
        one["path"] = json!("/path");
        assert_eq!(fault(&tool(), one), None);
    }
    let range = fault(&tool(), json!({ "path": "/path", "range": { "min": 1 } }));
    assert!(
        matches!(range, Some(ConstraintFault::PathByLetters { .. })),
        "{range:?}"
    );
    let beneath = json!({ "path": "/path", "beneath": "notes" });
    let mut other = tool();
    other.paths.follows_links = true;
    assert_eq!(
        fault(&other, beneath.clone()),
        Some(ConstraintFault::FollowsLinks { place: place() })
    );
    other.paths = PathArguments::default();
    assert_eq!(
        fault(&other, beneath),
        Some(ConstraintFault::NoPath { place: place() })
    );
}

#[test]
fn beginning_of_a_list_is_granted_only_where_the_tool_offers_what_follows() {
    let begins = |start: Value| constraint(json!({ "path": "/argv", "prefix": start }));
    let listed = |start: Value| CallRule {
        when: vec![begins(start)],
        effect: EffectClass::Read,
    };
    let exact = CallRule {
        when: vec![constraint(
            json!({ "path": "/argv", "equals": ["git", "push"] }),
        )],
        ..listed(json!(["x"]))
    };
    let tool = ToolSpec {
        rules: vec![listed(json!(["git", "log"])), exact],
        ..tool()
    };
    let offers = |start: Value| tool.can_grant(&[begins(start)]);
    assert!(offers(json!(["git", "log"])) && offers(json!(["git", "log", "-1"])));
    assert!(!offers(json!(["git"])) && !offers(json!(["git", "push"])) && !offers(json!(["rm"])));
    assert_eq!(
        tool.fault_of(&begins(json!(["rm"])), Terms::Deny),
        None,
        "a rule may deny more than the tool offers"
    );
}

#[test]
fn argument_that_is_to_be_a_path_is_a_text() {
    let rules = rules(
        ToolSpec {
            schema: json!({ "type": "object" }),
            ..tool()
        },
        Vec::new(),
    );
    let codes = |arguments: Value| -> Vec<String> {
        rules
            .findings(&tool().name, &arguments.to_string())
            .into_iter()
            .map(|finding| finding.code)
            .collect()
    };
    assert_eq!(codes(json!({ "path": ["a"] })), ["not_a_path"]);
    assert_eq!(codes(json!({ "path": null })), ["not_a_path"]);
    assert_eq!(codes(json!({})), Vec::<String>::new());
}

proptest! {
    #[test]
    fn what_is_taken_is_its_own_normal_form(path in "[ab./\\\\\u{e9}]{0,12}") {
        if let Ok(names) = parts(&path) {
            let normal = std::path::Path::new(&path).components().collect::<std::path::PathBuf>();
            prop_assert_eq!(normal.to_str(), Some(path.as_str()));
            prop_assert!(std::path::Path::new(&path).is_relative());
            prop_assert_eq!(plain(&path), Some(path.clone()));
            prop_assert_eq!(names.is_empty(), path == ".");
        }
    }

    #[test]
    fn path_meant_is_plain_and_names_the_same_place(path in "[ab./]{0,12}") {
        if let Some(meant) = plain(&path) {
            prop_assert!(parts(&meant).is_ok());
            let named = |path: &str| -> Vec<String> {
                path.split('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect()
            };
            prop_assert_eq!(named(&meant), named(&path));
        }
    }

    #[test]
    fn path_is_beneath_a_folder_if_its_names_begin_with_the_folders(names in prop::collection::vec("[ab]{1,2}", 1..5), at in 0_usize..5) {
        let (path, folder) = (names.join("/"), names[..at.min(names.len())].join("/"));
        let (beside, within) = (format!("{path}x"), format!("{path}/x"));
        let folder = if folder.is_empty() { "." } else { folder.as_str() };
        prop_assert!(is_beneath(&path, folder));
        prop_assert!(!is_beneath(&path, &beside) && !is_beneath(&path, &within));
    }
}
