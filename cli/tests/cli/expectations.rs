//! Expectations of scripts about the talk: the ways of messages, the cost, the ends of turns.

use crate::desk::Desk;

const ROOM: &str = r#"
world: relay
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents:
  - { name: planner, prompt: You plan. }
  - { name: worker, prompt: You work. }
policy: { main_agent: planner }
replies:
  planner: [{ text: "@worker please count" }, { text: "@ada all done" }]
  worker: [{ text: "@planner three" }]
script:
  - say: Count, please
    as: ada
  - expect:
"#;

const WAYS: &str = "[{ from: ada, to: { planner: main_agent } }, { from: planner, to: { worker: mentioned } }, \
                    { from: worker, to: { planner: mentioned } }, { from: planner, to: {} }]";

fn run(expect: &str) -> crate::desk::Ran {
    let desk = Desk::new();
    desk.write("relay.yaml", &format!("{ROOM}      {expect}\n"));
    desk.run(&["run", "relay.yaml"])
}

#[test]
fn the_ways_of_all_messages_are_one_list() {
    run(&format!("routing: {WAYS}")).expect(0);
    run(&format!("routing_unordered: {WAYS}")).expect(0);
    run("routing: { from: planner, to: {} }").expect(0);
}

#[test]
fn a_way_that_differs_is_shown_beside_what_was_expected() {
    let wrong = WAYS.replace(
        "from: worker, to: { planner: mentioned }",
        "from: worker, to: { planner: reply }",
    );
    run(&format!("routing: {wrong}"))
        .expect(1)
        .err_has("ada → planner (main_agent); planner → worker (mentioned); worker → planner (reply); planner → nobody")
        .err_has("came ada → planner (main_agent) by the rule main_agent; planner → worker (mentioned)");
    run("routing: [{ from: ada }]")
        .expect(1)
        .err_has("worker → planner (mentioned)");
    run("routing: { rule: main_agent }")
        .expect(1)
        .err_has("… → … by the rule main_agent");
}

#[test]
fn ways_in_any_order_are_paired_one_to_one() {
    let turned = "[{ from: planner }, { from: worker }, { from: planner, to: {} }, { from: ada }]";
    run(&format!("routing_unordered: {turned}")).expect(0);
    run(&format!("routing: {turned}")).expect(1);
    let twice = "[{ from: worker }, { from: worker }, { from: planner }, { from: ada }]";
    run(&format!("routing_unordered: {twice}"))
        .expect(1)
        .err_has("routing in any order");
}

#[test]
fn model_calls_are_counted_and_bounded() {
    run("{ model_calls: 3, model_calls_max: 3 }").expect(0);
    run("{ model_calls: { planner: 2, worker: 1 }, model_calls_max: { planner: 2 } }").expect(0);
    run("model_calls_max: 2")
        .expect(1)
        .err_has("at most 2 model calls")
        .err_has("came 3");
    run("model_calls_max: { planner: 1 }")
        .expect(1)
        .err_has("at most 1 model calls of planner")
        .err_has("came 2");
    run("model_calls: 4").expect(1).err_has("came 3");
}

#[test]
fn ends_of_turns_and_what_is_left_are_compared() {
    run("{ turns: { planner: [answered, answered], worker: answered }, activity: idle, people: [ada] }").expect(0);
    run("turns: { worker: passed }")
        .expect(1)
        .err_has("turns of worker")
        .err_has("answered");
    run("budget: { agents: { planner: 3, worker: 4 }, episode: 22 }").expect(0);
    run("budget: { agents: { planner: 5 } }")
        .expect(1)
        .err_has("model calls left to planner 5")
        .err_has("came 3");
    run("people: []").expect(1).err_has("ada");
    run("activity: parked").expect(1).err_has("idle");
}
