use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use folkmoot_core::ids::{Attempt, Time};
use folkmoot_core::port::{Progress, Tool, ToolCall};
use folkmoot_core::tool::{
    Artifact, Question, Reconciliation, Repeat, ToolErrorCode, ToolFailure, ToolOutcome,
    ToolOutput, View,
};
use serde_json::{Value, json};

use crate::stage::{answered, build, call, failure};

fn tool(results: &Value, base: &Path) -> Arc<dyn Tool> {
    build(
        &json!({ "use": "scripted", "effect": "destructive", "results": results }),
        base,
    )
}

#[tokio::test]
async fn the_first_result_that_fits_the_arguments_is_given() {
    let tool = tool(
        &json!([
            { "when": { "path": "a.md", "deep": 2 }, "text": "both" },
            { "when": { "path": "a.md" }, "text": "a" },
            { "when": "urgent", "text": "words" },
            { "text": "else" },
        ]),
        Path::new("."),
    );
    for (arguments, text) in [
        (json!({ "path": "a.md", "deep": 2 }), "both"),
        (json!({ "path": "a.md", "deep": 3 }), "a"),
        (json!({ "note": ["this is urgent!"] }), "words"),
        (json!({ "urgent": 1 }), "else"),
        (json!({}), "else"),
    ] {
        assert_eq!(tool.run(&call(arguments)).await, ToolOutcome::text(text));
    }
}

#[tokio::test]
async fn when_nothing_fits_the_run_fails() {
    let tool = tool(
        &json!([{ "when": { "a": 1 }, "text": "a" }]),
        Path::new("."),
    );
    let outcome = tool.run(&call(json!({ "a": 2 }))).await;
    assert_eq!(failure(&outcome).0, ToolErrorCode::Failed);
}

