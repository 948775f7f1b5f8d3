//! What people decide, how far it reaches, and what is expected of it.

use folkmoot_core::command::{Judgement, Reply, Resolution};
use folkmoot_core::event::{Scope, Verdict, Wider};
use folkmoot_core::ids::{AgentName, PersonName, ToolName};
use serde_json::json;

use super::*;

fn verbs(steps: &str) -> Vec<Verb> {
    let text = format!("{ROOM}script:\n{steps}");
    let script = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    script.steps.into_iter().map(|step| step.verb).collect()
}

fn judgements(steps: &str) -> Vec<Judgement> {
    let judgement = |verb| {
        if let Verb::Decide(_, Resolution::Judge(judgement)) = verb {
            judgement
        } else {
            panic!("{verb:?}")
        }
    };
    verbs(steps).into_iter().map(judgement).collect()
}

#[test]
fn a_yes_says_how_far_it_reaches() {
    let all = judgements(
        "  - approve: { agent: worker }
  - approve: { scope: turn }
  - approve: { scope: uses:3, any_args: true }
  - approve: { scope: world, where: [{ path: /path, beneath: notes }, { path: /n, range: { max: 7 } }] }",
    );
    let constraint = |json: serde_json::Value| json.to_string().parse().unwrap();
    let constraints = [
        json!({ "path": "/path", "beneath": "notes" }),
        json!({ "path": "/n", "range": { "max": 7 } }),
    ];
    let yes = || Judgement::new(Verdict::Allow);
    let expected = [
        yes(),
        yes().within(Scope::Turn),
        Judgement {
            wider: Wider::Any,
            ..yes().within(Scope::Uses(3))
        },
        Judgement {
            wider: Wider::Where(constraints.map(constraint).into()),
            ..yes().within(Scope::World)
        },
    ];
    assert_eq!(all, expected);
}

#[test]
fn args_are_what_the_call_runs_with_and_match_is_what_it_has() {
    let verbs = verbs("  - approve: { match: { path: a }, args: { path: b } }");
    let [Verb::Decide(select, Resolution::Judge(judgement))] = verbs.as_slice() else {
        panic!("{verbs:?}")
    };
    assert!(select.fits_arguments(&json!({ "path": "a" })));
    assert_eq!(judgement.arguments.as_deref(), Some(r#"{"path":"b"}"#));
}

#[test]
fn a_reason_is_the_agents_only_if_it_is_shared() {
    let all = judgements(
        "  - deny: { reason: no. }\n  - deny: { reason: no., share: true }\n  - deny: {}",
    );
    let told = |one: &Judgement| (one.reason.clone(), one.shares_reason);
    let no = Some("no.".to_owned());
    assert_eq!(
        all.iter().map(told).collect::<Vec<_>>(),
        [(no.clone(), false), (no, true), (None, false)]
    );
}

#[test]
fn several_options_can_be_chosen() {
    let reply = |verb| {
        if let Verb::Decide(_, Resolution::Answer(reply)) = verb {
            reply
        } else {
            panic!("{verb:?}")
        }
    };
    let all = verbs(
        "  - answer: { option: 1 }\n  - answer: { options: [1, 3] }\n  - answer: { options: [] }",
    );
    let replies: Vec<Reply> = all.into_iter().map(reply).collect();
    assert_eq!(replies, [vec![1], vec![1, 3], vec![]].map(Reply::Options));
}

#[test]
fn grants_are_named_by_their_step_or_by_what_they_allow() {
    let verbs = verbs(
        "  - approve: { scope: world }
    id: first
  - revoke: { grant: first }
  - revoke: { agent: worker, tool: look }
  - expect: { grants: [{ tool: look, scope: uses:2, left: 1, by: ada }] }
  - expect: { grants: none }
  - say: hi
    as: ada",
    );
    let worker = AgentName::new("worker").unwrap();
    let look = ToolName::new("look").unwrap();
    assert_eq!(verbs[1], Verb::Revoke(GrantRef::Step("first".to_owned())));
    assert_eq!(
        verbs[2],
        Verb::Revoke(GrantRef::Fitting {
            agent: Some(worker),
            tool: Some(look.clone())
        })
    );
    let claims = |verb: &Verb| {
        if let Verb::Expect(expect) = verb {
            expect.claims[0].1.clone()
        } else {
            panic!("{verb:?}")
        }
    };
    let by = Some(PersonName::new("ada").unwrap());
    let wanted = GrantMatch {
        agent: None,
        tool: Some(look),
        scope: Some(Scope::Uses(2)),
        left: Some(1),
        by,
    };
    assert_eq!(
        wanted.to_string(),
        "a grant to run look of scope uses:2 with uses left: 1 by ada"
    );
    assert_eq!(claims(&verbs[3]), Claim::Grants(vec![wanted]));
    assert_eq!(claims(&verbs[4]), Claim::Grants(Vec::new()));
}

#[test]
fn what_cannot_be_decided_is_said_where_it_stands() {
    let scope = "a scope is `once`, `turn`, `world` or `uses:N`, with N from 1";
    check(
        "script:\n  - approve: { scope: session }",
        &[&format!("2:23 {scope}")],
    );
    check(
        "script:\n  - approve: { scope: uses:0 }",
        &[&format!("2:23 {scope}")],
    );
    check(
        "script:\n  - approve: { any_args: true }",
        &["2:16 `any_args` needs `scope` beside it"],
    );
    check(
        "script:\n  - approve: { scope: turn, where: [{ path: path, equals: 1 }] }",
        &[
            "2:45 `path` is not a JSON pointer to a part | write e.g. `/path` or `/items/0/id`; in a name, `~1` is a `/` and `~0` a `~`",
        ],
    );
    check(
        "script:\n  - approve: { scope: turn, where: [{ path: /path, prefx: a }] }",
        &["2:52 `prefx` is not a key of a constraint | did you mean `prefix`?"],
    );
    check(
        "script:\n  - approve: { scope: turn, where: [{ path: /n, range: { min: low } }] }",
        &["2:63 a number is needed here, and this is `low`"],
    );
    check(
        "script:\n  - approve: { scope: turn, where: { path: /n, equals: 1 } }",
        &["2:36 a list is needed here, and this is a map"],
    );
    check(
        "script:\n  - approve: { scope: turn, where: [{ path: /path, prefix: \"\" }] }",
        &[
            "2:60 an empty prefix fits every text | leave the constraint out if anything may stand there, or write the beginning",
        ],
    );
    check(
        "script:\n  - approve: { scope: turn, where: [{ path: /path, beneath: ./notes/ }] }",
        &[
            "2:61 `./notes/` is not a plain path: it has a part `.`; leave that out | write `notes`, relative to the tool's folder",
        ],
    );
    check(
        "script:\n  - deny: { share: true }",
        &["2:13 `share` needs `reason` beside it"],
    );
    check(
        "script:\n  - revoke: { grant: first }",
        &["2:22 no earlier step has the id `first` | the script has no earlier steps with an `id`"],
    );
    check(
        "script:\n  - answer: { options: [one] }",
        &["2:25 a whole number is needed here, and this is `one`"],
    );
}
