use serde_json::{Value, json};

use super::*;
use crate::ids::ModelName;
use crate::spec::{Limits, ModelSpec};
use crate::testing::*;
use crate::tool::{ArgumentFinding, ArtifactField, ArtifactSpec, FieldForm, Severity};

fn fault(change: impl FnOnce(&mut WorldSpec)) -> RulesError {
    Rules::check(room_with(change)).unwrap_err()
}

#[test]
fn names_must_be_told_apart_without_regard_to_case() {
    assert_eq!(
        fault(|spec| spec.agents[1].name = agent("BOB")),
        RulesError::SameName(agent("BOB"))
    );
    assert_eq!(
        fault(|spec| spec.agents[1].display = Some(agent("Bob"))),
        RulesError::SameName(agent("eve"))
    );
    assert!(Rules::check(room_with(|spec| spec.agents[0].display = Some(agent("Bob")))).is_ok());
}

#[test]
fn names_must_be_told_apart_as_mentions_compare_them() {
    assert_eq!(
        fault(|spec| spec.agents[1].name = agent("ｂｏｂ")),
        RulesError::SameName(agent("ｂｏｂ"))
    );
    assert_eq!(
        fault(|spec| spec.agents[1].name = agent("bob")),
        RulesError::SameName(agent("bob"))
    );
    let comma = RulesError::BadName {
        name: agent("a，b"),
        why: "it has a comma",
    };
    assert_eq!(
        fault(|spec| spec.agents[1].display = Some(agent("a，b"))),
        comma
    );
}

#[test]
fn agents_are_found_by_their_names() {
    let rules = Rules::check(room()).unwrap();
    assert_eq!(rules.agent(&agent("eve")), Some(&room().agents[1]));
    assert_eq!(rules.agent(&agent("tim")), None);
    assert_eq!(rules.names().find("ＥＶＥ"), Some(&agent("eve")));
}

#[test]
fn names_must_lead_somewhere() {
    let no_part = |what, name: &str| RulesError::NoPart {
        agent: agent("bob"),
        what,
        name: name.to_owned(),
    };
    assert_eq!(
        fault(|spec| drop(spec.tools.remove(&tool("wipe")))),
        no_part("tool", "wipe")
    );
    assert_eq!(fault(|spec| spec.models.clear()), no_part("model", "m"));
    let no_agent = RulesError::NoAgent {
        place: "main_agent".to_owned(),
        name: agent("tom"),
    };
    assert_eq!(
        fault(|spec| spec.policy.main_agent = Some(agent("tom"))),
        no_agent
    );
}

#[test]
fn tool_with_a_bad_schema_is_refused() {
    let bad = |spec: &mut WorldSpec| {
        spec.tools.get_mut(&tool("look")).unwrap().schema = json!({ "type": 7 })
    };
    assert!(
        matches!(fault(bad), RulesError::BadSchema { tool: named, .. } if named == tool("look"))
    );
}

fn room_where_look_has(schema: Value) -> WorldSpec {
    room_with(|spec| spec.tools.get_mut(&tool("look")).unwrap().schema = schema)
}

#[test]
fn tool_that_no_model_can_be_told_of_is_refused_with_the_place_and_the_reference() {
    let schema = json!({ "properties": { "path": { "$ref": "#/$defs/path" } } });
    let error = Rules::check(room_where_look_has(schema)).unwrap_err();
    let why = "the schema of tool look cannot be used: the reference \"#/$defs/path\" leads to no schema, at \
               `/properties/path`";
    assert_eq!(error.to_string(), why);
}

