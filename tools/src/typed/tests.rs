use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use folkmoot_core::port::{self, Tool as _};
use folkmoot_core::tool::{EffectClass, Reconciliation, ToolErrorCode, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Tool;
use crate::stage::{call, failure};

/// Money to give back.
#[derive(Debug, Deserialize, JsonSchema)]
struct Refund {
    /// The order.
    order: u64,
    /// At most a thousand.
    #[schemars(range(min = 1, max = 1000))]
    cents: u32,
    to: Account,
    #[serde(default)]
    note: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Account {
    Card,
    Wallet,
}

/// A tool that counts its runs, and the runs that were asked about.
fn refund(runs: &Arc<AtomicU32>) -> Tool<Refund> {
    let (ran, asked) = (Arc::clone(runs), Arc::clone(runs));
    let handler = move |refund: Refund, call: port::ToolCall| {
        ran.fetch_add(1, Ordering::Relaxed);
        async move {
            let Refund {
                order,
                cents,
                to,
                note,
            } = refund;
            ToolOutcome::text(format!(
                "{order} {cents} {to:?} {note:?} {}",
                call.idempotency_key
            ))
        }
    };
    let reconcile = move |refund: Refund, _call| {
        asked.fetch_add(1, Ordering::Relaxed);
        async move { Reconciliation::Landed(ToolOutcome::text(refund.order.to_string())) }
    };
    Tool::typed::<Refund>(
        "refund",
        EffectClass::Destructive,
        "Gives money back.",
        handler,
    )
    .unwrap()
    .reconcile(reconcile)
}

#[tokio::test]
async fn arguments_that_fit_reach_the_handler_as_their_type() {
    let runs = Arc::new(AtomicU32::new(0));
    let tool = refund(&runs);
    let call = call(json!({ "order": 7, "cents": 250, "to": "card" }));
    assert_eq!(
        tool.run(&call).await,
        ToolOutcome::text("7 250 Card None world/call 7")
    );
    let landed = Reconciliation::Landed(ToolOutcome::text("7"));
    assert_eq!(port::Tool::reconcile(&tool, &call).await, landed);
    assert_eq!(runs.load(Ordering::Relaxed), 2);
}

/// Arguments that do not fit, and whether `Refund` alone would have taken them.
fn bad_arguments() -> Vec<(Value, bool)> {
    vec![
        (json!({}), false),
        (json!(null), false),
        (json!([7, 250, "card"]), true),
        (json!("7"), false),
        (json!({ "order": 7, "cents": 250 }), false),
        (json!({ "order": "7", "cents": 250, "to": "card" }), false),
        (json!({ "order": -7, "cents": 250, "to": "card" }), false),
        (json!({ "order": 7.5, "cents": 250, "to": "card" }), false),
        (
            json!({ "order": 7, "cents": 4_294_967_296_u64, "to": "card" }),
            false,
        ),
        (json!({ "order": 7, "cents": 0, "to": "card" }), true),
        (json!({ "order": 7, "cents": 1001, "to": "card" }), true),
        (json!({ "order": 7, "cents": 250, "to": "cash" }), false),
        (json!({ "order": 7, "cents": 250, "to": null }), false),
        (
            json!({ "order": 7, "cents": 250, "to": "card", "note": 1 }),
            false,
        ),
        (
            json!({ "order": 7, "cents": 250, "to": "card", "nota": "typo" }),
            true,
        ),
    ]
}

#[tokio::test]
async fn arguments_that_do_not_fit_never_reach_the_handler() {
    let runs = Arc::new(AtomicU32::new(0));
    let tool = refund(&runs);
    let schema = jsonschema::validator_for(&tool.spec().schema).unwrap();
    for (arguments, does_type_take) in bad_arguments() {
        assert!(!schema.is_valid(&arguments), "a room refuses {arguments}");
        if does_type_take {
            continue;
        }
        let call = call(arguments.clone());
        let outcome = tool.run(&call).await;
        assert_eq!(
            failure(&outcome).0,
            ToolErrorCode::BadArguments,
            "{arguments}"
        );
        assert_eq!(
            port::Tool::reconcile(&tool, &call).await,
            Reconciliation::CannotTell,
            "{arguments}"
        );
    }
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

#[test]
fn models_are_told_the_type_with_its_comments() {
    let tool = refund(&Arc::default());
    let schema = json!({
        "title": "Refund",
        "description": "Money to give back.",
        "type": "object",
        "properties": {
            "order": { "description": "The order.", "type": "integer", "format": "uint64", "minimum": 0 },
            "cents": {
                "description": "At most a thousand.",
                "type": "integer", "format": "uint32", "minimum": 1, "maximum": 1000
            },
            "to": { "$ref": "#/$defs/Account" },
            "note": { "type": ["string", "null"], "default": null }
        },
        "required": ["order", "cents", "to"],
        "additionalProperties": false,
        "$defs": { "Account": { "type": "string", "enum": ["card", "wallet"] } }
    });
    assert_eq!(tool.spec().schema, schema);
    assert!(tool.spec().reconciles);
}

#[tokio::test]
async fn a_tool_without_reconcile_cannot_tell() {
    let tool = Tool::typed::<Refund>("refund", EffectClass::Write, "…", |_refund, _call| async {
        ToolOutcome::text("done")
    })
    .unwrap();
    assert!(!tool.spec().reconciles);
    let call = call(json!({ "order": 7, "cents": 250, "to": "card" }));
    assert_eq!(
        port::Tool::reconcile(&tool, &call).await,
        Reconciliation::CannotTell
    );
}

/// A type that takes whatever else there is.
#[derive(Debug, Deserialize, JsonSchema)]
struct Open {
    name: String,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[tokio::test]
async fn a_type_that_takes_other_arguments_gets_them() {
    let tool = Tool::typed::<Open>("open", EffectClass::Read, "…", |open, _call| async move {
        ToolOutcome::text(format!("{} {:?}", open.name, open.rest.get("more")))
    })
    .unwrap();
    let arguments = json!({ "name": "a", "more": true });
    assert!(jsonschema::is_valid(&tool.spec().schema, &arguments));
    let outcome = tool.run(&call(arguments)).await;
    assert_eq!(outcome, ToolOutcome::text("a Some(Bool(true))"));
}

#[test]
fn a_tool_cannot_have_any_name() {
    let made = Tool::typed::<Open>("to refund", EffectClass::Read, "…", |_open, _call| async {
        ToolOutcome::text("done")
    });
    assert_eq!(made.unwrap_err().name, "to refund");
}
