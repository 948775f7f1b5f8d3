//! What scripts are read into.

use std::time::Duration;

use folkmoot_core::command::{Reply, Resolution, Settlement};
use folkmoot_core::event::refusal::RefusalReason;
use folkmoot_core::event::{CloseReason, DampReason, RoutingReason, RoutingRule};
use folkmoot_core::ids::{AgentName, PersonName, Position};
use folkmoot_core::spec::{Limits, Mode};
use folkmoot_core::text::reply::RoutingTag;
use folkmoot_core::world::Activity;
use serde_json::json;

use super::*;
use crate::script::grammar::VERBS;

fn steps(script: &str) -> Vec<Step> {
    parse(&format!("{ROOM}script:\n{script}"))
        .unwrap_or_else(|error| panic!("{error}"))
        .steps
}

fn verbs(script: &str) -> Vec<Verb> {
    steps(script).into_iter().map(|step| step.verb).collect()
}

#[test]
fn spec_becomes_a_definition() {
    let text = "\
world: room
clock: system
description: A room.
models:
  live: { provider: openai-chat, model: gpt-5-mini, key: \"${KEY}\", timeout: 5s }
agents:
  - { name: planner, display: The Planner, prompt: Plan., model: live, temperature: 0.25, output_tokens_max: 90 }
tools:
  look: { use: scripted, effect: read, results: [{ text: seen, takes: 2s }] }
policy: { mode: auto, main_agent: planner }
limits: { attempts: 2, approval_ttl: { destructive: 1m } }
replies:
  planner: [{ text: \"@ada no\" }]
";
    let script = Script::parse(text, Path::new("/rooms/room.yaml")).unwrap();
    assert_eq!(script.base, Path::new("/rooms"));
    assert_eq!(script.clock, Some(ClockKind::System));
    let definition = script.spec.definition(std::collections::BTreeMap::new());
    let agent = &definition.spec.agents[0];
    assert_eq!(agent.display.as_ref().unwrap().as_str(), "The Planner");
    assert_eq!(agent.parameters.temperature_milli, Some(250));
    assert_eq!(agent.parameters.output_tokens_max, Some(90));
    let model = definition.spec.models.values().next().unwrap();
    assert_eq!(
        (
            model.provider.as_str(),
            model.model.as_str(),
            model.timeout_ms
        ),
        ("openai-chat", "gpt-5-mini", 5_000)
    );
    assert_eq!(definition.spec.policy.mode, Mode::Auto);
    let limits = Limits {
        attempts: 2,
        approval_ttl_destructive_ms: 60_000,
        ..Limits::default()
    };
    assert_eq!(definition.spec.limits, limits);
    let text = definition.text.present().unwrap();
    assert_eq!(text.prompts.values().next().unwrap(), "Plan.");
    let settings = json!({ "provider": "openai-chat", "model": "gpt-5-mini", "key": "${KEY}" });
    assert_eq!(text.models.values().next().unwrap(), &settings);
    assert_eq!(
        text.replies.values().next().unwrap(),
        &json!([{ "text": "@ada no" }])
    );
    let settings = json!({ "use": "scripted", "effect": "read", "results": [{ "text": "seen", "takes": "2s" }] });
    assert_eq!(text.tools.values().next().unwrap(), &settings);
}

#[test]
fn faults_that_come_later_find_the_place_of_a_setting() {
    let text = ROOM.replace(
        "use: clock.now",
        "use: scripted, effect: read, results: [{ text: seen, takes: 2s }]",
    );
    let script = parse(&text).unwrap();
    let tool = script.spec.tools.values().next().unwrap();
    let at = |path: &str| {
        let fault = script.sources.fault(tool.at.of(path), "bad", None);
        text.get(fault.span.0..fault.span.0 + fault.span.1)
            .unwrap()
            .to_owned()
    };
    assert_eq!(at("results[0].takes"), "2s");
    assert_eq!(at("results[0].takes.unit"), "2s");
    assert_eq!(at("results[0]"), "{ text: seen, takes: 2s }");
    assert_eq!(at(""), "look");
}

#[test]
fn steps_carry_who_and_how() {
    let steps = steps(
        "  - { say: hi, as: ada, id: one, wait: false }\n  - { stop: {}, refused: nothing_to_stop }",
    );
    let [say, stop] = steps.as_slice() else {
        panic!("two steps")
    };
    assert_eq!(say.by.to_string(), "ada");
    assert_eq!(
        (say.id.as_deref(), say.wait, say.refused.as_deref()),
        (Some("one"), false, None)
    );
    assert_eq!(
        (stop.id.as_deref(), stop.wait, stop.refused.as_deref()),
        (None, true, Some("nothing_to_stop"))
    );
    assert_eq!(stop.by.to_string(), "human");
}

#[test]
fn requests_are_selected_by_name_place_or_arguments() {
    let verbs = verbs(
        "  - approve: { agent: worker, tool: look, match: { path: a }, nth: 2 }
  - deny: { request: \"room#41\", reason: no. }
  - answer: { option: 1 }
  - settle: { ran: true }
  - settle: { ran: \"true\" }",
    );
    let [
        Verb::Decide(select, Resolution::Judge(_)),
        Verb::Decide(denied, Resolution::Judge(no)),
        rest @ ..,
    ] = verbs.as_slice()
    else {
        panic!("{verbs:?}")
    };
    assert_eq!(
        (select.agent.as_ref().unwrap().as_str(), select.nth),
        ("worker", Some(2))
    );
    assert!(select.fits_arguments(&json!({ "path": "a", "more": 1 })));
    assert!(!select.fits_arguments(&json!({ "path": "b" })));
    assert_eq!(
        (denied.request, no.reason.as_deref()),
        (Some(Position::new(41)), Some("no."))
    );
    let expected = [
        Resolution::Answer(Reply::Options(vec![1])),
        Resolution::Settle(Settlement::Ran(None)),
        Resolution::Settle(Settlement::Ran(Some("true".to_owned()))),
    ];
    assert_eq!(
        rest,
        expected.map(|decision| Verb::Decide(Selector::default(), decision))
    );
}

#[test]
fn expectations_are_data() {
    let verbs = verbs(
        "  - expect: { message: { from: worker, matches: \"^a+$\" }, approval: none, refusals: none, model_calls: { worker: 2 } }
    since: start
  - advance: 90s",
    );
    let [Verb::Expect(expect), Verb::Advance(time)] = verbs.as_slice() else {
        panic!("{verbs:?}")
    };
    assert_eq!(
        (expect.since, *time),
        (Some(Since::Start), Duration::from_secs(90))
    );
    let claims: Vec<&Claim> = expect.claims.iter().map(|(_, claim)| claim).collect();
    let [
        Claim::Message(message),
        Claim::Approval(None),
        Claim::Refusals(none),
        Claim::ModelCalls(calls),
    ] = claims.as_slice()
    else {
        panic!("{claims:?}")
    };
    assert!(message.fits_text("aaa") && !message.fits_text("aab"));
    assert!(none.is_empty());
    assert_eq!(*calls, Calls::Each([(name("worker"), 2)].into()));
}

fn name(name: &str) -> AgentName {
    AgentName::new(name).unwrap()
}

fn claims(expect: &str) -> Vec<Claim> {
    let verbs = verbs(&format!("  - {{ say: hi, as: ada }}\n  - expect: {expect}"));
    let [Verb::Say(_), Verb::Expect(expect)] = verbs.as_slice() else {
        panic!("{verbs:?}")
    };
    expect
        .claims
        .iter()
        .map(|(_, claim)| claim.clone())
        .collect()
}

#[test]
fn messages_are_named_by_step_position_or_speaker() {
    let verbs = verbs(
        "  - { say: hi, as: ada, id: one }
  - edit: { message: one, text: ho }
  - retract: { message: 14 }
  - retract: { message: { from: worker } }
  - regenerate: { message: { from: worker, nth: 2 } }
  - say: { text: hi, reply_to: one }
    id: \"7\"
  - retract: { message: \"7\" }",
    );
    let from = |nth| MessageRef::From {
        agent: name("worker"),
        nth,
    };
    let step = |id: &str| MessageRef::Step(id.to_owned());
    let expected = [
        Verb::Amend(step("one"), Amendment::Edit("ho".to_owned())),
        Verb::Amend(MessageRef::At(Position::new(14)), Amendment::Retract),
        Verb::Amend(from(None), Amendment::Retract),
        Verb::Amend(from(Some(2)), Amendment::Regenerate),
    ];
    assert_eq!(verbs[1..5], expected);
    assert_eq!(verbs[6], Verb::Amend(step("7"), Amendment::Retract));
}

#[test]
fn people_join_and_leave_by_themselves() {
    let steps = steps(
        "  - join: ada\n  - leave: ada\n  - { join: bob, as: \"agent:worker\", refused: not_a_person }",
    );
    let by: Vec<String> = steps.iter().map(|step| step.by.to_string()).collect();
    assert_eq!(by, ["ada", "ada", "agent:worker"]);
    let person = |name| PersonName::new(name).unwrap();
    let verbs: Vec<Verb> = steps.into_iter().map(|step| step.verb).collect();
    assert_eq!(
        verbs,
        [
            Verb::Join(person("ada")),
            Verb::Leave(person("ada")),
            Verb::Join(person("bob"))
        ]
    );
}

#[test]
fn ways_of_messages_are_expected_one_by_one_or_as_a_list() {
    let way = |from: &str, to: Option<(&str, RoutingReason)>| Routing {
        from: Some(from.to_owned()),
        respond: Some(to.into_iter().map(|(to, why)| (name(to), why)).collect()),
        ..Routing::default()
    };
    let list = "[{ from: ada, to: { planner: main_agent } }, { from: planner, to: {} }]";
    let ways = vec![
        way("ada", Some(("planner", RoutingReason::MainAgent))),
        way("planner", None),
    ];
    let last = Routing {
        rule: Some(RoutingRule::Tag),
        tag: Some(Some(RoutingTag::To)),
        damped: Some([(name("worker"), DampReason::Pair)].into()),
        people: Some([PersonName::new("ada").unwrap()].into()),
        unknown: Some(vec!["wroker".to_owned()]),
        nearest: Some(vec![name("worker")]),
        undeliverable: Some(1),
        ..Routing::default()
    };
    let wanted = claims(&format!(
        "{{ routing: {list}, routing_unordered: {list}, model_calls: 3, model_calls_max: {{ planner: 2 }} }}"
    ));
    let expected = [
        Claim::Routings(ways.clone(), Order::Listed),
        Claim::Routings(ways, Order::Any),
        Claim::ModelCalls(Calls::Total(3)),
        Claim::ModelCallsMax(Calls::Each([(name("planner"), 2)].into())),
    ];
    assert_eq!(wanted, expected);
    let wanted = claims(
        "{ routing: { rule: tag, tag: to, damped: { worker: pair }, people: [ada], unknown: [wroker], \
         nearest: [worker], undeliverable: 1 } }",
    );
    assert_eq!(wanted, [Claim::Routing(last)]);
    let wanted = claims("{ routing: { tag: none } }");
    assert_eq!(
        wanted,
        [Claim::Routing(Routing {
            tag: Some(None),
            ..Routing::default()
        })]
    );
}

#[test]
fn ends_of_turns_budgets_and_people_are_expected() {
    let wanted = claims(
        "{ turns: { planner: [answered, handed_off], worker: passed }, budget: { agents: { worker: 4 }, episode: 20 }, \
         people: [ada], activity: parked }",
    );
    let turns = [
        (
            name("planner"),
            vec![CloseReason::Answered, CloseReason::HandedOff],
        ),
        (name("worker"), vec![CloseReason::Passed]),
    ];
    let expected = [
        Claim::Turns(turns.into()),
        Claim::Budget(Budget {
            agents: Some([(name("worker"), 4)].into()),
            episode: Some(20),
            ..Budget::default()
        }),
        Claim::People([PersonName::new("ada").unwrap()].into()),
        Claim::Activity(Activity::Parked),
    ];
    assert_eq!(wanted, expected);
}

#[test]
fn digest_is_of_what_a_step_says_and_not_of_how_it_is_laid_out() {
    let digest = |script: &str| steps(script)[0].digest;
    let one = digest("  - { say: hi, as: ada }");
    assert_eq!(one, digest("  # a comment\n  - as: ada\n    say: \"hi\""));
    assert_ne!(one, digest("  - { say: hi, as: bob }"));
    assert_ne!(one, digest("  - { say: hi. , as: ada }"));
}

#[test]
fn revised_spec_is_whole_and_its_names_are_known_from_then_on() {
    let script = parse(&format!(
        "{ROOM}script:
  - revise: {{ agents: [{{ name: worker, prompt: Work. }}, {{ name: critic }}], policy: {{ main_agent: critic }} }}
  - expect: {{ message: {{ from: critic }} }}
  - revise: {{ limits: {{ attempts: 1 }} }}"
    ))
    .unwrap();
    let names = |spec: &SpecDraft| {
        spec.agents
            .iter()
            .map(|agent| agent.spec.name.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(script.spec_before(0)), ["planner", "worker"]);
    assert_eq!(
        names(script.spec_before(1)),
        ["planner", "worker", "critic"]
    );
    let last = script.spec_before(3);
    assert_eq!((names(last).len(), last.limits.attempts), (3, 1));
    assert_eq!(
        last.agents[1].spec.tools.len(),
        1,
        "what is not named stays"
    );
    check(
        "script:\n  - expect: { message: { from: critic } }\n  - revise: { agents: [{ name: critic }] }",
        &["2:32 nobody is called `critic` | speakers: planner, worker, human, world"],
    );
}

#[test]
fn every_verb_of_the_tables_is_read() {
    let read = [
        "say: hi",
        "approve: {}",
        "deny: {}",
        "answer: { text: a }",
        "settle: { not_run: true }",
        "revoke: { tool: look }",
        "stop: {}",
        "retract: { message: 1 }",
        "edit: { message: 1, text: ho }",
        "regenerate: { message: 1 }",
        "join: ada",
        "leave: ada",
        "rights: { person: ada, rights: [read] }",
        "observe: { state: ui, value: { page: 1 } }",
        "revise: {}",
        "restart: {}",
        "crash: {}",
        "advance: 1s",
        "idle: {}",
        "expect: { idle: true }",
        "note: so",
        "fork: { as: other, at: 3 }",
    ];
    let states = "  - revise: { states: { ui: { schema: {} } } }\n";
    let words: Vec<_> = read
        .iter()
        .map(|step| verbs(&format!("{states}  - {step}"))[1].word())
        .collect();
    assert_eq!(
        words,
        VERBS.iter().map(|verb| verb.field.name).collect::<Vec<_>>()
    );
}

#[test]
fn words_for_routing_are_those_of_the_core() {
    use crate::words::word;
    let rules = [
        RoutingRule::Addressed,
        RoutingRule::Named,
        RoutingRule::Tag,
        RoutingRule::Reply,
        RoutingRule::Asked,
        RoutingRule::HandedOff,
        RoutingRule::MainAgent,
        RoutingRule::Everyone,
        RoutingRule::TooMany,
        RoutingRule::Unaddressed,
        RoutingRule::Undeliverable,
    ];
    for rule in rules {
        let wanted = claims(&format!("{{ routing: {{ rule: {} }} }}", word(&rule)));
        assert_eq!(
            wanted,
            [Claim::Routing(Routing {
                rule: Some(rule),
                ..Routing::default()
            })]
        );
    }
    let reasons = [
        RoutingReason::Mentioned,
        RoutingReason::Named,
        RoutingReason::Tag,
        RoutingReason::Reply,
        RoutingReason::Asked,
        RoutingReason::HandedOff,
        RoutingReason::MainAgent,
        RoutingReason::Everyone,
    ];
    for reason in reasons {
        let respond = Some([(name("worker"), reason)].into());
        let wanted = claims(&format!(
            "{{ routing: {{ to: {{ worker: {} }} }} }}",
            word(&reason)
        ));
        assert_eq!(
            wanted,
            [Claim::Routing(Routing {
                respond,
                ..Routing::default()
            })]
        );
    }
    for tag in [
        RoutingTag::Stop,
        RoutingTag::Done,
        RoutingTag::Pass,
        RoutingTag::To,
    ] {
        let wanted = claims(&format!("{{ routing: {{ tag: {} }} }}", word(&tag)));
        assert_eq!(
            wanted,
            [Claim::Routing(Routing {
                tag: Some(Some(tag)),
                ..Routing::default()
            })]
        );
    }
}

#[test]
fn words_for_refusals_are_those_of_the_core() {
    let recorded = [
        RefusalReason::NotAPerson,
        RefusalReason::NotTheRuntime,
        RefusalReason::UnknownRequest,
        RefusalReason::OtherAgent,
        RefusalReason::OtherKind,
        RefusalReason::AlreadyDecided,
        RefusalReason::Expired,
        RefusalReason::Closed,
        RefusalReason::ShownDiffers,
        RefusalReason::NoSuchOption,
        RefusalReason::ServiceForTwo,
        RefusalReason::NothingToStop,
        RefusalReason::NothingWithheld,
    ];
    for reason in recorded {
        steps(&format!("  - {{ stop: {{}}, refused: {} }}", reason.code()));
    }
}
