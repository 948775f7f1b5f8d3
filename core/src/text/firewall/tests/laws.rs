use proptest::prelude::*;

use super::super::find::first_of;
use super::*;

/// How many bytes of a text are split in two at every place.
const SPLIT_MAX: usize = 2 * 1024;

fn chars(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|_| true)
}

/// The corpus, each row alone and all in a row.
fn texts() -> Vec<String> {
    let rows: Vec<String> = artifacts().chain(clean()).map(|row| row.said).collect();
    let joined = rows
        .chunks(6)
        .map(|rows| rows.join("\n\nThen:\n"))
        .collect::<Vec<_>>();
    [rows, joined].concat()
}

#[test]
fn every_split_in_two_gives_the_same() {
    for text in texts() {
        let whole = scanned([text.as_str()]);
        for at in (0..text.len().min(SPLIT_MAX)).filter(|at| text.is_char_boundary(*at)) {
            let (before, behind) = text.split_at(at);
            assert_eq!(scanned([before, behind]), whole, "{before:?} + {behind:?}");
        }
    }
}

#[test]
fn byte_by_byte_gives_the_same() {
    for text in texts() {
        assert_eq!(scanned(chars(&text)), scanned([text.as_str()]), "{text:?}");
    }
}

#[test]
fn call_that_breaks_in_a_text_ends_at_the_same_place_for_every_split() {
    let said = "{'name': 'search', 'arguments': {'query: \"{\\\"a\\\": {}}\"\n and more";
    let whole = scanned([said]);
    assert_eq!(whole.withheld.len(), 1);
    assert_eq!(scanned(chars(said)), whole);
}

#[test]
fn nothing_of_an_artifact_is_given_at_any_time() {
    for row in artifacts() {
        let (mut given, mut firewall) = (String::new(), Firewall::new(known()));
        let mut out = |span: SpokenSpan<'_>| match span {
            SpokenSpan::Pass { text, .. } => given.push_str(text),
            SpokenSpan::Withheld(_) => {}
        };
        chars(&row.said).for_each(|c| firewall.push(c, &mut out));
        firewall.finish(&mut out);
        // What was given only ever grows, so it was a beginning of this at every time.
        assert_eq!(given, row.kept, "{}", row.title);
    }
}

