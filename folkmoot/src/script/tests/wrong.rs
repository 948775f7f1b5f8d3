//! Wrong scripts, and what is said about each: place, message and help.

use super::*;

#[test]
fn typo_in_a_key_names_the_nearest_key() {
    check(
        "polcy: { mode: ask }",
        &["1:1 `polcy` is not a key of a world script | did you mean `policy`?"],
    );
    check(
        "policy: { mdoe: ask }",
        &["1:11 `mdoe` is not a key of the policy | did you mean `mode`?"],
    );
    check(
        "script:\n  - sya: hello",
        &["2:5 `sya` is not a step | did you mean `say`?"],
    );
    check(
        "script:\n  - approve: { agnet: worker }",
        &["2:16 `agnet` is not a key of an approval | did you mean `agent`?"],
    );
    check(
        "script:\n  - say: hello\n    af: ada",
        &["3:5 `af` is not a key of a `say` step | did you mean `as`?"],
    );
    check(
        "script:\n  - expect: { mesage: {} }",
        &["2:15 `mesage` is not a key of an expectation | did you mean `message`?"],
    );
    check(
        "script:\n  - restart: { now: true }",
        &["2:16 `now` is not a key of this step | write `{}`"],
    );
    check(
        "colour: red",
        &[
            "1:1 `colour` is not a key of a world script | keys: world, clock, include, description, rules, context, models, gateway, prices, defaults, agents, tools, local, states, policy, limits, replies, script",
        ],
    );
}

#[test]
fn unknown_names_are_shown_with_the_nearest_known_one() {
    check(
        "policy: { main_agent: planer }",
        &["1:23 no agent is called `planer` | did you mean `planner`?"],
    );
    check(
        "replies: { worker: [{ calls: [{ tool: loook }] }] }",
        &["1:39 no tool is called `loook` | did you mean `look`?"],
    );
    check(
        "script:\n  - approve: { agent: wroker, tool: look }",
        &["2:23 no agent is called `wroker` | did you mean `worker`?"],
    );
    check(
        "script:\n  - say: hi\n    as: agent:nobody",
        &["3:9 no agent is called `nobody` | agents: planner, worker"],
    );
    check(
        "script:\n  - expect: { message: { from: adda } }\n  - say: hi\n    as: ada",
        &["2:32 nobody is called `adda` | did you mean `ada`?"],
    );
    check(
        "script:\n  - say: { text: hi, reply_to: first }",
        &["2:32 no earlier step has the id `first` | the script has no earlier steps with an `id`"],
    );
    assert_eq!(
        faults(&ROOM.replace("tools: [look]", "model: n, tools: [lok]")),
        [
            "4:52 no model is called `n` | did you mean `m`?",
            "4:63 no tool is called `lok` | did you mean `look`?"
        ]
    );
}

#[test]
fn tools_and_models_say_what_they_are() {
    assert_eq!(
        faults(&ROOM.replace("use: clock.now", "use: ask, agents: [planer]")),
        ["5:37 no agent is called `planer` | did you mean `planner`?"]
    );
    assert_eq!(
        faults(&ROOM.replace("use: clock.now", "use: clock.nwo")),
        ["5:23 `clock.nwo` is not known as `use` of a tool | did you mean `clock.now`?"]
    );
    assert_eq!(
        faults(&ROOM.replace("use: clock.now", "description: d")),
        [
            "5:10 a tool needs `use` | there is: fs.list, fs.read, fs.search, fs.write, fs.append, fs.edit, fs.move, fs.delete, shell, http.get, http.request, clock.now, calc, ask, handoff, sql, data.list, data.describe, data.preview, data.query, data.search, data.chart, data.status, data.import, data.delete, scripted, mcp, own"
        ]
    );
    assert_eq!(
        faults(&ROOM.replace("use: clock.now", "use: scripted, results: [{ text: a }]")),
        [
            "5:10 a scripted tool needs `effect` | Its effect. Calls that do more than read wait for a person."
        ]
    );
    assert_eq!(
        faults(&ROOM.replace("use: clock.now", "use: clock.now, effect: read")),
        [
            "5:34 `effect` is not a key of the tool clock.now | keys: use, description, timeout, model_bytes, output_bytes, concurrency, calls_per_episode, memoise, grants, view"
        ]
    );
    assert_eq!(
        faults(&ROOM.replace(
            "use: clock.now",
            "use: scripted, effect: rite, results: [{ text: a }]"
        )),
        ["5:41 `rite` is not a value that this key takes | did you mean `write`?"]
    );
    assert_eq!(
        faults(&ROOM.replace("provider: scripted", "provider: openai-caht")),
        ["2:26 `openai-caht` is not known as `provider` of a model | did you mean `openai-chat`?"]
    );
    assert_eq!(
        faults(&ROOM.replace("provider: scripted", "provider: openai-chat")),
        ["2:11 a model of the chat wire needs `model` | The provider's name of the model."]
    );
}