#[tokio::test]
async fn a_result_is_a_text_or_json_or_a_failure() {
    let run = async |result: Value| {
        tool(&json!([result]), Path::new("."))
            .run(&call(json!({})))
            .await
    };
    assert_eq!(
        run(json!({ "json": { "rows": 2 } })).await,
        ToolOutcome::Done(ToolOutput::text(r#"{"rows":2}"#).with(View::Json(json!({ "rows": 2 }))))
    );
    assert_eq!(
        run(json!({ "error": "disk gone" })).await,
        ToolOutcome::Failed(ToolFailure {
            code: ToolErrorCode::Failed,
            detail: "disk gone".into(),
            named: None,
        })
    );
    assert_eq!(
        run(json!({ "error": { "code": "not_found", "detail": "no room 7" } })).await,
        ToolOutcome::Failed(ToolFailure {
            code: ToolErrorCode::NotFound,
            detail: "no room 7".into(),
            named: None,
        })
    );
}

#[tokio::test]
async fn a_result_has_a_track_for_people_and_one_for_models() {
    let estimate = json!({ "kind": "estimate", "data": { "cost": 1200 } });
    let table = json!({ "title": "Offers", "columns": ["who"], "rows": [["Ann"]] });
    let run = async |result: Value| {
        let settings = json!({
            "use": "scripted", "effect": "read", "results": [result],
            "artifacts": { "estimate": {
                "title": "Estimate", "schema": { "type": "object" },
                "fields": [{ "path": "/cost", "label": "Cost", "as": { "money": "USD" } }],
            } },
        });
        let ToolOutcome::Done(output) =
            build(&settings, Path::new(".")).run(&call(json!({}))).await
        else {
            panic!()
        };
        output
    };
    let artifact: Artifact = serde_json::from_value(estimate.clone()).unwrap();
    let whole = run(
        json!({ "text": "about 1200", "summary": "cheap", "table": table, "artifact": estimate }),
    )
    .await;
    assert_eq!(
        (whole.text.as_str(), whole.summary.as_deref()),
        ("about 1200", Some("cheap"))
    );
    assert_eq!(
        whole.views,
        [
            View::Table(serde_json::from_value(table.clone()).unwrap()),
            View::Artifact(artifact.clone())
        ]
    );
    let bare = run(json!({ "table": table, "artifacts": [estimate, estimate] })).await;
    assert_eq!(
        bare.text,
        "{\"columns\":[\"who\"],\"rows\":[[\"Ann\"]]}\n{\"cost\":1200}\n{\"cost\":1200}"
    );
    assert_eq!(bare.views.len(), 3);
}

#[tokio::test]
async fn a_question_is_asked_until_it_is_answered() {
    let tool = tool(
        &json!([
            { "needs_input": { "question": "Which?", "options": ["red", "blue"] } },
            { "text": "painted {input}" },
        ]),
        Path::new("."),
    );
    let question = Question {
        text: "Which?".into(),
        options: vec!["red".into(), "blue".into()],
        ..Question::default()
    };
    assert_eq!(
        tool.run(&call(json!({}))).await,
        ToolOutcome::NeedsInput(question)
    );
    assert_eq!(
        tool.run(&answered(call(json!({})), "blue")).await,
        ToolOutcome::text("painted blue")
    );
}

#[tokio::test]
async fn takes_is_time_of_the_worlds_clock() {
    let tool = tool(&json!([{ "text": "ok", "takes": "2s" }]), Path::new("."));
    let call = call(json!({}));
    tool.run(&call).await;
    assert_eq!(
        call.clock.now(),
        Time::SIMULATED_START.after(Duration::from_secs(2))
    );
}

#[tokio::test]
async fn output_is_kept_within_its_limit() {
    let settings = json!({
        "use": "scripted", "effect": "read", "model_bytes": 256, "output_bytes": 280, "results": [{ "text": "x".repeat(300) }],
    });
    let outcome = build(&settings, Path::new(".")).run(&call(json!({}))).await;
    let ToolOutcome::Done(output) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(output.text.len(), 280);
}

#[tokio::test]
async fn reports_are_given_in_order_before_the_run_takes_its_time() {
    #[derive(Debug, Default)]
    struct Heard(Mutex<Vec<String>>);
    impl Progress for Heard {
        fn report(&self, text: &str) {
            self.0.lock().unwrap().push(text.to_owned());
        }
    }
    let tool = tool(
        &json!([{ "text": "done", "takes": "2s", "progress": ["one", "two"] }]),
        Path::new("."),
    );
    let heard = Arc::<Heard>::default();
    tool.run(&ToolCall {
        progress: heard.clone(),
        ..call(json!({}))
    })
    .await;
    assert_eq!(*heard.0.lock().unwrap(), ["one", "two"]);
}

#[tokio::test]
async fn every_run_is_counted_with_its_key_and_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let tool = tool(&json!([{ "text": "ok", "counts": "runs" }]), folder.path());
    for attempt in [1, 2] {
        tool.run(&ToolCall {
            attempt: Attempt(attempt),
            ..call(json!({}))
        })
        .await;
    }
    let counted = std::fs::read_to_string(folder.path().join("runs")).unwrap();
    assert_eq!(counted, "world/call 7 1\nworld/call 7 2\n");
}

#[tokio::test]
async fn a_run_that_cannot_be_counted_fails() {
    let folder = tempfile::tempdir().unwrap();
    let tool = tool(&json!([{ "text": "ok", "counts": "runs" }]), folder.path());
    std::fs::create_dir(folder.path().join("runs")).unwrap();
    let outcome = tool.run(&call(json!({}))).await;
    assert!(
        failure(&outcome).1.starts_with("cannot count"),
        "{outcome:?}"
    );
    assert_eq!(
        tool.reconcile(&call(json!({}))).await,
        Reconciliation::CannotTell
    );
}

#[tokio::test]
async fn a_lost_run_is_looked_up_by_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let settings = json!({
        "use": "scripted", "effect": "write", "reconciles": true,
        "results": [{ "when": "quiet", "text": "uncounted" }, { "text": "ok", "counts": "runs" }],
    });
    let tool = build(&settings, folder.path());
    assert!(tool.spec().reconciles);
    let (mine, other) = (
        call(json!({})),
        ToolCall {
            idempotency_key: "world/call".into(),
            ..call(json!({}))
        },
    );
    assert_eq!(tool.reconcile(&mine).await, Reconciliation::DidNot);
    tool.run(&mine).await;
    assert_eq!(
        tool.reconcile(&mine).await,
        Reconciliation::Landed(ToolOutcome::text("ok"))
    );
    assert_eq!(
        tool.reconcile(&other).await,
        Reconciliation::DidNot,
        "a key that begins like another is its own"
    );
    assert_eq!(
        tool.reconcile(&call(json!({ "a": "quiet" }))).await,
        Reconciliation::CannotTell
    );
}

#[test]
fn repeats_are_as_the_settings_say() {
    for (idempotent, repeat) in [
        (json!(true), Repeat::Always),
        (json!(false), Repeat::Never),
        (json!({ "for": "24h" }), Repeat::Within(86_400_000)),
    ] {
        let settings = json!({
            "use": "scripted", "effect": "write", "idempotent": idempotent, "results": [{ "text": "ok" }],
        });
        assert_eq!(build(&settings, Path::new(".")).spec().repeat, repeat);
    }
}
