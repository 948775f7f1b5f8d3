//! The schema and the checks are made from the same tables; here they are compared on scripts.

use std::collections::BTreeMap;

use super::*;
use crate::script::fault::Faults;
use crate::script::grammar::VERBS;
use crate::script::node;

fn validator() -> jsonschema::Validator {
    jsonschema::draft202012::new(&json_schema()).unwrap()
}

fn json(text: &str) -> serde_json::Value {
    node::load(text, 0, &Faults::default()).unwrap().json()
}

#[test]
fn schema_is_one_of_its_own_dialect() {
    jsonschema::draft202012::meta::validate(&json_schema()).unwrap();
}

/// `folkmoot schema --markdown > docs/guide/reference.md` writes it anew.
#[test]
fn the_reference_of_the_guide_is_that_of_this_build() {
    let kept = examples::folder().join("../../docs/guide/reference.md");
    let kept = fs::read_to_string(kept).unwrap();
    let made = reference();
    for (number, (kept, made)) in kept.lines().zip(made.lines()).enumerate() {
        assert_eq!(kept, made, "line {}", number + 1);
    }
    assert_eq!(kept.lines().count(), made.lines().count());
}

#[test]
fn schema_accepts_every_example() {
    let validator = validator();
    for file in examples::examples() {
        let errors: Vec<_> = validator
            .iter_errors(&json(&fs::read_to_string(&file).unwrap()))
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{}", file.display());
    }
}

/// Scripts behind the room, right and wrong.
const GOOD: &[&str] = &[
    "",
    "prices: { \"gpt 5\": { input: 0.25, cached: \"0.025\", cache_written: 1, output: \"2.00\" } }",
    "prices: { scripted: { input: 1, output: 2 } }\nlimits: { cost: \"5.00\", cost_per_episode: 0.000000000001 }",
    "replies: { worker: [{ text: a, usage: { input: 1, output: 2, cached: 0 } }] }",
    "script: [{ revise: { agents: [{ name: worker, parameters: { tool_choice: { tool: look }, reasoning: low } }] } }]",
    "script: [{ revise: { agents: [{ name: worker, parameters: { output: json, extra: { a: 1.5 }, stop: [x] } }] } }]",
    "script: [{ expect: { budget: { spent: \"0.1\", cost: 2 } } }]",
    "clock: system",
    "policy: { mode: auto, main_agent: planner, retry_shown: true }",
    "policy: { four_eyes: [destructive], redact: [email, card], deny: [{ tool: look }] }",
    "policy: { deny: [{ tool: look, where: [{ path: /to, one_of: [a, 1] }, { path: /n, range: { min: -1.5 } }] }] }",
    "gateway: { base_url: \"${A}/{provider}\", key: null, headers: { x-room: a } }",
    "limits: { attempts: 20, approval_ttl: { write: 24h } }",
    "replies: { worker: [{ text: a, calls: [{ tool: look, args: {} }] }, { pause: 2s, chunks: [a, b] }] }",
    "replies: { worker: [{ fail: { kind: rate_limit, retry_after: 2s } }, { when: { equals: a }, once: true, refuse: no. }] }",
    "script: [{ say: hi, as: ada, wait: false, id: one }, { say: { text: hi, reply_to: one } }]",
    "script: [{ approve: { tool: look, nth: 2, scope: once }, refused: expired }, { deny: { request: 41 } }]",
    "script: [{ approve: { request: \"room#41\" } }, { answer: { option: 0 } }, { settle: { ran: true } }]",
    "script: [{ approve: { scope: \"uses:3\", args: { path: a }, where: [{ path: /path, prefix: notes/ }] }, id: one }]",
    "script: [{ approve: { scope: world, where: [{ path: /n, range: { min: 1, max: 2.5 } }, { path: /a~1b/0, equals: null }] } }]",
    "script: [{ approve: { scope: turn, where: [{ path: /argv, prefix: [git] }, { path: /to, one_of: [a, 2] }] } }]",
    "script: [{ approve: { scope: turn, any_args: true }, id: one }, { revoke: { grant: one }, refused: unknown_grant }]",
    "script: [{ revoke: { agent: worker, tool: look }, as: ada }, { expect: { grants: none } }]",
    "script: [{ expect: { grants: [{ agent: worker, scope: \"uses:3\", left: 2, by: human }] } }]",
    "script: [{ deny: { reason: no., share: true } }, { answer: { options: [1, 3] } }, { answer: { options: [] } }]",
    "script: [{ settle: { ran: done } }, { settle: { run_again: true } }, { stop: {} }, { crash: {} }]",
    "script: [{ advance: 90s }, { revise: { limits: { attempts: 1 } } }, { note: so }, { idle: {} }]",
    "script: [{ expect: { approval: none, tool_runs: { look: 0 }, idle: true, replay: identical }, since: start }]",
    "script: [{ expect: { routing: { rule: addressed, respond: { worker: mentioned } }, notices: [turn_failed] } }]",
    "script: [{ say: hi, as: ada, id: one }, { edit: { message: one, text: ho }, as: ada, refused: not_yours }]",
    "script: [{ retract: { message: 14 } }, { regenerate: { message: { from: worker, nth: 2 } }, wait: false }]",
    "script: [{ join: ada }, { leave: ada, as: \"tool:look\", refused: not_a_person }]",
    "script: [{ join: ada }, { expect: { routing: [{ from: ada, to: {} }, { tag: none, people: [ada] }] } }]",
    "script: [{ expect: { routing_unordered: [{ damped: { worker: hop_budget } }], model_calls: 4 } }]",
    "script: [{ expect: { artifact: none, withheld: none } }]",
    "script: [{ expect: { artifact: { kind: a, agent: worker, tool: look, data: { b: 1 }, contains: c } } }]",
    "script: [{ expect: { withheld: { from: worker, families: [react_json, domain_artifact] } } }]",
    "script: [{ expect: { turns: { worker: answered, planner: [] }, budget: { episode: 3 }, activity: idle } }]",
];

