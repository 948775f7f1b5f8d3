use std::path::Path;

use folkmoot_core::tool::{EffectClass, Repeat, ToolSpec};
use serde_json::{Value, json};

use super::kinds;
use crate::build::BuildError;
use crate::build::FEATURES;
use crate::stage::{build, try_build};

fn refused(settings: &Value) -> (String, String) {
    let error = try_build(settings, Path::new("/")).unwrap_err();
    (error.path().to_owned(), error.to_string())
}

#[test]
fn every_kind_is_built_with_the_effect_it_declares() {
    let folder = tempfile::tempdir().unwrap();
    for (settings, effect, repeat) in [
        (
            json!({ "use": "fs.list", "root": "." }),
            EffectClass::Read,
            Repeat::Always,
        ),
        (
            json!({ "use": "fs.read", "root": "." }),
            EffectClass::Read,
            Repeat::Always,
        ),
        (
            json!({ "use": "fs.search", "root": "." }),
            EffectClass::Read,
            Repeat::Always,
        ),
        (
            json!({ "use": "fs.write", "root": "." }),
            EffectClass::Write,
            Repeat::Always,
        ),
        (
            json!({ "use": "fs.append", "root": "." }),
            EffectClass::Write,
            Repeat::Never,
        ),
        (
            json!({ "use": "fs.edit", "root": "." }),
            EffectClass::Write,
            Repeat::Never,
        ),
        (
            json!({ "use": "fs.move", "root": "." }),
            EffectClass::Write,
            Repeat::Never,
        ),
        (
            json!({ "use": "fs.delete", "root": "." }),
            EffectClass::Destructive,
            Repeat::Never,
        ),
        (
            json!({ "use": "shell", "cwd": ".", "allow": [["ls"]] }),
            EffectClass::Destructive,
            Repeat::Never,
        ),
        (
            json!({ "use": "http.get", "allow": [{ "host": "example.org" }] }),
            EffectClass::Read,
            Repeat::Always,
        ),
        (
            json!({ "use": "http.request", "allow": [{ "host": "example.org", "methods": ["POST"] }] }),
            EffectClass::Destructive,
            Repeat::Never,
        ),
        (
            json!({ "use": "clock.now" }),
            EffectClass::Read,
            Repeat::Always,
        ),
        (json!({ "use": "calc" }), EffectClass::Read, Repeat::Always),
        (json!({ "use": "ask" }), EffectClass::Read, Repeat::Always),
        (
            json!({ "use": "handoff" }),
            EffectClass::Read,
            Repeat::Always,
        ),
        (
            json!({ "use": "scripted", "effect": "write", "results": [{ "text": "" }] }),
            EffectClass::Write,
            Repeat::Never,
        ),
    ] {
        let spec = build(&settings, folder.path()).spec().clone();
        assert_eq!((spec.effect, spec.repeat), (effect, repeat), "{settings}");
        assert_eq!(spec.needs_host, settings["use"] == "shell");
    }
    let always = kinds().filter(|kind| FEATURES.iter().all(|(name, _)| *name != kind.name));
    assert_eq!(always.count(), 16);
}

#[test]
fn common_settings_reach_the_spec() {
    let folder = Path::new(".");
    let plain = build(&json!({ "use": "calc" }), folder).spec().clone();
    assert_eq!(
        (plain.timeout_ms, plain.model_bytes_max),
        (ToolSpec::TIMEOUT_MS, ToolSpec::MODEL_BYTES_MAX)
    );
    let settings =
        json!({ "use": "calc", "timeout": "150ms", "description": "Counts.", "model_bytes": 300 });
    let spec = build(&settings, folder).spec().clone();
    let expected = ToolSpec {
        timeout_ms: 150,
        description: "Counts.".into(),
        model_bytes_max: 300,
        ..plain
    };
    assert_eq!(spec, expected);
}

#[test]
fn another_root_or_list_is_another_tool_to_whoever_allowed_it() {
    let digest = |settings: &Value| build(settings, Path::new("/")).spec().settings;
    let shell = |allow: Value, timeout: &str| json!({ "use": "shell", "cwd": "/", "allow": allow, "timeout": timeout });
    let settings = [
        json!({ "use": "fs.read", "root": "/" }),
        json!({ "use": "fs.write", "root": "/" }),
        json!({ "use": "fs.read", "root": "/tmp" }),
        shell(json!([["ls"]]), "1s"),
        shell(json!([["ls"], ["date"]]), "1s"),
    ];
    let digests: std::collections::BTreeSet<_> = settings.iter().map(digest).collect();
    assert_eq!(digests.len(), settings.len());
    assert_eq!(digest(&shell(json!([["ls"]]), "2s")), digest(&settings[3]));
}

/// The kinds of this build's features, as errors list them behind the others.
fn of_features() -> String {
    let is_of_feature = |name: &str| FEATURES.iter().any(|(kind, _)| *kind == name);
    let kinds = kinds().filter(|kind| is_of_feature(kind.name));
    kinds.map(|kind| format!(", `{}`", kind.name)).collect()
}

