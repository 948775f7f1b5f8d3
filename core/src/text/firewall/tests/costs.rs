use super::*;

/// What begins something, alone or in pairs: openers of every form, and what fills them.
const OPENERS: &[&str] = &[
    "<",
    "[",
    "{",
    "(",
    "`",
    "\"",
    "'",
    "“",
    "\n",
    " ",
    "a",
    "\\",
    "//",
    "/*",
    "*/",
    ":",
    ",",
    "=",
    "> ",
    "- ",
    "1. ",
    "<a",
    "<|",
    "</",
    "|>",
    "[/*",
    "{/*",
    "[//",
    "[\\n/*",
    "[\\\\n/*",
    "\",\n",
    "[\"",
    "{'",
    "{\"a\":",
    "{\\\"a\\\":",
    "{\"name\":\"search\",",
    "{\"name\": \"search\", \"arguments\": {",
    "{search:",
    "[search(",
    "search(",
    "search(query=",
    "search(query=\"",
    "get_weather",
    "functions.",
    "print(",
    "await ",
    "x = ",
    "to=",
    "commentary to=functions.search",
    "<tool_call>",
    "</tool_call>",
    "<tool_call>{\"",
    "<tool_result>x",
    "<tool_code>x",
    "</tool_result<tool_result>x",
    "<tool>search</tool>",
    "<function=search>",
    "<invoke name=\"search\">",
    "<function_calls>",
    "<parameter name=\"query\">",
    "<search><query>",
    "<|python_tag|>",
    "<|channel|>",
    "<|tool_call>",
    "<start_function_call>call:search{",
    "<escape>",
    "<｜DSML｜invoke name=\"search\">",
    "<|from|>",
    "[TOOL_CALLS]",
    "[ARGS]",
    "Action: search\n",
    "Action Input:",
    "tool: search\n",
    "arguments:\n  ",
    "tool_call:\n  ",
    "search\n",
    "```\n",
    "```tool_code\n",
    "~~~",
    "{\"tool_calls\":[",
    "<world>",
    "@ada ",
];

/// How many bytes a scan looks at, counted: the same on every machine.
fn work(text: &str, size: usize) -> u64 {
    work::take();
    let mut rest = text;
    let mut firewall = Firewall::new(known());
    let mut out = |_: SpokenSpan<'_>| ();
    while !rest.is_empty() {
        let (delta, more) = rest.split_at(rest.ceil_char_boundary(size.min(rest.len())));
        firewall.push(delta, &mut out);
        rest = more;
    }
    firewall.finish(&mut out);
    work::take()
}

/// How much more twice as much may cost.
const GROWTH_MAX: f64 = 2.3;

/// How many bytes may be looked at for each byte.
const WORK_MAX: u64 = 256;

/// The bytes of the shorter text of each shape.
const LEN: usize = 2_000;

fn pairs() -> impl Iterator<Item = String> {
    OPENERS
        .iter()
        .flat_map(|first| OPENERS.iter().map(move |second| format!("{first}{second}")))
}

/// Holds the law against shapes that are repeated, pushed in deltas of so many bytes.
#[track_caller]
fn check(shapes: impl Iterator<Item = String>, size: usize) {
    // What comes in small deltas is looked at again when there is an eighth more of it.
    let slack = if size < LEN { 4 * LEN as u64 } else { 100 };
    let costs = shapes.map(|shape| {
        let text = |bytes: usize| shape.repeat(bytes / shape.len());
        let (once, twice) = (work(&text(LEN), size), work(&text(2 * LEN), size));
        let is_lawful = (twice as f64) <= GROWTH_MAX * once as f64 + slack as f64
            && once <= WORK_MAX * LEN as u64;
        (is_lawful, format!("{shape:?} {once} {twice}"))
    });
    let faults: Vec<String> = costs
        .filter(|(is_lawful, _)| !is_lawful)
        .map(|(_, fault)| fault)
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn twice_as_much_of_anything_costs_twice_as_much() {
    check(
        OPENERS.iter().map(|opener| (*opener).to_owned()),
        usize::MAX,
    );
    check(pairs().step_by(97), usize::MAX);
}

#[test]
fn twice_as_much_costs_twice_as_much_however_it_comes() {
    for size in [1, 1024] {
        check(
            OPENERS.iter().step_by(3).map(|opener| (*opener).to_owned()),
            size,
        );
    }
}

#[test]
#[ignore = "all pairs take a minute"]
fn twice_as_much_of_any_pair_costs_twice_as_much() {
    check(pairs(), usize::MAX);
}
