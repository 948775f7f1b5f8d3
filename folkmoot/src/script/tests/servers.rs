//! Entries that stand for several tools.

use serde_json::json;

use super::*;

const FILES: &str = "files: { use: mcp, command: [server], cwd: ., timeout: 5s, tools: { read: { effect: read, timeout: 1s, \
                     schema: { type: object, properties: { token: { type: string } } } }, write: { as: put, schema: { type: object } } } }";

fn room(tools: &str, of_worker: &str) -> String {
    let room = ROOM.replace("look: { use: clock.now }", tools);
    room.replace("tools: [look]", &format!("tools: [{of_worker}]"))
}

#[test]
fn each_tool_of_a_server_is_a_tool_with_all_that_it_needs() {
    let script = parse(&room(FILES, "files_read, put")).unwrap_or_else(|error| panic!("{error}"));
    let tools = script.spec.tools.iter();
    let tools: Vec<_> = tools
        .map(|(name, tool)| (name.as_str(), tool.settings.clone()))
        .collect();
    let schema = json!({ "type": "object", "properties": { "token": { "type": "string" } } });
    let expected = [
        (
            "files_read",
            json!({ "use": "mcp", "command": ["server"], "cwd": ".", "timeout": "1s", "effect": "read", "schema": schema,
                "server": "files", "tool": "read" }),
        ),
        (
            "put",
            json!({ "use": "mcp", "command": ["server"], "cwd": ".", "timeout": "5s", "schema": { "type": "object" },
                "server": "files", "tool": "write" }),
        ),
    ];
    assert_eq!(tools, expected);
    let servers = script.spec.servers.iter();
    let servers: Vec<_> = servers
        .map(|(name, entry)| (name.as_str(), entry["tools"].as_object().unwrap().len()))
        .collect();
    assert_eq!(servers, [("files", 2)]);
}

#[test]
fn a_server_without_tools_is_a_beginning() {
    let script = parse(&room("files: { use: mcp, url: \"https://a/mcp\" }", "")).unwrap();
    assert!(script.spec.tools.is_empty());
    assert_eq!(script.spec.servers.len(), 1);
}

#[test]
fn tools_of_servers_have_names_of_their_own() {
    let entry =
        |own: &str| format!("files: {{ use: mcp, url: \"https://a/mcp\", tools: {{ {own} }} }}");
    let found = |own: &str| {
        faults(&room(
            &format!("look: {{ use: clock.now }}, {}", entry(own)),
            "look",
        ))
    };
    let schema = "schema: { type: object }";
    assert_eq!(found(&format!("a: {{ {schema} }}")), Vec::<String>::new());
    for (own, words) in [
        (
            format!("a: {{ as: Look, {schema} }}"),
            "another tool is called `Look`",
        ),
        (format!("\"a b\": {{ {schema} }}"), "only letters, digits"),
        ("a: {}".to_owned(), "a tool of a server needs `schema`"),
        (
            format!("a: {{ {schema}, use: calc }}"),
            "`use` is not a key of a tool of a server",
        ),
        (
            format!("a: {{ {schema}, effect: none }}"),
            "`none` is not a value",
        ),
    ] {
        let found = found(&own);
        assert!(
            found.iter().any(|fault| fault.contains(words)),
            "{own}: {found:?}"
        );
    }
}

#[test]
fn an_agent_names_the_tool_and_not_the_server() {
    let bare = "files: { use: mcp, url: \"https://a/mcp\" }";
    for (entry, help) in [
        (
            FILES,
            "`files` is a server: name its tools, files_read, put",
        ),
        (
            bare,
            "`files` is a server: list its tools first (`folkmoot mcp tools` prints them), then name those",
        ),
    ] {
        let found = faults(&room(entry, "files"));
        let words = format!("no tool is called `files` | {help}");
        assert!(
            found.iter().any(|fault| fault.contains(&words)),
            "{found:?}"
        );
    }
}

#[test]
fn a_server_is_a_program_or_an_address() {
    for (entry, words) in [
        ("use: mcp", "needs one of these: command, url"),
        (
            "use: mcp, command: [a], cwd: ., url: \"https://a\"",
            "cannot stand beside",
        ),
        ("use: mcp, command: [a]", "`command` needs `cwd` beside it"),
        (
            "use: mcp, command: [a], cwd: ., token: \"${A}\"",
            "`token` needs `url` beside it",
        ),
        (
            "use: mcp, url: \"https://a\", token: abc",
            "a secret must not stand in a script",
        ),
    ] {
        let found = faults(&room(&format!("files: {{ {entry} }}"), ""));
        assert!(
            found.iter().any(|fault| fault.contains(words)),
            "{entry}: {found:?}"
        );
    }
}