const BAD: &[&str] = &[
    "gateway: { headers: {} }",
    "gateway: { base_url: a, stream: true }",
    "prices: { a: { input: 1 } }",
    "prices: { a: { input: 1, output: \"0.0000001\" } }",
    "prices: { a: { input: 1, output: one } }",
    "limits: { cost: -1 }",
    "limits: { cost_per_episode: \"1e3\" }",
    "replies: { worker: [{ fail: { kind: rate }, usage: { input: 1 } }] }",
    "script: [{ revise: { agents: [{ name: worker, parameters: { tool_choice: some } }] } }]",
    "script: [{ revise: { agents: [{ name: worker, parameters: { output: { name: a } } }] } }]",
    "script: [{ revise: { agents: [{ name: worker, parameters: { reasoning: {} } }] } }]",
    "script: [{ revise: { agents: [{ name: worker, parameters: { cache: { system: 2h } } }] } }]",
    "policy: { deny: [{ tool: look, where: [{ path: /to }] }] }",
    "policy: { deny: [{ tool: look, where: [{ path: /to, equals: 1, prefix: a }] }] }",
    "policy: { deny: [{ tool: look, where: [{ path: /n, range: { min: low } }] }] }",
    "policy: { four_eyes: [all] }",
    "policy: { redact: [names] }",
    "script: [{ expect: { artifact: {} } }]",
    "script: [{ expect: { withheld: { from: worker } } }]",
    "script: [{ expect: { withheld: { families: [poem] } } }]",
    "script: [{ expect: { withheld: { count: 1, families: [approval] } } }]",
    "polcy: {}",
    "clock: sundial",
    "policy: { mode: maybe }",
    "policy: [ask]",
    "limits: { attempts: 0 }",
    "limits: { attempts: two }",
    "limits: { approval_ttl: { write: 24 } }",
    "replies: { worker: [{}] }",
    "replies: { worker: [{ text: a, refuse: b }] }",
    "replies: { worker: [{ once: true, text: a }] }",
    "replies: { worker: [{ when: {}, text: a }] }",
    "replies: { worker: [{ fail: { kind: tired } }] }",
    "script: {}",
    "script: [{}]",
    "script: [{ sya: hi }]",
    "script: [{ say: 42 }]",
    "script: [{ say: hi, idle: {} }]",
    "script: [{ say: hi, since: start }]",
    "script: [{ say: hi, refused: unlikely }]",
    "script: [{ fork: { at: 3 } }]",
    "script: [{ approve: { scope: session } }]",
    "script: [{ approve: { scope: \"uses:0\" } }]",
    "script: [{ approve: { args: [] } }]",
    "script: [{ approve: { any_args: true } }]",
    "script: [{ approve: { any_args: false, scope: turn } }]",
    "script: [{ approve: { scope: turn, where: [] } }]",
    "script: [{ approve: { scope: turn, where: [{ path: /a }] } }]",
    "script: [{ approve: { scope: turn, where: [{ path: a, equals: 1 }] } }]",
    "script: [{ approve: { scope: turn, where: [{ path: /a~2, equals: 1 }] } }]",
    "script: [{ approve: { scope: turn, where: [{ path: /a, equals: 1, prefix: b }] } }]",
    "script: [{ approve: { scope: turn, where: [{ path: /a, prefix: { b: c } }] } }]",
    "script: [{ approve: { scope: turn, where: [{ path: /a, range: {} }] } }]",
    "script: [{ approve: { scope: turn, where: [{ path: /a, range: { min: low } }] } }]",
    "script: [{ approve: { scope: turn, any_args: true, where: [{ path: /a, equals: 1 }] } }]",
    "script: [{ deny: { share: true } }]",
    "script: [{ revoke: {} }]",
    "script: [{ approve: {}, id: one }, { revoke: { grant: one, tool: look } }]",
    "script: [{ expect: { grants: [] } }]",
    "script: [{ expect: { grants: [{}] } }]",
    "script: [{ answer: { option: 1, options: [1] } }]",
    "script: [{ answer: {} }]",
    "script: [{ answer: { text: a, option: 1 } }]",
    "script: [{ settle: { not_run: false } }]",
    "script: [{ restart: }]",
    "script: [{ advance: 90 }]",
    "script: [{ expect: {} }]",
    "script: [{ retract: {} }]",
    "script: [{ retract: { message: 0 } }]",
    "script: [{ edit: { message: 14 } }]",
    "script: [{ regenerate: { message: { nth: 2 } } }]",
    "script: [{ leave: }]",
    "script: [{ expect: { routing: [] } }]",
    "script: [{ expect: { routing: { to: {}, respond: {} } } }]",
    "script: [{ expect: { routing: { tag: shout } } }]",
    "script: [{ expect: { model_calls_max: many } }]",
    "script: [{ expect: { budget: {} } }]",
    "script: [{ expect: { turns: { worker: tired } } }]",
    "script: [{ expect: { exhausted: some } }]",
    "script: [{ expect: { tool_runs: { look: -1 } } }]",
];

