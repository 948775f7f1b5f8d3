//! Results that stand for further calls.

use crate::event::*;
use crate::prompt::Item;
use crate::spec::WorldSpec;
use crate::spec::rules::{Rules, RulesError};
use crate::testing::*;
use crate::tool::{CallRule, EffectClass, ToolErrorCode, ToolOutcome, ToolSpec};
use crate::world::effect::Effect;

fn room_of_memo() -> WorldSpec {
    room_with(|spec| look_of(spec).memoises = true)
}

fn look_of(spec: &mut WorldSpec) -> &mut ToolSpec {
    spec.tools.get_mut(&tool("look")).unwrap()
}

/// Bob has looked at `a` once, and answered.
fn looked(outcome: ToolOutcome) -> Past {
    let past = Past::with(room_of_memo()).bob_calls(&[("look", "{\"path\":\"a\"}")]);
    past.started("bob", 0, 1)
        .finished("bob", 0, 1, outcome)
        .carried_on("bob")
        .answered("bob", text("done"))
}

fn finished(past: &Past) -> Vec<&ToolFinished> {
    fn of(event: &Event) -> Option<&ToolFinished> {
        if let Event::Call(CallEvent::ToolFinished(finished)) = event {
            Some(finished)
        } else {
            None
        }
    }
    past.last().iter().filter_map(of).collect()
}

fn runs_owed(past: &Past) -> usize {
    past.owed()
        .iter()
        .filter(|effect| matches!(effect, Effect::RunTool { .. }))
        .count()
}

#[test]
fn same_arguments_have_the_result_of_the_first_run_and_nothing_runs() {
    let past = looked(ToolOutcome::text("it is red"));
    let first = past
        .events()
        .position(|event| matches!(event, Event::Call(CallEvent::ToolFinished(_))))
        .unwrap();
    let past = past.bob_calls(&[("look", "{ \"path\": \"a\" }")]);
    let [one] = finished(&past)[..] else {
        panic!("{:?}", past.last())
    };
    let memo = Some(at(u64::try_from(first).unwrap() + 1));
    let (agent, call) = (agent("bob"), past.call("bob", 0));
    assert_eq!(
        *one,
        ToolFinished {
            memo,
            ..ToolFinished::new(call, agent, None, CallStatus::Done, None)
        }
    );
    assert_eq!(runs_owed(&past), 0);
    let last = past.memory("bob").items.last().unwrap();
    assert!(
        matches!(&*last.item, Item::Result { text, failed: false, .. } if &**text == "<tool_output>it is red</tool_output>")
    );
}

#[test]
fn other_arguments_run() {
    assert_eq!(
        runs_owed(&looked(ToolOutcome::text("x")).bob_calls(&[("look", "{\"path\":\"b\"}")])),
        1
    );
}

#[test]
fn failure_stands_for_nothing() {
    let past = looked(ToolOutcome::failed(ToolErrorCode::NotFound, "d"));
    assert_eq!(
        runs_owed(&past.bob_calls(&[("look", "{\"path\":\"a\"}")])),
        1
    );
}

#[test]
fn what_depends_on_a_persons_answer_stands_for_nothing() {
    let past = Past::with(room_of_memo())
        .bob_calls(&[("look", "{}")])
        .started("bob", 0, 1);
    let past = past.finished("bob", 0, 1, question());
    let reply = reply(past.request(), crate::command::Reply::Options(vec![0]));
    let past = past
        .then(reply)
        .started("bob", 0, 2)
        .finished("bob", 0, 2, ToolOutcome::text("x"));
    let past = past.carried_on("bob").answered("bob", text("done"));
    assert_eq!(runs_owed(&past.bob_calls(&[("look", "{}")])), 1);
}

#[test]
fn result_goes_with_the_message_that_it_was_there_for() {
    let past = looked(ToolOutcome::text("x")).then(retract(4));
    assert_eq!(
        runs_owed(&past.bob_calls(&[("look", "{\"path\":\"a\"}")])),
        1
    );
}

#[test]
fn tool_that_was_set_otherwise_runs() {
    let past = looked(ToolOutcome::text("x"));
    let mut room = room_of_memo();
    look_of(&mut room).settings = crate::ids::Digest::of(&[b"other"]);
    let definition = definition(room);
    let past = past.then(crate::command::Command::of(
        ada(),
        crate::command::Action::World(crate::command::WorldAction::Revise { definition }),
    ));
    assert_eq!(
        runs_owed(&past.bob_calls(&[("look", "{\"path\":\"a\"}")])),
        1
    );
}

#[test]
fn as_many_results_are_kept_as_are_allowed() {
    let mut past = Past::with(room_of_memo());
    for n in 0..129 {
        let arguments = format!("{{\"path\":\"{n}\"}}");
        past = past.bob_calls(&[("look", &arguments)]).started("bob", 0, 1);
        past = past
            .finished("bob", 0, 1, ToolOutcome::text("x"))
            .carried_on("bob")
            .answered("bob", text("done"));
    }
    assert_eq!(
        runs_owed(&past.clone().bob_calls(&[("look", "{\"path\":\"1\"}")])),
        0
    );
    assert_eq!(
        runs_owed(&past.bob_calls(&[("look", "{\"path\":\"0\"}")])),
        1
    );
}

#[test]
fn only_a_tool_that_reads_whatever_it_is_given_may_memoise() {
    let fault = |change: fn(&mut ToolSpec)| {
        let mut room = room_of_memo();
        change(look_of(&mut room));
        Rules::check(room).err()
    };
    let is_refused = |error| matches!(error, Some(RulesError::CannotMemoise { .. }));
    assert_eq!(fault(|_| {}), None);
    assert!(is_refused(fault(|look| look.effect = EffectClass::Write)));
    assert!(is_refused(fault(|look| look.rules = vec![CallRule {
        when: Vec::new(),
        effect: EffectClass::Read
    }])));
}
