//! A request is bound to what was shown: change any of it before the decision, and nothing runs.

use crate::ids::Digest;
use crate::world::World;
use crate::world::decide::tests::consent::*;
use crate::world::effect::Effect;

/// The same world, with one thing in its checkpoint changed.
fn tampered(past: &Past, pointer: &str, value: Value) -> Past {
    let mut state = serde_json::to_value(&past.world).unwrap();
    *state
        .pointer_mut(pointer)
        .unwrap_or_else(|| panic!("no {pointer}")) = value;
    let world = World::restore(state.to_string().as_bytes()).unwrap();
    let mut past = past.clone();
    past.world = world;
    past
}

#[test]
fn changed_arguments_schema_effect_or_tool_are_not_what_was_allowed() {
    let past = asks_to_wipe(&["a"]);
    let (request, call) = (past.oldest(), past.call("bob", 0));
    let digest = json!(Digest::of(&[b"another"]));
    let asked = format!("/consent/pending/{request}");
    let open = format!("/agents/memories/bob/open_calls/{call}");
    let table = [
        (
            format!("{open}/arguments/present"),
            json!(r#"{"path":"/"}"#),
            RefusalReason::ArgumentsDiffer,
        ),
        (
            format!("{open}/tool"),
            json!("write"),
            RefusalReason::ToolChanged,
        ),
        (
            format!("{open}/state"),
            json!({ "awaits_approval": { "request": 1, "next": 1 } }),
            RefusalReason::Closed,
        ),
        (
            format!("{asked}/kind/approval/arguments"),
            digest.clone(),
            RefusalReason::ArgumentsDiffer,
        ),
        (
            format!("{asked}/kind/approval/schema"),
            digest.clone(),
            RefusalReason::ToolChanged,
        ),
        (
            format!("{asked}/kind/approval/effect"),
            json!("write"),
            RefusalReason::ToolChanged,
        ),
        (
            format!("{asked}/tool"),
            json!("write"),
            RefusalReason::ToolChanged,
        ),
        (
            format!("{asked}/agent"),
            json!("eve"),
            RefusalReason::OtherAgent,
        ),
        (
            format!("{asked}/kind/approval/shown"),
            digest.clone(),
            RefusalReason::ShownDiffers,
        ),
        (
            format!("{asked}/kind/approval/expires_at"),
            json!(0),
            RefusalReason::Expired,
        ),
    ];
    let seen = if let crate::world::RequestKind::Approval { shown, .. } =
        past.world.consent().pending()[&request].kind
    {
        Some(shown.short())
    } else {
        None
    };
    for (confirmed, (pointer, value, reason)) in [None, seen]
        .into_iter()
        .flat_map(|seen| table.iter().map(move |row| (seen.clone(), row)))
    {
        let past = tampered(&past, pointer, value.clone());
        let decision = past.decide(&judged("bob", request, yes().having_seen(confirmed)));
        let Some(Event::Refused(refused)) = decision.events.last() else {
            panic!("{pointer}: {decision:?}")
        };
        assert_eq!(refused.reason, *reason, "{pointer}");
        assert!(
            !past
                .owed()
                .iter()
                .any(|effect| matches!(effect, Effect::RunTool { .. })),
            "{pointer}"
        );
    }
}

#[test]
fn tool_that_changed_since_is_not_the_one_that_was_allowed() {
    let past = asks_to_wipe(&["a"]);
    let request = past.oldest();
    let spec = room_with(|spec| {
        spec.tools.get_mut(&tool("wipe")).unwrap().settings = Digest::of(&[b"another root"]);
    });
    let past = past.then(revise(spec));
    refuses(
        &past,
        &judged("bob", request, yes()),
        RefusalReason::ToolChanged,
        Some(request),
    );
    past.then(deny(request));
}
