//! How far a decision reaches, from processes of their own: scopes, grants, edited arguments, reasons, choices.

use serde_json::json;

use crate::desk::{Desk, GATE};

/// The room of the desk, where the worker pushes the same branch twice, and then another one.
pub(crate) const TWICE: &str = r#"
world: gate
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents:
  - { name: worker, prompt: You push., tools: [push] }
tools:
  push:
    use: scripted
    description: Pushes a branch.
    effect: destructive
    schema: { type: object, properties: { branch: { type: string } } }
    results: [{ text: pushed, counts: data/runs.txt }]
policy: { main_agent: worker }
replies:
  worker:
    - calls: [{ tool: push, args: { branch: main } }]
    - calls: [{ tool: push, args: { branch: main } }]
    - text: "@ada it is done"
script:
  - say: Please push
    as: ada
  - idle: {}
"#;

fn parked(script: &str) -> (Desk, String, String) {
    let desk = Desk::new();
    desk.write("gate.yaml", script);
    desk.run(&["run", "gate.yaml"]).expect(4);
    let (request, shown) = desk.asked("gate");
    (desk, request, shown)
}

#[test]
fn what_each_scope_would_grant_is_shown_before_with_the_options_for_it() {
    let (desk, request, shown) = parked(TWICE);
    desk.run(&["approvals", "gate"])
        .expect(0)
        .out_has(&format!("folkmoot approve gate {request} --shown {shown} --as tester"))
        .out_has("--scope turn    worker may run push again with the same arguments until its turn is over")
        .out_has("--scope world   worker may run push again with the same arguments for 24 h, in every turn")
        .out_has(
            "--scope uses:N  worker may run push again with the same arguments within 24 h, N times with this one",
        );
    let offers = &desk.request("gate")["asks"]["offers"];
    assert_eq!(
        offers,
        &json!({ "any_args": false, "lasts_ms": 86_400_000 })
    );
}

#[test]
fn a_grant_is_told_listed_used_and_ended() {
    let (desk, request, shown) = parked(TWICE);
    desk.run(&["grants", "gate"])
        .expect(0)
        .out_has("No call is allowed in advance in gate.");
    desk.run(&[
        "approve", "gate", &request, "--shown", &shown, "--scope", "uses:3", "--as", "bob",
    ])
    .expect(0)
    .out_has("worker may run push (destructive), with the same arguments")
    .out_has("2 more of 3 times")
    .out_has("folkmoot revoke gate");
    desk.run(&["resume", "gate"])
        .expect(0)
        .out_has("it is done");
    assert_eq!(desk.runs(), 2);
    let grant = desk.run(&["grants", "gate", "--json"]).expect(0).document();
    assert_eq!(
        json!([
            grant["agent"],
            grant["tool"],
            grant["scope"],
            grant["left"],
            grant["by"]["display"]
        ]),
        json!(["worker", "push", { "uses": 3 }, 1, "bob"])
    );
    let number = grant["grant"].to_string();
    assert_eq!(grant["name"], format!("gate#{number}"));
    desk.run(&["grants", "gate"])
        .expect(0)
        .out_has("1 more of 3 times")
        .out_has(&format!("revoke gate {number}"));
    desk.run(&["revoke", "gate", &number, "--as", "eve"])
        .expect(0)
        .out_has(&format!("revoked gate#{number}: worker push"));
    desk.run(&["grants", "gate", "--json"])
        .expect(0)
        .out_has("");
    desk.run(&["revoke", "gate", &number])
        .expect(4)
        .err_has("no such grant");
    let revoked = desk
        .run(&["log", "gate", "--json", "--kind", "GrantRevoked"])
        .expect(0)
        .values();
    assert_eq!(revoked[0]["facts"]["by"]["display"], "eve");
}