#[test]
fn a_word_that_is_slightly_wrong_gets_the_right_one() {
    assert_eq!(
        refused(&json!({ "use": "fs.raed", "root": "." })),
        (
            "use".into(),
            format!(
                "tool `tool`: there is no `use: fs.raed`, did you mean `fs.read`? The tools are `fs.list`, `fs.read`, `fs.search`, \
                 `fs.write`, `fs.append`, `fs.edit`, `fs.move`, `fs.delete`, `shell`, `http.get`, `http.request`, `clock.now`, \
                 `calc`, `ask`, `handoff`, `scripted`{}",
                of_features()
            )
        )
    );
    assert_eq!(
        refused(&json!({ "use": "fs.read", "rot": "." })),
        (
            "rot".into(),
            "tool `tool`: `use: fs.read` has no setting `rot`, did you mean `root`? Its settings are `root`, `links`, `use`, \
             `description`, `timeout`, `model_bytes`, `output_bytes`, `concurrency`, `calls_per_episode`, `memoise`, `grants`, `view`"
                .into()
        )
    );
}

#[test]
fn a_kind_that_this_build_lacks_names_its_feature() {
    let known: Vec<&str> = kinds().map(|kind| kind.name).collect();
    for (kind, feature) in FEATURES.iter().filter(|(kind, _)| !known.contains(kind)) {
        let why = format!(
            "tool `tool`: `use: {kind}` is not in this build: build Folkmoot with the feature `{feature}`, e.g. \
             `cargo install --path cli --locked --features full`"
        );
        assert_eq!(refused(&json!({ "use": kind })), ("use".into(), why));
    }
}

#[expect(clippy::too_many_lines, reason = "a table: one row for each fault")]
#[test]
fn faults_say_where_they_are_and_what_to_write() {
    let scripted = |more: Value| {
        let mut settings =
            json!({ "use": "scripted", "effect": "read", "results": [{ "text": "ok" }] });
        settings
            .as_object_mut()
            .unwrap()
            .append(&mut more.as_object().unwrap().clone());
        settings
    };
    for (settings, path, why) in [
        (json!("calc"), "", "expected settings"),
        (json!({}), "", "add `use:` with one of `fs.list`"),
        (json!({ "use": 5 }), "", "add `use:`"),
        (
            json!({ "use": "calc", "timeout": "10" }),
            "timeout",
            "write a number and a unit",
        ),
        (
            json!({ "use": "calc", "timeout": 10 }),
            "timeout",
            "invalid type: integer `10`",
        ),
        (
            json!({ "use": "calc", "timeout": "0s" }),
            "timeout",
            "longer than 0",
        ),
        (
            json!({ "use": "calc", "model_bytes": 5 }),
            "model_bytes",
            "at least 256",
        ),
        (json!({ "use": "fs.read" }), "", "missing field `root`"),
        (
            json!({ "use": "scripted", "results": [{ "text": "ok" }] }),
            "",
            "add `effect: read | write | destructive`",
        ),
        (
            scripted(json!({ "effect": "delete" })),
            "effect",
            "unknown variant `delete`",
        ),
        (
            scripted(json!({ "results": [] })),
            "results",
            "add at least one",
        ),
        (
            scripted(json!({ "results": [{}] })),
            "results[0]",
            "give a result",
        ),
        (
            scripted(json!({ "results": [{ "text": "a", "error": "b" }] })),
            "results[0]",
            "or else one of error",
        ),
        (
            scripted(json!({ "results": [{ "summary": "a" }] })),
            "results[0]",
            "give a result",
        ),
        (
            scripted(json!({ "results": [{ "artifact": { "kind": "estimate", "data": {} } }] })),
            "results[0]",
            "declares no artifact estimate",
        ),
        (
            scripted(json!({ "results": [{ "txt": "a" }] })),
            "results[0].txt",
            "unknown field `txt`",
        ),
        (
            scripted(json!({ "results": [{ "text": "a", "takes": "2" }] })),
            "results[0].takes",
            "is not a duration",
        ),
        (
            scripted(json!({ "results": [{ "text": "a", "when": 5 }] })),
            "results[0].when",
            "expected words, or a map",
        ),
        (
            scripted(json!({ "results": [{ "text": "a" }, { "text": "b" }] })),
            "results[0]",
            "never reached",
        ),
        (
            scripted(
                json!({ "results": [{ "needs_input": { "question": "Which?", "options": ["a"], "choose": { "min": 1, "max": 2 } } }] }),
            ),
            "results[0].needs_input.choose",
            "number of options",
        ),
        (
            scripted(
                json!({ "results": [{ "needs_input": { "question": "How many?", "schema": { "type": "many" } } }] }),
            ),
            "results[0].needs_input.schema",
            "many",
        ),
        (
            scripted(
                json!({ "results": [{ "needs_input": "Sure?", "counts": "runs" }, { "text": "ok" }] }),
            ),
            "results[0].counts",
            "nothing to count",
        ),
        (
            scripted(json!({ "idempotent": "yes" })),
            "idempotent",
            "expected `true`, `false`, or e.g.",
        ),
        (
            scripted(json!({ "reconciles": true })),
            "reconciles",
            "add one to a result",
        ),
    ] {
        let (found_path, found_why) = refused(&settings);
        assert_eq!(found_path, path, "{settings}: {found_why}");
        assert!(found_why.contains(why), "{settings}: {found_why}");
    }
}

