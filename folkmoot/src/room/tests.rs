use std::path::Path;

use folkmoot_agents::Assemble as _;
use folkmoot_tools::kinds;

use super::{Shipped, definition_of};
use crate::script::Script;

/// What stands beside `use` where a tool needs more.
fn settings(uses: &str) -> &'static str {
    match uses {
        "shell" => ", cwd: ., allow: [[ls]]",
        "http.get" => ", allow: [{ host: example.org }]",
        "http.request" => ", allow: [{ host: example.org, methods: [POST] }]",
        "scripted" => ", effect: read, results: [{ text: a }]",
        "mcp" => ", command: [a], cwd: ., tools: { a: { as: t, schema: { type: object } } }",
        "sql" => ", database: shop.sqlite, tables: { orders: all }",
        uses if uses.starts_with("fs.") || uses == "data.import" => ", root: .",
        _ => "",
    }
}

/// Why a room with this kind of tool does not open.
fn refusal(shipped: &Shipped, uses: &str, top: &str) -> Option<String> {
    refusal_of(shipped, &format!("{uses}{}", settings(uses)), top)
}

/// Why a room with a tool of these settings does not open.
fn refusal_of(shipped: &Shipped, tool: &str, top: &str) -> Option<String> {
    let text = format!(
        "world: room\n{top}models: {{ m: {{ provider: scripted }} }}\nagents: [{{ name: bob, model: m, tools: [t] }}]\n\
         tools: {{ t: {{ use: {tool} }} }}\n"
    );
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("room.yaml");
    let script = Script::parse(&text, &file).unwrap();
    let definition = definition_of(&script, &script.spec).unwrap();
    let assembled = shipped.assemble(&definition, Some(&script.base));
    assembled.err().map(|error| error.why)
}

#[test]
fn tool_of_this_machine_needs_a_script_that_says_so_where_others_reach_the_server() {
    let here = Shipped::default();
    let reached = Shipped::default().reached_from_elsewhere();
    let mut refused = Vec::new();
    for kind in kinds() {
        for top in ["", "local: true\n", "local: false\n"] {
            assert_eq!(refusal(&here, kind.name, top), None, "{}", kind.name);
        }
        assert_eq!(
            refusal(&reached, kind.name, "local: true\n"),
            None,
            "{}",
            kind.name
        );
        let unsaid = refusal(&reached, kind.name, "");
        assert_eq!(unsaid, refusal(&reached, kind.name, "local: false\n"));
        if let Some(why) = unsaid {
            assert!(
                why.starts_with(&format!("`use: {}` works on this machine, ", kind.name)),
                "{why}"
            );
            assert!(
                why.contains("write `local: true` at the top of the script"),
                "{why}"
            );
            refused.push(kind.name);
        }
    }
    let expected = [
        "fs.list",
        "fs.read",
        "fs.search",
        "fs.write",
        "fs.append",
        "fs.edit",
        "fs.move",
        "fs.delete",
        "shell",
        #[cfg(feature = "mcp")]
        "mcp",
        #[cfg(feature = "data")]
        "data.import",
    ];
    assert_eq!(refused, expected);
    #[cfg(feature = "mcp")]
    {
        let elsewhere =
            "mcp, url: \"https://a/mcp\", tools: { a: { as: t, schema: { type: object } } }";
        assert_eq!(refusal_of(&reached, elsewhere, ""), None);
    }
}

#[test]
fn only_tools_that_read_have_folders_that_hold_what_no_tool_may_change() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    for place in [base.to_owned(), base.join("src"), base.join("Cargo.toml")] {
        let guarded = Shipped::default().keeping_writers_off(&place);
        let refused =
            kinds().filter_map(|kind| refusal(&guarded, kind.name, "").zip(Some(kind.name)));
        let (words, refused): (Vec<String>, Vec<&str>) = refused.unzip();
        let writers = [
            "fs.write",
            "fs.append",
            "fs.edit",
            "fs.move",
            "fs.delete",
            "shell",
            #[cfg(feature = "mcp")]
            "mcp",
        ];
        assert_eq!(refused, writers, "{place:?}");
        let why = format!(
            "holds what no tool may change, {}: give the tool another folder",
            place.display()
        );
        let are_whole = words.iter().all(|words| words.ends_with(&why));
        assert!(are_whole, "{words:?}");
    }
    // A folder beside the templates, or one of data among them, holds none.
    for place in [
        base.with_file_name("elsewhere"),
        base.parent().unwrap().to_owned(),
    ] {
        let guarded = Shipped::default().keeping_writers_off(place);
        for kind in kinds() {
            assert_eq!(refusal(&guarded, kind.name, ""), None, "{}", kind.name);
        }
    }
}