#[test]
fn schema_and_checks_agree() {
    let validator = validator();
    for rest in GOOD {
        let text = format!("{ROOM}{rest}");
        assert_eq!(faults(&text), Vec::<String>::new(), "{rest}");
        assert!(
            validator.is_valid(&json(&text)),
            "the schema refuses {rest}"
        );
    }
    for rest in BAD {
        let text = format!("{ROOM}{rest}");
        assert_ne!(faults(&text), Vec::<String>::new(), "{rest}");
        assert!(
            !validator.is_valid(&json(&text)),
            "the schema accepts {rest}"
        );
    }
}

#[test]
fn schema_and_checks_agree_about_tools() {
    agree_in_place_of(
        "use: clock.now",
        &[
            (
                "use: scripted, effect: read, results: [{ json: [1], takes: 2s }]",
                true,
            ),
            (
                "use: scripted, effect: read, results: [{ text: a, error: b }]",
                false,
            ),
            (
                "use: scripted, effect: write, idempotent: { for: 24h }, results: [{ text: a }]",
                true,
            ),
            ("use: scripted, results: [{ text: a }]", false),
            (
                "use: scripted, effect: read, results: [{ needs_input: { question: q, options: [a, b], choose: { min: 0, max: 2 } } }]",
                true,
            ),
            (
                "use: scripted, effect: read, results: [{ needs_input: { question: q, schema: { type: integer } } }]",
                true,
            ),
            (
                "use: scripted, effect: read, results: [{ needs_input: { question: q, choose: { min: 1, max: 2 } } }]",
                false,
            ),
            (
                "use: scripted, effect: read, results: [{ needs_input: { question: q, options: [a], schema: {} } }]",
                false,
            ),
            (
                "use: scripted, effect: read, paths: [/a], results: [{ text: t }]",
                true,
            ),
            (
                "use: scripted, effect: read, paths: [a], results: [{ text: t }]",
                false,
            ),
            ("use: ask", true),
            ("use: handoff, agents: [planner], description: d", true),
            ("use: ask, agents: []", false),
            ("use: ask, agents: planner", false),
            ("use: abacus", false),
            ("description: d", false),
        ],
    );
}

