use super::*;

/// Forms with characters that no file shows well. Artifacts stand between `⟦` and `⟧`.
const ROWS: &[(&str, &str)] = &[
    (
        "line ends of Windows",
        "So:\r\n⟦```json\r\n{\"name\": \"search\",\r\n \"arguments\": {}}\r\n```⟧\r\nDone.",
    ),
    (
        "a block with line ends of Windows",
        "So:\r\n⟦Action: search\r\nAction Input: {\"query\": \"x\"}⟧\r\nDone.",
    ),
    (
        "a mark of the byte order",
        "⟦{\u{feff}\"name\": \"search\", \"arguments\": {}}⟧ ok",
    ),
    (
        "a mark of the byte order before",
        "\u{feff}⟦{\"name\": \"search\", \"arguments\": {}}⟧ ok",
    ),
    (
        "shapeless characters in keys",
        "⟦{\"na\u{200b}me\": \"sea\u{200d}rch\", \"argu\u{ad}ments\": {}}⟧ ok",
    ),
    (
        "shapeless characters between tokens",
        "⟦{\u{200b}\"name\"\u{a0}: \"search\", \"arguments\": {}}⟧ ok",
    ),
    (
        "shapeless characters in a tag",
        "⟦<tool\u{200b}_call>{\"name\": \"x\", \"arguments\": {}}</tool_\u{200d}call>⟧ ok",
    ),
    (
        "raw line breaks in a text",
        "⟦{\"name\": \"search\", \"arguments\": {\"query\": \"a\nb\n\nc\"}}⟧ ok",
    ),
    (
        "a lone surrogate in a key",
        "{\"na\\ud800me\": \"search\", \"arguments\": {}} ok",
    ),
    (
        "at the beginning and the end",
        "⟦{\"name\":\"search\",\"arguments\":{}}⟧",
    ),
    (
        "a fence as text in another",
        "````markdown\n```json\n⟦{\"name\":\"search\",\"arguments\":{}}⟧\n```\n````",
    ),
    (
        "two fences in turn",
        "⟦```\n{\"name\":\"search\",\"arguments\":{}}\n```⟧\n⟦```\n{\"name\":\"search\",\"arguments\":{}}\n```⟧\nok",
    ),
    (
        "between two fences",
        "```\na\n```\n⟦{\"name\":\"search\",\"arguments\":{}}⟧\n```\nb\n```",
    ),
    (
        "marks at the end of a line of a fence",
        "```\na ```\n```\n⟦{\"name\":\"search\",\"arguments\":{}}⟧\n```\nb\n```",
    ),
    (
        "a call in a line with blanks behind it",
        "⟦Action: search[x]⟧  \nDone.",
    ),
    (
        "a fence in a list",
        "1. one\n   ⟦```json\n   {\"name\":\"search\",\"arguments\":{}}\n   ```⟧\n2. two",
    ),
    (
        "a fence in a quote",
        "> ⟦```json\n> {\"name\":\"search\",\"arguments\":{}}\n> ```⟧\n> ok",
    ),
    (
        "a long span of code",
        "⟦`` {\"name\":\"search\",\"arguments\":{}} ``⟧ ok",
    ),
    (
        "a span of code with more",
        "`x ⟦{\"name\":\"search\",\"arguments\":{}}⟧` ok",
    ),
    (
        "a span of code behind nothing but a routing tag",
        "<world>PASS</world>⟦```<tool_call>{\"name\": \"x\", \"arguments\": {}}</tool_call>```⟧ ok",
    ),
    (
        "marks of code in a routing tag",
        "Words <world>```</world>⟦<tool_call>{\"name\": \"x\", \"arguments\": {}}</tool_call>⟧ ok",
    ),
    (
        "a span of code behind nothing but mentions",
        "＠bob, @Bob Lee ⟦`<tool_call>{\"name\": \"x\", \"arguments\": {}}</tool_call>`⟧ ok",
    ),
    (
        "a sample behind a routing tag and words",
        "<world>TO: eve</world> Like this: `<tool_call>{\"name\": \"x\", \"arguments\": {}}</tool_call>` ok",
    ),
    (
        "a sample behind a mention and words",
        "@Bob Lee, this is one: `<tool_call>{\"name\": \"x\", \"arguments\": {}}</tool_call>` ok",
    ),
    (
        "a label of a property that the end of the text cuts",
        "⟦Action Input: \nAction: search\nAction Input: x\nquery:⟧",
    ),
    (
        "tags around a bare call",
        "&lt;tool_call&gt;⟦{\"name\":\"search\",\"arguments\":{}}⟧&lt;/tool_call&gt;",
    ),
    (
        "a slash before the bar of a token",
        "</|python_tag|>search.call(query=\"x\")",
    ),
    (
        "full-width colon",
        "⟦Action： search\nAction Input： x⟧\nok",
    ),
    (
        "an object of JavaScript",
        "⟦{name: \"search\", arguments: {}}⟧ ok",
    ),
    (
        "typographic quotes",
        "⟦{“name”: “search”, “arguments”: {}}⟧ ok",
    ),
];

#[test]
fn odd_forms_are_told_apart_as_well() {
    let faults: Vec<String> = ROWS
        .iter()
        .filter_map(|(title, body)| marked(title, body).check().err())
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn odd_forms_are_told_apart_byte_by_byte_as_well() {
    for (title, body) in ROWS {
        let said = marked(title, body).said;
        assert_eq!(
            scanned(said.split_inclusive(|_| true)),
            scanned([said.as_str()]),
            "{title}"
        );
    }
}

#[test]
fn a_world_without_tools_knows_the_wires_own_words_alone() {
    let found = |text: &str| scan(text, &Known::default()).len();
    assert_eq!(found(r#"{"name": "search", "arguments": {}}"#), 0);
    assert_eq!(found(r#"{"type": "installation_estimate"}"#), 0);
    assert_eq!(
        found(r#"{"type": "tool_use", "id": "t", "name": "x", "input": {}}"#),
        1
    );
    assert_eq!(
        found(r#"<tool_call>{"name": "x", "arguments": {}}</tool_call>"#),
        1
    );
}

#[test]
fn places_are_bytes_of_the_whole_text() {
    let found = scan("é {\"name\":\"search\",\"arguments\":{}}.", &known());
    assert_eq!(
        found,
        [Withheld {
            from: 3,
            to: 35,
            family: ArtifactFamily::OpenaiCall
        }]
    );
}