#[test]
fn models_are_told_of_a_schema_without_its_noise_and_calls_are_checked_by_the_whole() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": { "path": { "$ref": "#/$defs/path" } }, "$defs": { "path": { "type": "string" } },
    });
    let rules = Rules::check(room_where_look_has(schema.clone())).unwrap();
    let told = json!({ "properties": { "path": { "type": "string" } } });
    assert_eq!(rules.told_schema(&tool("look")), Some(&told));
    assert_eq!(rules.spec().tools[&tool("look")].schema, schema);
    let wrong = ArgumentFinding::error("/path", "type");
    assert_eq!(rules.findings(&tool("look"), "{\"path\":1}"), vec![wrong]);
}

/// Such a room was opened before schemas were checked as they are now.
#[test]
fn recorded_tool_that_no_model_can_be_told_of_is_declared_to_none_and_its_calls_are_checked_as_ever()
 {
    let schema = json!({ "properties": { "path": { "type": "string" } }, "not": { "$dynamicRef": "#/$defs/no" }, "$defs": { "no": false } });
    let rules = Rules::from(room_where_look_has(schema));
    assert_eq!(rules.told_schema(&tool("look")), None);
    assert!(rules.told_schema(&tool("wipe")).is_some());
    let wrong = ArgumentFinding::error("/path", "type");
    assert_eq!(rules.findings(&tool("look"), "{\"path\":1}"), vec![wrong]);
    assert_eq!(rules.findings(&tool("look"), "{\"path\":\"a\"}"), vec![]);
}

#[test]
fn limits_that_would_stop_everything_are_refused() {
    assert_eq!(
        fault(|spec| spec.limits.news_max = 0),
        RulesError::ZeroLimit { limit: "news_max" }
    );
    assert_eq!(
        fault(|spec| spec.limits.transcript_max = 0),
        RulesError::ZeroLimit {
            limit: "transcript_max"
        }
    );
    assert_eq!(
        fault(|spec| spec.limits.attempts = 0),
        RulesError::ZeroLimit { limit: "attempts" }
    );
}

#[test]
fn findings_are_bounded_and_hold_no_value() {
    let mut spec = room();
    let names: Vec<String> = (0..20).map(|n| format!("p{n}")).collect();
    spec.tools.get_mut(&tool("look")).unwrap().schema =
        json!({ "type": "object", "required": names });
    let rules = Rules::check(spec).unwrap();
    let missing = ArgumentFinding::error("", "required");
    assert_eq!(
        rules.findings(&tool("look"), "{\"secret\":\"s3cr3t\"}"),
        vec![missing; validate::FINDINGS_MAX]
    );
}

fn found(arguments: &str) -> Vec<(String, String, Severity)> {
    let found = Rules::check(room())
        .unwrap()
        .findings(&tool("look"), arguments);
    found
        .into_iter()
        .map(|finding| (finding.path, finding.code, finding.severity))
        .collect()
}

fn whole(code: &str) -> Vec<(String, String, Severity)> {
    vec![(String::new(), code.to_owned(), Severity::Error)]
}

#[test]
fn arguments_are_measured_before_they_are_read() {
    let large = format!("{{\"path\":\"{}\"}}", "x".repeat(1024 * 1024));
    assert_eq!(found(&large), whole("too_large"));
    let deep = |n: usize| format!("{{\"a\":{}1{}}}", "[".repeat(n), "]".repeat(n));
    assert_eq!(found(&deep(63)), []);
    assert_eq!(found(&deep(64)), whole("too_deep"));
    assert_eq!(found(&"[".repeat(100_000)), whole("too_deep"));
    assert_eq!(
        found(&format!("{{\"path\":\"{}\\\"\"}}", "[".repeat(100))),
        [],
        "brackets in a text are no depth"
    );
}

#[test]
fn many_values_under_a_long_key_are_not_looked_at_one_by_one() {
    let under =
        |key: usize, count: usize| json!({ "k".repeat(key): vec!["\u{200b}"; count] }).to_string();
    assert_eq!(
        found(&under(10_000, 5_000)),
        whole("too_large"),
        "their paths have 100 MB"
    );
    assert_eq!(found(&under(500_000, 100)), whole("too_large"));
    assert_eq!(found(&under(4, 100_000)).len(), validate::FINDINGS_MAX);
    let list = json!({ "path": "a", "numbers": vec![1; 250_000] }).to_string();
    assert_eq!(found(&list), []);
}

