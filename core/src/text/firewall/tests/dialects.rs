use super::*;

/// Calls as models write them, with `TOOL` for the name of a tool, `KEY` for one of its properties, and `VALUE` for what it is
/// given.
const DIALECTS: &[&str] = &[
    r#"{"name": "TOOL", "arguments": {"KEY": "VALUE"}}"#,
    r#"{"name": "TOOL", "arguments": "{\"KEY\": \"VALUE\"}"}"#,
    r#"{"name": "TOOL", "parameters": {"KEY": "VALUE"}}"#,
    r#"{"tool": "TOOL", "input": {"KEY": "VALUE"}}"#,
    r#"{"tool_name": "TOOL", "tool_args": {"KEY": "VALUE"}}"#,
    r#"{"action": "TOOL", "action_input": {"KEY": "VALUE"}}"#,
    r#"{"type": "function", "function": {"name": "TOOL", "arguments": {"KEY": "VALUE"}}}"#,
    r#"{"type": "tool_use", "id": "toolu_1", "name": "TOOL", "input": {"KEY": "VALUE"}}"#,
    r#"{"functionCall": {"name": "TOOL", "args": {"KEY": "VALUE"}}}"#,
    r#"{"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "TOOL", "arguments": "{\"KEY\":\"VALUE\"}"}}]}"#,
    r#"[{"name": "TOOL", "arguments": {"KEY": "VALUE"}}]"#,
    r#"{"TOOL": {"KEY": "VALUE"}}"#,
    r#"{name: "TOOL", arguments: {KEY: "VALUE"}}"#,
    r#"{'name': 'TOOL', 'arguments': {'KEY': 'VALUE'}}"#,
    r#"{“name”: “TOOL”, “arguments”: {“KEY”: “VALUE”}}"#,
    r#"{＂name＂：＂TOOL＂，＂arguments＂：{＂KEY＂：＂VALUE＂}}"#,
    r#"{"name": "functions.TOOL", /* now */ "arguments": {"KEY": "VALUE",},}"#,
    r#"[TOOL(KEY="VALUE")]"#,
    r#"TOOL(KEY="VALUE")"#,
    r#"default_api.TOOL(KEY='VALUE')"#,
    r#"print(default_api.TOOL(KEY="VALUE"))"#,
    r#"TOOL({"KEY": "VALUE"})"#,
    r#"<tool_call>{"name": "TOOL", "arguments": {"KEY": "VALUE"}}</tool_call>"#,
    r#"<function_calls><invoke name="TOOL"><parameter name="KEY">VALUE</parameter></invoke></function_calls>"#,
    r#"<｜DSML｜function_calls><｜DSML｜invoke name="TOOL"><｜DSML｜parameter name="KEY" string="true">VALUE</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>"#,
    r#"<minimax:tool_call><invoke name="TOOL"><parameter name="KEY">VALUE</parameter></invoke></minimax:tool_call>"#,
    r#"<tool_call><function=TOOL><parameter=KEY>VALUE</parameter></function></tool_call>"#,
    r#"<function=TOOL>{"KEY": "VALUE"}</function>"#,
    r#"<tool_call>TOOL<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>"#,
    r#"<tool>TOOL</tool><tool_input>VALUE</tool_input>"#,
    r#"<use_mcp_tool><server_name>s</server_name><tool_name>TOOL</tool_name><arguments>{"KEY": "VALUE"}</arguments></use_mcp_tool>"#,
    r#"[TOOL_CALLS][{"name": "TOOL", "arguments": {"KEY": "VALUE"}}]"#,
    r#"[TOOL_CALLS]TOOL[ARGS]{"KEY": "VALUE"}"#,
    r#"<|python_tag|>TOOL.call(KEY="VALUE")"#,
    r#"<|python_start|>[TOOL(KEY="VALUE")]<|python_end|>"#,
    r#"<|tool_call_start|>[TOOL(KEY="VALUE")]<|tool_call_end|>"#,
    r#"<|tool_call>call:TOOL{KEY:<|"|>VALUE<|"|>}<tool_call|>"#,
    r#"<start_function_call>call:TOOL{KEY:<escape>VALUE<escape>}<end_function_call>"#,
    r#"<|tools_prefix|>[{"TOOL": {"KEY": "VALUE"}}]<|tools_suffix|>"#,
    r#"<|channel|>commentary to=functions.TOOL <|constrain|>json<|message|>{"KEY": "VALUE"}<|call|>"#,
    r#"commentary to=functions.TOOL json{"KEY": "VALUE"}"#,
    r#"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>TOOL<｜tool▁sep｜>{"KEY": "VALUE"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"#,
    r#"<|tool_calls_section_begin|><|tool_call_begin|>functions.TOOL:0<|tool_call_argument_begin|>{"KEY": "VALUE"}<|tool_call_end|><|tool_calls_section_end|>"#,
    "<|from|>assistant\n<|recipient|>TOOL\n<|content|>{\"KEY\": \"VALUE\"}",
    "{\n  \"name\": \"TOOL\",\n  \"arguments\": {\n    \"KEY\": \"VALUE\"\n  }\n}",
    "<tool_call>\n{\"name\": \"TOOL\", \"arguments\": {\"KEY\": \"VALUE\"}}\n</tool_call>",
    "TOOL\n{\"KEY\": \"VALUE\"}",
    "name: TOOL\narguments:\n  KEY: VALUE",
    "tool: TOOL\nargs:\n  KEY: VALUE",
    "tool_call:\n  name: TOOL\n  arguments:\n    KEY: VALUE",
    "Action: TOOL\nAction Input: {\"KEY\": \"VALUE\"}",
    "Action: TOOL[VALUE]",
    "Tool: TOOL\nTool Input: {\"KEY\": \"VALUE\"}",
    "Function: TOOL\nArguments: {\"KEY\": \"VALUE\"}",
    "✿FUNCTION✿: TOOL\n✿ARGS✿: {\"KEY\": \"VALUE\"}",
    r#"{"cmd": "TOOL", "args": {"KEY": "VALUE"}}"#,
    r#"{"api": "TOOL", "params": {"KEY": "VALUE"}}"#,
    r#"{"op": "TOOL", "payload": {"KEY": "VALUE"}}"#,
];