#[test]
fn names_that_yaml_reads_as_something_else_are_shown_in_quotes() {
    assert_eq!(
        faults(&ROOM.replace("name: planner", "name: no")),
        [
            "4:18 a name is needed here, and YAML reads `no` as a truth value | put it in quotes: \"no\""
        ]
    );
    assert_eq!(
        faults(&ROOM.replace("world: room", "world: 1.10")),
        [
            "1:8 a name is needed here, and YAML reads `1.10` as a number | put it in quotes: \"1.10\""
        ]
    );
    assert_eq!(
        faults(&ROOM.replace("world: room", "world: 12:30")),
        [
            "1:8 a name is needed here, and YAML reads `12:30` as a time of day | put it in quotes: \"12:30\""
        ]
    );
    assert_eq!(
        faults(&ROOM.replace("world: room", "world: 2026-11-21")),
        [
            "1:8 a name is needed here, and YAML reads `2026-11-21` as a date | put it in quotes: \"2026-11-21\""
        ]
    );
    assert_eq!(
        faults(&ROOM.replace("world: room", "world: ~")),
        ["1:8 a name is needed here, and YAML reads `~` as nothing | put it in quotes: \"~\""]
    );
    assert_eq!(
        faults(&ROOM.replace("world: room", "world:")),
        ["1:1 a name is needed here, and this is nothing"]
    );
    check(
        "replies: { planner: [{ text: 42 }] }",
        &["1:30 text is needed here, and YAML reads `42` as a number | put it in quotes: \"42\""],
    );
    assert_eq!(
        faults(&ROOM.replace("name: planner", "name: \"no\"")),
        Vec::<String>::new()
    );
}

#[test]
fn value_that_starts_with_an_at_sign_wants_quotes() {
    check(
        "script:\n  - say: @worker look # now",
        &[
            "2:10 a value that starts with `@` cannot stand without quotes | put it in quotes: \"@worker look\"",
        ],
    );
    check(
        "replies: { planner: [{ text: @worker look }] }",
        &[
            "1:30 a value that starts with `@` cannot stand without quotes | put it in quotes: \"@worker look\"",
        ],
    );
}

#[test]
fn no_fault_shows_a_secret() {
    for settings in [
        "key: sk-123, headers: { authorization: \"Bearer sk-4\" }, nokey: 1",
        "key: sk-123: }",
        "key: \"sk-123, a: 1 }",
        "key: sk-1, key: sk-2",
        "headers: { authorization: sk-1, authorization: 'sk-2' }",
        "key: &k sk-123",
        "key: { a: sk-123 }",
        "key: \"${BAD NAME sk-123}\"",
        "key: \"${KEY:-sk-123}\"",
        "base_url: \"https://user:sk-1@h/?api_key=sk-2&a=${\", b: 1",
        "headers: [\"authorization: sk-123\"]",
    ] {
        let model = format!("provider: openai-chat, model: gpt, {settings}");
        let text = ROOM.replace("provider: scripted", &model);
        let error = Script::parse(&text, Path::new("room.yaml")).unwrap_err();
        for fault in error.faults {
            assert!(
                !fault.source.contains("sk-"),
                "{settings}: {}",
                fault.source
            );
            assert_eq!(fault.source.len(), text.len());
        }
    }
}