#[test]
fn what_people_would_not_see_is_an_error_by_its_place() {
    let hidden = |path: &str| {
        vec![(
            path.to_owned(),
            "hidden_characters".to_owned(),
            Severity::Error,
        )]
    };
    for one in [
        '\u{202e}',
        '\u{200b}',
        '\u{2066}',
        '\u{feff}',
        '\u{e0041}',
        '\u{200e}',
    ] {
        assert_eq!(
            found(&json!({ "path": format!("a{one}b") }).to_string()),
            hidden("/path"),
            "{one:?}"
        );
    }
    assert_eq!(
        found(&json!({ "more": ["a", { "b/c": "x\u{200b}" }] }).to_string()),
        hidden("/more/1/b~1c")
    );
    assert_eq!(
        found(&json!({ "a\u{200b}": "x" }).to_string()),
        hidden(""),
        "the key itself is not told"
    );
    assert_eq!(
        found(&json!({ "path": "rm\u{200d}x" }).to_string()),
        hidden("/path")
    );
}

#[test]
fn joiners_between_letters_and_emoji_that_need_them_are_no_finding() {
    assert_eq!(
        found(&json!({ "path": "👩\u{200d}👧 می\u{200c}خواهم" }).to_string()),
        []
    );
}

#[test]
fn control_characters_are_a_warning_and_line_breaks_are_none() {
    let warning = vec![(
        "/path".to_owned(),
        "control_characters".to_owned(),
        Severity::Warning,
    )];
    assert_eq!(found("{\"path\":\"a\\u001b[31m\"}"), warning);
    assert_eq!(found("{\"path\":\"a\\n\\tb\"}"), []);
}

#[test]
fn deny_rule_must_be_able_to_deny_something() {
    use crate::spec::DenyRule;
    use crate::tool::constraint::{Allowed, Constraint};
    let rule = |name: &str, path: &str| {
        let when = vec![Constraint {
            path: path.to_owned(),
            allowed: Allowed::Equals(json!("a")),
        }];
        fault(|spec| {
            spec.policy.deny = vec![DenyRule {
                tool: tool(name),
                when,
            }]
        })
    };
    assert_eq!(
        rule("look", "path"),
        RulesError::BadPointer {
            tool: tool("look"),
            path: "path".to_owned()
        }
    );
    assert_eq!(rule("fly", "/path"), RulesError::DeniesNoTool(tool("fly")));
}