/// Pieces of which texts are made that come near to all forms.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    "\\\"",
    ":",
    ",",
    " ",
    "\n",
    "\r\n",
    "\n\n",
    "`",
    "```",
    "```json\n",
    "```tool_code\n",
    "~~~",
    "<",
    ">",
    "/",
    "|",
    "name",
    "\"name\":",
    "\"arguments\":",
    "\"search\"",
    "\"parameters\":{",
    "\"input\":{",
    "\"query\":",
    "\"type\":",
    "\"tool_use\"",
    "\"id\":1",
    "\"action\":",
    "\"action_input\":",
    "{\"name\":\"search\",\"arguments\":{}}",
    "{\\\"name\\\":\\\"search\\\",\\\"arguments\\\":{}}",
    "{\"a\":",
    "1",
    "null",
    "x",
    "é",
    "｜",
    "\u{200b}",
    "\u{feff}",
    "<tool_call>",
    "</tool_call>",
    "<function_calls>",
    "</function_calls>",
    "<invoke name=\"search\">",
    "</invoke>",
    "<parameter name=\"query\">",
    "<function=search>",
    "</function>",
    "<tool_response>",
    "</tool_response>",
    "<|python_tag|>",
    "<|channel|>",
    "to=functions.search",
    "<|message|>",
    "<|call|>",
    "[TOOL_CALLS]",
    "[ARGS]",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "Action: search",
    "Action: get_weather",
    "\nAction Input:",
    "Action",
    "\nObservation: x",
    "> ",
    "- ",
    "1. ",
    "**",
    "//",
    "/*",
    "*/",
    "hello ",
    "\"type\":\"installation_estimate\"",
    "<search>",
    "<query>",
    "</search>",
    "search",
    "get_weather",
    "search(",
    "(",
    ")",
    "query=\"x\"",
    "query:",
    "query",
    "default_api.",
    "functions.",
    "call:",
    "print(",
    "await ",
    "re.",
    "def ",
    "=",
    "to=",
    "Action: search\nAction Input: x\n",
    "I do. Action: get_weather\n",
    "Action Input: ",
    "get_weather:",
    "city=\"x\"/>",
    "<get_weather ",
    "commentary ",
    "assistant",
    "json",
    ">>>",
    "<|tool_call>",
    "<tool_call|>",
    "<start_function_call>",
    "<escape>",
    "<｜DSML｜invoke name=\"search\">",
    "</｜DSML｜invoke>",
    "<|from|>",
    "<|recipient|>",
    "<|content|>",
    "<tool>",
    "</tool>",
    "<tool_input>",
    "</tool_input>",
    "name: search",
    "tool: get_weather",
    "tool_call:",
    "\n  ",
    "arguments:",
    "args:",
    "city: x",
    "id: 1",
    "“",
    "”",
    "＂",
    "：",
    "Words explain. ",
    "{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"other\",\"arguments\":\"{}\"}}",
    "{\"search\":{\"query\":\"x\"}}",
    "\"a b c d\"",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![20 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn json_value() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        4 => prop::sample::select(vec!["name", "action", "input", "type", "id", "content", "items", "city", "query", "role"])
            .prop_map(str::to_owned),
        1 => "\\PC{0,8}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        // A world without known names is met by none of these.
        prop::sample::select(vec![
            "Alice",
            "delete",
            "object",
            "a \"quote\"",
            "{",
            "tool",
            "x\ny"
        ])
        .prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn cases() -> u32 {
    let default = ProptestConfig::default().cases;
    if default == 256 { 600 } else { default }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_gives_the_same(
        said in prop_oneof![9 => text(), 1 => any::<String>()],
        splits in prop::collection::vec(any::<bool>(), 1..16),
    ) {
        let whole = scanned([said.as_str()]);
        prop_assert_eq!(&scanned(chars(&said)), &whole);
        let (mut deltas, mut delta) = (Vec::new(), String::new());
        for (c, ends) in said.chars().zip(splits.iter().cycle()) {
            delta.push(c);
            if *ends {
                deltas.push(std::mem::take(&mut delta));
            }
        }
        deltas.push(delta);
        prop_assert_eq!(scanned(deltas.iter().map(String::as_str)), whole);
    }

    #[test]
    fn the_first_wanted_byte_is_found_wherever_it_stands(bytes in prop::collection::vec(0x58_u8..=0x5d, 0..40), far in any::<Vec<u8>>()) {
        for bytes in [bytes, far] {
            for wanted in [[b'[', b'['], [b'Z', b'\\'], [0, 0x80]] {
                let first = bytes.iter().position(|b| wanted.contains(b));
                prop_assert_eq!(first_of(&bytes, wanted), first);
            }
        }
    }

    #[test]
    fn json_without_a_call_passes_whole(value in json_value(), is_pretty in any::<bool>()) {
        let json = if is_pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let said = format!("Here it is:\n```json\n{json}\n```\nand {json} again");
        prop_assert_eq!(scanned([said.as_str()]).kept, said);
    }

    #[test]
    fn a_call_is_withheld_wherever_it_stands(value in json_value(), place in any::<prop::sample::Index>()) {
        let call = json!({"name": "search", "arguments": value.clone()});
        let call = if value.is_array() || !value.is_object() { json!({"name": "search", "arguments": {"a": value}}) } else { call };
        let around = json!([value, {"x": [call, value]}]).to_string();
        let prose = "some words, a < b, and (x) ";
        let (before, behind) = prose.split_at(place.index(prose.len()));
        let said = format!("{before}{around}{behind}");
        let kept = scanned([said.as_str()]).kept;
        // What is around it is kept if it says enough of its own.
        prop_assert!(kept.starts_with(before) && kept.ends_with(behind) && !kept.contains("\"arguments\""), "{}", kept);
    }
}