#[test]
fn a_fault_shows_who_holds_rights_and_no_secret_beside_them() {
    let lines = [
        (r#"people: { "token:ada": [read] }"#, None),
        ("people: { token:ada: [read], 'token:kim.b':[post] }", None),
        (r#"people: { "service%:token:editor": [read, post] }"#, None),
        ("  token:ada-2:", None),
        ("token:ada@example.org:\r", None),
        ("token:sk-123", Some("token:******")),
        ("token:sk-123:456", Some("token:**********")),
        ("token: sk-123:", Some("token: *******")),
        (
            "headers: [ token:sk-123 ]",
            Some("headers: [ token:****** ]"),
        ),
        (r#"x: "token:sk-123""#, Some(r#"x: "token:******""#)),
        (
            "token:sk-123, ada: [read]",
            Some("token:******, ada: [read]"),
        ),
        ("api_token:sk-123: [read]", Some("api_token:******* *****]")),
        ("key:sk-123: [read]", Some("key:******* *****]")),
        ("password:sk-123:", Some("password:*******")),
        ("key: token:ada: [read]", Some("key: ********** *****]")),
    ];
    for (line, shown) in lines {
        let text = format!("{line}\nnot: a script\n}}");
        let error = Script::parse(&text, Path::new("room.yaml")).unwrap_err();
        let source = &error.faults[0].source;
        assert_eq!(source.split('\n').next(), Some(shown.unwrap_or(line)));
    }
}

#[test]
fn secrets_and_variables_have_their_places() {
    let model = |settings: &str| {
        let text = format!("provider: openai-chat, model: gpt, {settings}");
        faults(&ROOM.replace("provider: scripted", &text))
    };
    assert_eq!(
        model("key: sk-123"),
        [
            "2:56 a secret must not stand in a script | write `${NAME}`, and set NAME in the environment"
        ]
    );
    assert_eq!(
        model("key: \"${KEY:-sk-123}\""),
        [
            "2:56 a secret must not stand in a script | write `${NAME}`, and set NAME in the environment"
        ]
    );
    assert_eq!(
        model("headers: { Authorization: \"Bearer abc\", x-api-key: abc, x-team: blue }"),
        [
            "2:77 a secret must not stand in a script | write `${NAME}`, and set NAME in the environment",
            "2:102 a secret must not stand in a script | write `${NAME}`, and set NAME in the environment"
        ]
    );
    assert_eq!(
        model("base_url: \"${1}\""),
        [
            "2:61 this `${` is not the beginning of a variable | write `${NAME}` or `${NAME:-default}`"
        ]
    );
    let fine = "key: \"${KEY}\", base_url: \"${URL:-http://localhost/v1}\", headers: { Authorization: \"Bearer ${T}\" }";
    assert_eq!(model(fine), Vec::<String>::new());
    assert_eq!(model("key: null"), Vec::<String>::new());
    check(
        "description: See ${HOME}",
        &[
            "1:14 a variable would not be replaced here | `${…}` works in the settings of models and tools only",
        ],
    );
    check(
        "script:\n  - say: Deploy to ${STAGE}",
        &[
            "2:10 a variable would not be replaced here | `${…}` works in the settings of models and tools only",
        ],
    );
}

#[test]
fn step_does_exactly_one_thing() {
    check(
        "script:\n  - say: hi\n    idle: {}",
        &[
            "3:5 a step does one thing, and this one has `say` and `idle` | begin a new step with `- `",
        ],
    );
    check(
        "script:\n  - as: ada",
        &[
            "2:5 this step does nothing | one of: say, approve, deny, answer, settle, revoke, stop, retract, edit, regenerate, join, leave, rights, observe, revise, restart, crash, advance, idle, expect, note, fork",
        ],
    );
    check(
        "script:\n  - idle",
        &["2:5 a step is a map | write `idle: …`, or `idle: {}` if there is nothing more to say"],
    );
    check(
        "script:\n  - idle: {}\n    since: start",
        &["3:5 `since` does not go with `idle` | leave `since` out"],
    );
    check(
        "script:\n  - say: \"\"",
        &["2:10 the text is empty | write at least one word"],
    );
    check(
        "script:\n  - say: hi\n    id: one\n  - say: ho\n    id: one",
        &["5:9 another step has the id `one`"],
    );
}

#[test]
fn messages_and_people_of_steps_are_checked() {
    check(
        "script:\n  - retract: { message: one }",
        &["2:25 no earlier step has the id `one` | the script has no earlier steps with an `id`"],
    );
    check(
        "script:\n  - regenerate: { message: { from: wroker } }",
        &["2:36 no agent is called `wroker` | did you mean `worker`?"],
    );
    let nobody = |name: &str, word: &str| {
        format!("3:9 nobody can be called `{name}`: `{word}` is reserved | take another name")
    };
    for (name, word) in [
        ("Agent:planner", "agent:"),
        ("t\u{43e}\u{43e}l:look", "tool:"),
        ("\u{1d41a}gent:x", "agent:"),
    ] {
        check(
            &format!("script:\n  - say: hi\n    as: {name}"),
            &[&nobody(name, word)],
        );
    }
    check(
        "script:\n  - say: hi\n    as: \u{3164}",
        &["3:9 `\u{3164}` cannot be mentioned: nobody can see it | take another name"],
    );
    check(
        "script:\n  - edit: { message: 4, text: \"\" }",
        &["2:31 the text is empty | write at least one word"],
    );
    check(
        "script:\n  - join: ada\n    as: bob",
        &["3:9 nobody can `join` for somebody else | leave out `as`: the step acts as ada"],
    );
    check(
        "script:\n  - leave: { name: ada }",
        &["2:12 a name is needed here, and this is a map"],
    );
}

#[test]
fn fork_needs_a_name_and_a_place_that_is_known() {
    check(
        "script:\n  - fork: { at: 3 }",
        &["2:5 a fork needs `as` | The new world's name."],
    );
    check(
        "script:\n  - fork: { at: nowhere, as: b }",
        &[
            "2:17 no earlier step has the id `nowhere` | the script has no earlier steps with an `id`",
        ],
    );
}

#[test]
fn values_out_of_range_or_of_another_kind_are_faults() {
    check(
        "limits: { attempts: 0, inbox_max: many, news_max: 1000000, approval_ttl: { write: 1 } }",
        &[
            "1:21 `0` is out of range | write a number from 1 to 20",
            "1:35 a whole number is needed here, and this is `many`",
            "1:51 `1000000` is out of range | write a number from 1 to 10000",
            "1:83 `1` is not a duration | write a whole number and a unit: 250ms, 90s, 15m, 24h",
        ],
    );
    check(
        "policy: [ask]",
        &["1:9 a map is needed here, and this is a list"],
    );
    check(
        "script: later",
        &["1:9 a list is needed here, and this is a single value"],
    );
    check(
        "script:\n  - advance: 90\n  - advance: soon",
        &[
            "2:14 `90` is not a duration | write a whole number and a unit: 250ms, 90s, 15m, 24h",
            "3:14 `soon` is not a duration | write a whole number and a unit: 250ms, 90s, 15m, 24h",
        ],
    );
    check(
        "script:\n  - expect: { message: { matches: \"a(\" } }",
        &["2:35 this is not a regular expression: unclosed group"],
    );
    check(
        "script:\n  - answer: { text: yes please, option: 1 }",
        &["2:33 `option` cannot stand beside `text` | keep one of the two"],
    );
    check(
        "script:\n  - settle: {}",
        &["2:5 a settlement needs one of these: ran, not_run, run_again"],
    );
    check(
        "script:\n  - deny: { request: latest }",
        &["2:22 this is not the name of a request | write `WORLD#POSITION`, or the position alone"],
    );
    check(
        "script:\n  - advance: 1s\nclock: system",
        &[
            "2:5 `advance` needs the simulated clock | write `clock: simulated`, or leave the step out",
        ],
    );
    let sandbox = "use: shell, cwd: ., allow: [[ls]], sandbox: { memory: 1KiB, files: 5 }";
    let faults_of_sizes = faults(&ROOM.replace("use: clock.now", sandbox));
    let words: Vec<&str> = faults_of_sizes
        .iter()
        .map(|fault| fault.split_once(' ').unwrap().1)
        .collect();
    assert_eq!(
        words,
        [
            "`1KiB` is out of range | write a size from 16MiB to 1048576MiB",
            "`5` is not a size | write a whole number and a unit: 64KiB, 512MiB, 2GiB"
        ]
    );
    assert_eq!(
        faults(&ROOM.replace("name: planner", "name: planner, temperature: 3")),
        ["4:40 `3` does not fit here | write a number from 0 to 2, with at most three decimals"]
    );
}

#[test]
fn replies_have_one_shape() {
    check(
        "replies: { planner: [{ text: a, fail: { kind: rate_limit } }] }",
        &["1:33 `fail` cannot stand beside `text` | keep one of the two"],
    );
    check(
        "replies: { planner: [{ once: true, text: a }, {}] }",
        &[
            "1:24 `once` needs `when` beside it",
            "1:47 a scripted reply needs one of these: text, chunks, calls, refuse, fail, summary",
        ],
    );
    check(
        "replies: { planner: [{ fail: { kind: rate_limi, retry_after: 2 } }] }",
        &[
            "1:38 `rate_limi` is not a value that this key takes | did you mean `rate_limit`?",
            "1:62 `2` is not a duration | write a whole number and a unit: 250ms, 90s, 15m, 24h",
        ],
    );
    check(
        "replies: { planner: [{ txet: a }] }",
        &["1:24 `txet` is not a key of a scripted reply | did you mean `text`?"],
    );
}

#[test]
fn agents_can_be_told_apart_and_have_models() {
    assert_eq!(
        faults(&ROOM.replace("name: planner", "name: Worker")),
        ["4:36 two agents are called `Worker` | capitals make no difference in mentions"]
    );
    assert_eq!(
        faults(&ROOM.replace("name: planner", "name: planner, display: WORKER")),
        ["4:54 two agents are called `WORKER` | capitals make no difference in mentions"]
    );
    assert_eq!(
        faults(&ROOM.replace("defaults: { model: m }\n", "")),
        [
            "3:18 this agent has no model | give it a `model`, or all agents one with `defaults: { model: NAME }`",
            "3:37 this agent has no model | give it a `model`, or all agents one with `defaults: { model: NAME }`"
        ]
    );
    assert_eq!(
        faults("world: empty"),
        [
            "1:1 the world has no agents | add `agents:` with at least one agent, e.g. `- name: planner`"
        ]
    );
    assert_eq!(
        faults("agents: []"),
        [
            "1:1 a world script needs `world` | The world's name in the store.",
            "1:1 the world has no agents | add `agents:` with at least one agent, e.g. `- name: planner`"
        ]
    );
}

#[test]
fn what_is_no_yaml_is_shown_where_it_breaks() {
    check(
        "policy:\n\tmode: ask",
        &["2:1 a tab cannot indent a line | use blanks"],
    );
    check(
        "policy: { mode: ask",
        &["1:9 this cannot be read as YAML: unclosed bracket '{'"],
    );
    check(
        "clock: system\nclock: simulated",
        &["2:1 `clock` stands here twice | keep one of them"],
    );
    check(
        "description: &d text",
        &[
            "1:17 anchors (`&name`) and aliases (`*name`) are not part of world scripts | write the value out, or share a spec with `include`",
        ],
    );
    check(
        "description: !secret text",
        &["1:14 tags (`!name`) are not part of world scripts | leave the tag out"],
    );
    check(
        "---\nworld: other",
        &[
            "1:1 a second document begins here, and a world script is one document | put it into a file of its own",
        ],
    );
    assert_eq!(
        faults(""),
        ["1:1 the file is empty | `folkmoot init` writes a script to begin with"]
    );
    assert_eq!(
        faults("- a"),
        [
            "1:3 a map is needed here, and this is a list",
            "1:3 the world has no agents | add `agents:` with at least one agent, e.g. `- name: planner`"
        ]
    );
    assert_eq!(
        faults(&"[".repeat(100)),
        ["1:49 this cannot be read as YAML: recursion limit exceeded"]
    );
}

#[test]
fn all_faults_are_reported_in_the_order_of_the_text() {
    check(
        "policy: { mode: aks }\nlimits: { attempts: 0 }\nscript:\n  - sya: hi\n  - idle: {}\n    as: ada",
        &[
            "1:17 `aks` is not a value that this key takes | did you mean `ask`?",
            "2:21 `0` is out of range | write a number from 1 to 20",
            "4:5 `sya` is not a step | did you mean `say`?",
            "6:5 `as` does not go with `idle` | leave `as` out",
        ],
    );
}