#[test]
fn constraint_that_says_nothing_of_its_tool_is_refused_with_the_form_to_write() {
    use crate::spec::DenyRule;
    use crate::tool::constraint::{Allowed, Constraint};
    use crate::tool::{CallRule, EffectClass, PathArguments};
    let one = |allowed| {
        vec![Constraint {
            path: "/path".to_owned(),
            allowed,
        }]
    };
    let denied = |allowed, at: &[&str]| {
        let (rule, at) = (
            DenyRule {
                tool: tool("look"),
                when: one(allowed),
            },
            PathArguments::at(at.iter().copied()),
        );
        fault(|spec| {
            spec.tools.get_mut(&tool("look")).unwrap().paths = at;
            spec.policy.deny = vec![rule];
        })
        .to_string()
    };
    let told = denied(Allowed::Prefix(json!("./notes/")), &["/path"]);
    assert!(
        told.contains(r#"write {"beneath":"notes","path":"/path"}"#)
            || told.contains(r#"write {"path":"/path","beneath":"notes"}"#),
        "{told}"
    );
    assert!(denied(Allowed::Equals(json!("a//b")), &["/path"]).contains("empty part"));
    assert!(
        denied(Allowed::Beneath("a".to_owned()), &[]).contains("`beneath` works only on paths")
    );
    assert!(denied(Allowed::Prefix(json!("")), &[]).contains("an empty prefix"));
    assert!(denied(Allowed::OneOf(Vec::new()), &[]).contains("a constraint is JSON like"));
    let when = one(Allowed::Prefix(json!("notes/")));
    let listed = fault(|spec| {
        let look = spec.tools.get_mut(&tool("look")).unwrap();
        look.paths = PathArguments::at(["/path"]);
        look.rules = vec![CallRule {
            when,
            effect: EffectClass::Read,
        }];
    });
    assert!(
        listed
            .to_string()
            .starts_with("the list of calls of tool look cannot be used"),
        "{listed}"
    );
    let nowhere = fault(|spec| {
        spec.tools.get_mut(&tool("look")).unwrap().paths = PathArguments::at(["path"])
    });
    assert_eq!(
        nowhere,
        RulesError::BadPointer {
            tool: tool("look"),
            path: "path".to_owned()
        }
    );
}

#[test]
fn key_that_occurs_twice_makes_arguments_that_do_not_fit() {
    let twice = vec![(String::new(), "repeated_key".to_owned(), Severity::Error)];
    for arguments in [
        r#"{"path":"a","path":"b"}"#,
        r#"{"path":"a","\u0070ath":"b"}"#,
        r#"{"more":[{"x":{"y":1,"y":1}}]}"#,
    ] {
        assert_eq!(found(arguments), twice, "{arguments}");
    }
    assert_eq!(
        found(r#"{"path":"{\"a\":1,\"a\":2}","more":[{"path":"a"}]}"#),
        [],
        "of a text, and of another object"
    );
}

#[test]
fn limit_of_a_tool_is_never_nothing() {
    let error = fault(|spec| spec.tools.get_mut(&tool("look")).unwrap().concurrency_max = Some(0));
    assert_eq!(
        error,
        RulesError::ZeroLimitOfTool {
            tool: tool("look"),
            limit: "concurrency"
        }
    );
}

#[test]
fn pipeline_lists_the_stages_in_their_order_and_its_digest_is_of_their_settings() {
    let pipeline = |change: fn(&mut WorldSpec)| Rules::check(room_with(change)).unwrap().pipeline();
    let plain = pipeline(|_| {});
    let names: Vec<&str> = plain
        .stages
        .iter()
        .map(|stage| stage.name.as_str())
        .collect();
    let calls = [
        "answer",
        "calls_per_answer",
        "size",
        "depth",
        "json",
        "characters",
        "paths",
        "schema",
        "deny",
        "listed",
        "quota",
    ];
    let behind = [
        "mode",
        "memo",
        "grants",
        "four_eyes",
        "views",
        "redaction",
        "fences",
        "schema_strip",
        "egress",
    ];
    assert_eq!(names, [calls.as_slice(), &behind].concat());
    assert_eq!(pipeline(|_| {}), plain);
    let denying = pipeline(|spec| {
        spec.policy.deny = vec![crate::spec::DenyRule {
            tool: tool("look"),
            when: Vec::new(),
        }];
    });
    let differ = plain
        .stages
        .iter()
        .zip(&denying.stages)
        .filter(|(one, other)| one.digest != other.digest);
    assert_eq!(
        differ
            .map(|(stage, _)| stage.name.as_str())
            .collect::<Vec<_>>(),
        ["deny"]
    );
    assert_ne!(denying.digest, plain.digest);
}

fn kind_of_look(schema: Value, path: &str) -> impl FnOnce(&mut WorldSpec) {
    let field = ArtifactField {
        path: path.to_owned(),
        label: "Cost".to_owned(),
        form: FieldForm::Plain,
    };
    let kind = ArtifactSpec {
        title: "Estimate".to_owned(),
        schema,
        fields: vec![field],
    };
    |spec| {
        let look = spec.tools.get_mut(&tool("look")).unwrap();
        look.artifacts
            .insert(ArtifactName::new("estimate").unwrap(), kind);
    }
}

#[test]
fn kinds_of_artifacts_have_schemas_that_compile_and_paths_that_are_pointers() {
    assert!(
        Rules::check(room_with(kind_of_look(
            json!({ "type": "object" }),
            "/cost"
        )))
        .is_ok()
    );
    for (schema, path) in [
        (json!({ "type": "objects" }), "/cost"),
        (json!({ "type": "object" }), "cost"),
    ] {
        let fault = fault(kind_of_look(schema, path));
        assert!(
            matches!(&fault, RulesError::BadKind { kind, .. } if kind.as_str() == "estimate"),
            "{fault:?}"
        );
    }
}

#[test]
fn a_kind_means_one_thing_in_a_room() {
    let same = |schema: Value| {
        move |spec: &mut WorldSpec| {
            kind_of_look(json!({ "type": "object" }), "/cost")(spec);
            let mut kinds = spec.tools[&tool("look")].artifacts.clone();
            kinds
                .values_mut()
                .for_each(|kind| kind.schema = schema.clone());
            spec.tools.get_mut(&tool("wipe")).unwrap().artifacts = kinds;
        }
    };
    assert!(Rules::check(room_with(same(json!({ "type": "object" })))).is_ok());
    let kind = ArtifactName::new("estimate").unwrap();
    assert_eq!(fault(same(json!(true))), RulesError::TwoKinds { kind });
}

#[test]
fn limits_that_a_definition_leaves_out_are_these() {
    let limits = Limits {
        model_calls_per_agent: 5,
        model_calls_per_episode: 25,
        tool_calls_per_answer: 5,
        attempts: 3,
        broadcast_max: 8,
        hop_budget: 12,
        pair_messages_max: 8,
        service_episodes_per_hour: 30,
        ask_ttl_ms: 900_000,
        ask_depth_max: 4,
        inbox_max: 100,
        news_max: 50,
        transcript_max: 1_000,
        items_max: 2_000,
        approval_ttl_destructive_ms: 900_000,
        approval_ttl_write_ms: 86_400_000,
        grant_ttl_ms: 86_400_000,
        message_bytes_max: 57_344,
        attachments_max: 8,
        attachment_bytes_max: 8_388_608,
        cost: None,
        cost_per_episode: None,
    };
    assert_eq!(Limits::default(), limits);
}

#[test]
fn whoever_stands_in_for_a_model_is_another_defined_one_and_stands_there_once() {
    let name = |text: &str| ModelName::new(text).unwrap();
    let why = |fallback: &[&str]| {
        let fallback: Vec<ModelName> = fallback.iter().map(|text| name(text)).collect();
        let second = ModelSpec::new("scripted", "m-2");
        let spec = room_with(|spec| {
            spec.models.insert(name("second"), second);
            spec.models.get_mut(&model()).unwrap().fallback = fallback;
        });
        Rules::check(spec).map(drop)
    };
    let fault = |of: &str, why| {
        Err(RulesError::BadFallback {
            model: model(),
            name: name(of),
            why,
        })
    };
    assert_eq!(why(&["second"]), Ok(()));
    assert_eq!(why(&["second", "third"]), fault("third", "is not defined"));
    assert_eq!(why(&["m"]), fault("m", "is itself"));
    assert_eq!(
        why(&["second", "second"]),
        fault("second", "stands in the list already")
    );
}

#[test]
fn rules_are_equal_where_their_definitions_are() {
    let rules = |change: fn(&mut WorldSpec)| Rules::from(room_with(change));
    assert_eq!(rules(|_| {}), rules(|_| {}));
    assert_ne!(
        rules(|_| {}),
        rules(|spec| spec
            .tools
            .get_mut(&tool("look"))
            .unwrap()
            .description
            .push('!'))
    );
}