#[test]
fn schema_and_checks_agree_about_tools_of_the_machine() {
    agree_in_place_of(
        "use: clock.now",
        &[
            ("use: shell, cwd: ., allow: [[wc, -w]]", true),
            (
                "use: shell, cwd: ., allow: [{ argv: [wc], effect: read, args: any }]",
                true,
            ),
            ("use: shell, cwd: ., allow: []", false),
            ("use: shell, cwd: ., allow: [[wc]], sandbox: on", false),
            (
                "use: shell, cwd: ., allow: [{ argv: [wc], effect: read, args: any, pin: 0a }]",
                true,
            ),
            ("use: fs.read, root: ., links: follow", true),
            ("use: fs.read, root: ., links: some", false),
            ("use: fs.read", false),
        ],
    );
}

#[test]
fn schema_and_checks_agree_about_sandboxes() {
    let sandboxes = [
        ("none", true),
        ("required", true),
        ("some", false),
        ("off", false),
        ("[]", false),
        ("{}", true),
        (
            "{ network: any, read: [.], write: [.], memory: 1GiB }",
            true,
        ),
        (
            "{ cpu: 5s, processes: 8, files: 1MiB, required: true }",
            true,
        ),
        ("{ network: loopback }", false),
        ("{ memory: 512 }", false),
        ("{ memory: 512MB }", false),
        ("{ processes: 0 }", false),
        ("{ paths: [.] }", false),
    ];
    let shells = sandboxes.map(|(sandbox, is_good)| {
        let shell = format!("use: shell, cwd: ., allow: [[wc]], env: [PATH], sandbox: {sandbox}");
        (shell, is_good)
    });
    agree_in_place_of("use: clock.now", &shells);
}

#[test]
fn schema_and_checks_agree_about_the_web() {
    agree_in_place_of(
        "use: clock.now",
        &[
            ("use: http.get, allow: [{ host: example.org }]", true),
            (
                "use: http.get, allow: [{ host: a, paths: [/b], addresses: [10.0.0.0/8], headers: { x: y } }], redirects: 0",
                true,
            ),
            (
                "use: http.get, allow: [{ host: a, headers: { authorization: \"Bearer ${TOKEN}\" } }], max_bytes: 1000",
                true,
            ),
            ("use: http.get, allow: [{ host: a, methods: [GET] }]", false),
            ("use: http.get, allow: []", false),
            ("use: http.get, allow: [{ paths: [/b] }]", false),
            ("use: http.get, allow: [{ host: a, paths: [] }]", false),
            ("use: http.get", false),
            (
                "use: http.request, allow: [{ host: a, methods: [POST] }], effect: write",
                true,
            ),
            ("use: http.request, allow: [{ host: a }]", false),
            (
                "use: http.request, allow: [{ host: a, methods: [post] }]",
                false,
            ),
            (
                "use: http.request, allow: [{ host: a, methods: [POST] }], effect: read",
                false,
            ),
            (
                "use: http.request, allow: [{ host: a, methods: [POST] }], redirects: 11",
                false,
            ),
        ],
    );
}

#[test]
fn schema_and_checks_agree_about_models() {
    agree_in_place_of(
        "provider: scripted",
        &[
            (
                "provider: openai-chat, model: gpt, key: null, timeout: 5s",
                true,
            ),
            ("provider: openai-chat", false),
            ("provider: recorded, wire: openai-chat, from: a.jsonl", true),
            (
                "provider: recorded, wire: carrier-pigeon, from: a.jsonl",
                false,
            ),
        ],
    );
}

/// Puts each of these texts in the place of `old` in the room, and holds the checks and the schema against whether it is good.
fn agree_in_place_of(old: &str, entries: &[(impl AsRef<str>, bool)]) {
    let validator = validator();
    for (new, is_good) in entries {
        let new = new.as_ref();
        let text = ROOM.replace(old, new);
        assert_eq!(parse(&text).is_ok(), *is_good, "{new}");
        assert_eq!(validator.is_valid(&json(&text)), *is_good, "{new}");
    }
}

#[test]
fn schema_is_small_enough_for_an_editor() {
    let bytes = json_schema().to_string().len();
    assert!(bytes <= 100_000, "{bytes} bytes");
}

/// All keys of steps stand side by side in the schema, so a key means one thing whatever the verb.
#[test]
fn a_key_of_steps_has_one_shape() {
    let mut shapes = BTreeMap::new();
    for verb in VERBS {
        for field in std::iter::once(&verb.field).chain(verb.modifiers()) {
            let shape = format!("{:?}", field.shape);
            let known = shapes.entry(field.name).or_insert_with(|| shape.clone());
            assert_eq!(*known, shape, "{}", field.name);
        }
    }
}