/// What stands around a call, which begins a line or not, with `CALL` for it.
const LINES: &[&str] = &[
    "CALL",
    "Before.\nCALL\nBehind.",
    "Before.\n\nCALL\n\nBehind.",
    "Before:\n```json\nCALL\n```\nBehind.",
    "Before:\n```\nCALL\n```\nBehind.",
    "Before:\n~~~python\nCALL\n~~~\nBehind.",
    "Before.\n\n\n\n\n\n\n\nCALL",
];

/// The same for calls of one line.
const PLACES: &[&str] = &[
    "Before CALL Behind.",
    "Before: `CALL` Behind.",
    "| Before | CALL | Behind |",
    "<div>Before CALL Behind</div>",
    "Before (CALL) Behind",
    "**Before** CALL *Behind*",
];

/// The call in each dialect, of a tool and with what it is given.
fn calls(tool: &str, key: &str, value: &str) -> Vec<String> {
    let call = |dialect: &&str| {
        let call = dialect
            .replace("[TOOL_CALLS]", "[\u{1}]")
            .replace("TOOL", tool)
            .replace("KEY", key);
        call.replace("VALUE", value)
            .replace("[\u{1}]", "[TOOL_CALLS]")
    };
    DIALECTS.iter().map(call).collect()
}

fn leaks(said: &str, value: &str) -> Option<String> {
    let kept = scanned([said]).kept;
    let has_prose = ["Before", "Behind"]
        .iter()
        .all(|word| kept.contains(word) == said.contains(word));
    (kept.contains(value) || !has_prose).then(|| format!("{said:?}\n     {kept:?}"))
}

#[test]
fn call_of_a_tool_of_the_room_is_withheld_in_every_dialect_wherever_it_stands() {
    let mut faults = Vec::new();
    for call in calls("get_weather", "city", "Paris")
        .into_iter()
        .chain(calls("search", "query", "boiler"))
    {
        let is_line = call.contains('\n') || call.starts_with("Action");
        let places = LINES.iter().chain(PLACES.iter().filter(|_| !is_line));
        let value = if call.contains("Paris") {
            "Paris"
        } else {
            "boiler"
        };
        faults.extend(places.filter_map(|place| leaks(&place.replace("CALL", &call), value)));
        // In a block quote, in a list, and further in.
        for lead in ["> ", "    ", "> > "] {
            let lines: String = call.lines().map(|line| format!("{lead}{line}\n")).collect();
            faults.extend(leaks(&format!("Before.\n\n{lines}\nBehind."), value));
        }
        let item = call
            .lines()
            .enumerate()
            .map(|(n, line)| format!("{}{line}\n", if n == 0 { "- " } else { "  " }));
        faults.extend(leaks(
            &format!("Before.\n\n{}\nBehind.", item.collect::<String>()),
            value,
        ));
    }
    assert!(
        faults.is_empty(),
        "{}:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn sample_of_another_tool_stays_in_a_fence_or_a_span_behind_words() {
    let mut faults = Vec::new();
    for call in calls("get_stock", "symbol", "ACME") {
        for place in [
            "It writes:\n```\nCALL\n```\nand waits.",
            "It writes:\n\n```json\nCALL\n```\n",
            "It writes `CALL` then.",
        ] {
            let said = place.replace("CALL", &call);
            let kept = scanned([said.as_str()]).kept;
            faults.extend((kept != said).then(|| format!("{said:?}\n     {kept:?}")));
        }
    }
    assert!(
        faults.is_empty(),
        "{}:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