#[test]
fn a_bad_schema_refuses_the_tool_and_says_where() {
    let with = |schema: Value| {
        let settings = json!({ "use": "scripted", "effect": "read", "schema": schema, "results": [{ "text": "ok" }] });
        try_build(&settings, Path::new("/"))
    };
    with(json!({ "type": "object", "properties": { "a": { "type": "string" } } })).unwrap();
    for (schema, at) in [
        (
            json!({ "type": "object", "properties": { "a": { "type": "strng" } } }),
            "/properties/a/type",
        ),
        (json!({ "type": "object", "required": "a" }), "/required"),
        (json!({ "type": "string" }), ""),
        (json!({}), ""),
        (json!(true), ""),
        (
            json!({ "type": "object", "properties": { "a": { "$ref": "http://127.0.0.1:9/x" } } }),
            "/properties/a",
        ),
        (
            json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/b" } } }),
            "/properties/a",
        ),
        (json!({ "type": "object", "allOf": [{ "$ref": "#" }] }), ""),
    ] {
        match with(schema.clone()) {
            Err(BuildError::BadSchema { path, .. }) => assert_eq!(path, at, "{schema}"),
            other => panic!("{schema}: {other:?}"),
        }
    }
}

#[test]
fn a_missing_root_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    for (settings, key) in [
        (json!({ "use": "fs.read", "root": "none" }), "root"),
        (json!({ "use": "fs.write", "root": "file" }), "root"),
        (
            json!({ "use": "shell", "cwd": "none", "allow": [["ls"]] }),
            "cwd",
        ),
        (
            json!({ "use": "scripted", "effect": "read", "results": [{ "text": "", "counts": "none/runs" }] }),
            "counts",
        ),
    ] {
        let error = try_build(&settings, folder.path()).unwrap_err();
        assert_eq!(error.path(), key);
        let wanted = folder.path().join(if settings["root"] == "file" {
            "file"
        } else {
            "none"
        });
        assert!(
            error
                .to_string()
                .contains(&format!("there is no folder {}", wanted.display())),
            "{error}"
        );
        assert!(matches!(error, BuildError::MissingRoot { .. }));
    }
}

#[test]
fn roots_are_told_with_symlinks_followed() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    std::fs::create_dir(real.join("data")).unwrap();
    std::os::unix::fs::symlink("data", real.join("link")).unwrap();
    for (settings, roots) in [
        (
            json!({ "use": "fs.read", "root": "link" }),
            vec![real.join("data")],
        ),
        (
            json!({ "use": "shell", "cwd": "./data", "allow": [["ls"]] }),
            vec![real.join("data")],
        ),
        (
            json!({ "use": "scripted", "effect": "read", "results": [{ "text": "", "counts": "link/runs" }] }),
            vec![real.join("data/runs")],
        ),
        (json!({ "use": "calc" }), vec![]),
    ] {
        let built = try_build(&settings, folder.path()).unwrap();
        let found: Vec<_> = built.roots.into_iter().map(|root| root.path).collect();
        assert_eq!(found, roots);
    }
}

#[test]
fn limits_memo_grants_and_view_are_settings_of_every_tool() {
    let settings = json!({
        "use": "calc", "concurrency": 3, "calls_per_episode": 4, "memoise": true, "output_bytes": 1_000,
        "grants": "any", "view": { "aggregates": { "rows_min": 5 } },
    });
    let built = try_build(&settings, Path::new("/")).unwrap();
    let spec = built.tool.spec();
    let limits = (
        spec.concurrency_max,
        spec.calls_per_episode_max,
        spec.output_bytes_max,
    );
    assert_eq!(limits, (Some(3), Some(4), 1_000));
    assert!(spec.memoises && spec.grants_any);
    assert_eq!(
        spec.view,
        folkmoot_core::tool::ViewPolicy::Aggregates { rows_min: 5 }
    );
}

#[test]
fn setting_that_cannot_be_is_named() {
    let with = |key: &str, value: Value| {
        let mut settings =
            json!({ "use": "scripted", "effect": "write", "results": [{ "text": "ok" }] });
        settings[key] = value;
        try_build(&settings, Path::new("/"))
            .unwrap_err()
            .path()
            .to_owned()
    };
    for (key, value) in [
        ("concurrency", json!(0)),
        ("calls_per_episode", json!(0)),
        ("output_bytes", json!(9 << 20)),
        ("memoise", json!(true)),
        ("grants", json!("all")),
        ("view", json!("some")),
    ] {
        assert_eq!(with(key, value), key);
    }
}