#[test]
fn places_where_calls_may_differ_are_typed_as_json() {
    let script = TWICE
        .replacen("{ branch: main }", "{ branch: fix/a }", 1)
        .replacen("{ branch: main }", "{ branch: fix/b }", 1);
    let (desk, request, _) = parked(&script);
    let place = r#"{"path":"/branch","prefix":"fix/"}"#;
    desk.run(&[
        "approve", "gate", &request, "--scope", "turn", "--where", place,
    ])
    .expect(0)
    .out_has("but for these places:")
    .out_has(r#"/branch begins with "fix/""#)
    .out_has("in this turn");
    desk.run(&["resume", "gate"])
        .expect(0)
        .out_has("it is done");
    assert_eq!(desk.runs(), 2);
}

#[test]
fn a_call_runs_with_the_arguments_that_a_person_puts_in() {
    let (desk, request, shown) = parked(GATE);
    let edit = r#"{"branch": "dev"}"#;
    desk.run(&[
        "approve", "gate", &request, "--shown", &shown, "--args", edit,
    ])
    .expect(0)
    .out_has(&format!("allowed gate#{request}: worker push {edit}"));
    desk.run(&["resume", "gate"])
        .expect(0)
        .out_has("it is done");
    assert_eq!(desk.runs(), 1);
    let decided = desk
        .run(&["log", "gate", "--json", "--kind", "ApprovalDecided"])
        .expect(0)
        .values();
    assert_eq!(decided[0]["content"]["arguments"], edit);
    desk.run(&["log", "gate", "--kind", "ApprovalDecided"])
        .expect(0)
        .out_has("with other arguments");
}

#[test]
fn a_reason_is_shared_only_if_that_is_said() {
    for (tell, shares) in [(&["--tell-agent"][..], json!(true)), (&[], json!(null))] {
        let (desk, request, _) = parked(GATE);
        let deny = ["deny", "gate", &request, "--reason", "not today"];
        desk.run(&[&deny[..], tell].concat()).expect(0);
        let decided = desk
            .run(&["log", "gate", "--json", "--kind", "ApprovalDecided"])
            .expect(0)
            .values();
        assert_eq!(decided[0]["facts"]["shares_reason"], shares);
        assert_eq!(decided[0]["content"]["reason"], "not today");
    }
}

#[test]
fn what_is_no_scope_place_or_argument_is_a_wrong_usage_and_decides_nothing() {
    let (desk, request, _) = parked(GATE);
    let wrong: [(&[&str], &str); 12] = [
        (&["--scope", "session"], "`uses:N`"),
        (&["--scope", "uses:0"], "`uses:N`"),
        (&["--args", "branch"], "arguments are a JSON object"),
        (&["--args", "[1]"], "arguments are a JSON object"),
        (
            &["--args", r#"{"branch":"main","br\u0061nch":"dev"}"#],
            "the key \"branch\" occurs twice in one object",
        ),
        (
            &[
                "--scope",
                "turn",
                "--where",
                r#"{"path":"/branch","prefix":""}"#,
            ],
            "an empty prefix fits every text and every list",
        ),
        (
            &[
                "--scope",
                "turn",
                "--where",
                r#"{"path":"/branch","beneath":"fix/"}"#,
            ],
            "is not a plain path: it has an empty part",
        ),
        (
            &["--scope", "turn", "--where", "/branch=main"],
            "one of equals, one_of, prefix, range",
        ),
        (
            &[
                "--scope",
                "turn",
                "--where",
                r#"{"path":"branch","equals":1}"#,
            ],
            "a constraint is JSON",
        ),
        (
            &[
                "--scope",
                "turn",
                "--any-args",
                "--where",
                r#"{"path":"/a","equals":1}"#,
            ],
            "cannot be used with",
        ),
        (
            &["--where", r#"{"path":"/branch","equals":"main"}"#],
            "say how far they reach",
        ),
        (&["--any-args"], "say how far they reach"),
    ];
    for (options, why) in wrong {
        desk.run(&[&["approve", "gate", &request], options].concat())
            .expect(2)
            .err_has(why);
    }
    desk.run(&["deny", "gate", &request, "--tell-agent"])
        .expect(2)
        .err_has("--reason");
    desk.run(&["revoke", "gate", "nonsense"])
        .expect(2)
        .err_has("names no grant");
    assert_eq!(desk.request("gate")["request"].to_string(), request);
    assert!(
        !desk.kinds("gate").contains(&"Refused".to_owned()),
        "a wrong usage is no attempt"
    );
}

#[test]
fn what_a_tool_does_not_offer_is_refused() {
    let (desk, request, _) = parked(GATE);
    desk.run(&["approve", "gate", &request, "--scope", "turn", "--any-args"])
        .expect(4)
        .err_has("does not offer");
    let place = r#"{"path":"/branch","prefix":"fix/"}"#;
    desk.run(&[
        "approve", "gate", &request, "--scope", "turn", "--where", place,
    ])
    .expect(4)
    .err_has("does not fit");
    assert_eq!(desk.runs(), 0);
}

fn asking(question: &str) -> String {
    let results = format!(
        "results: [{{ needs_input: {{ question: Which?, {question} }} }}, {{ text: \"took {{input}}\" }}]"
    );
    GATE.replace("effect: destructive", "effect: read").replace(
        "results: [{ text: pushed, counts: data/runs.txt }]",
        &results,
    )
}

#[test]
fn several_options_are_chosen_by_number() {
    let (desk, request, _) = parked(&asking(
        "options: [red, green, blue], choose: { min: 2, max: 3 }",
    ));
    desk.run(&["approvals", "gate"])
        .expect(0)
        .out_has("choose 2 to 3")
        .out_has("--option N --option M");
    desk.run(&["answer", "gate", &request, "--option", "1"])
        .expect(4)
        .err_has("another number of options");
    desk.run(&["answer", "gate", &request, "--none"])
        .expect(4)
        .err_has("another number of options");
    desk.run(&["answer", "gate", &request, "--option", "3", "--option", "1"])
        .expect(0);
    let answered = desk
        .run(&["log", "gate", "--json", "--kind", "QuestionAnswered"])
        .expect(0)
        .values();
    assert_eq!(answered[0]["facts"]["options"], json!([0, 2]));
    desk.run(&["resume", "gate"]).expect(0).out_has("took red");
}

#[test]
fn a_free_answer_must_fit_what_the_question_wants() {
    let (desk, request, _) = parked(&asking("schema: { type: integer, minimum: -5 }"));
    desk.run(&["approvals", "gate"])
        .expect(0)
        .out_has("the answer is JSON that fits")
        .out_has("JSON --as");
    desk.run(&["answer", "gate", &request, "many"])
        .expect(4)
        .err_has("not what the question asks for");
    desk.run(&["answer", "gate", &request, "-7"])
        .expect(4)
        .err_has("not what the question asks for");
    desk.run(&["answer", "gate", &request, "-3"]).expect(0);
    desk.run(&["resume", "gate"]).expect(0).out_has("took -3");
}
