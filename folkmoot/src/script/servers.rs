//! Entries that stand for several tools: those of an MCP server.
//!
//! A script names a server once, with the tools of it that agents may get. Each is a tool of its own from here on, whose
//! settings have all that it needs.

use super::fault::{Faults, Mark};
use super::node::{Key, Kind, Node, Scalar};

use folkmoot_core::ids::ToolName;

/// The word under `use` of a server.
const SERVER: &str = "mcp";

/// A tool of a script.
#[derive(Debug, Clone)]
pub(crate) struct NamedTool {
    /// The name by which agents call it.
    pub(crate) name: String,
    /// Where its entry stands.
    pub(crate) at: Mark,
    /// Its settings.
    pub(crate) settings: Node,
}

/// The entries of a spec that are servers.
pub(crate) fn entries_of(spec: &Node) -> impl Iterator<Item = (&Key, &Node)> {
    let entries = spec.get("tools").into_iter().flat_map(Node::entries);
    entries.filter(|(_, entry)| entry.text_of("use") == Some(SERVER))
}

/// All tools of a spec, each by itself.
pub(crate) fn tools_of(spec: &Node) -> Vec<NamedTool> {
    let entries = spec.get("tools").into_iter().flat_map(Node::entries);
    let tools = entries.flat_map(|(key, entry)| {
        if entry.text_of("use") == Some(SERVER) {
            let tools = entry.get("tools").into_iter().flat_map(Node::entries);
            tools
                .map(|(tool, own)| of_server(key, entry, tool, own))
                .collect()
        } else {
            vec![NamedTool {
                name: key.text().to_owned(),
                at: key.mark,
                settings: entry.clone(),
            }]
        }
    });
    tools.collect()
}

/// The names of the tools of the server that `entry` names `server`.
pub(crate) fn names_of(server: &Key, entry: &Node) -> Vec<String> {
    let tools = entry.get("tools").into_iter().flat_map(Node::entries);
    tools
        .map(|(tool, own)| name_of(server, tool, own))
        .collect()
}

fn name_of(server: &Key, tool: &Key, own: &Node) -> String {
    own.text_of("as").map_or_else(
        || format!("{}_{}", server.text(), tool.text()),
        str::to_owned,
    )
}

/// One tool of the server that `entry` names `server`. Its own settings come before those of the server.
fn of_server(server: &Key, entry: &Node, tool: &Key, own: &Node) -> NamedTool {
    let is_overruled = |key: &Key| key.text() == "tools" || own.get(key.text()).is_some();
    let shared = entry.entries().filter(|(key, _)| !is_overruled(key));
    let named = own.entries().filter(|(key, _)| key.text() != "as");
    let said = |name: &str, key: &Key| (word(name, key.mark), text(&key.scalar, key.mark));
    let entries = shared
        .chain(named)
        .map(|(key, node)| (key.clone(), node.clone()))
        .chain([said("server", server), said("tool", tool)]);
    NamedTool {
        name: name_of(server, tool, own),
        at: tool.mark,
        settings: Node {
            mark: tool.mark,
            kind: Kind::Map(entries.collect()),
        },
    }
}

fn word(name: &str, mark: Mark) -> Key {
    let scalar = Scalar {
        text: name.to_owned(),
        is_plain: true,
    };
    Key { mark, scalar }
}

/// A name is text, whatever YAML reads.
fn text(scalar: &Scalar, mark: Mark) -> Node {
    let scalar = Scalar {
        is_plain: false,
        ..scalar.clone()
    };
    Node {
        mark,
        kind: Kind::Scalar(scalar),
    }
}

/// Refuses tools of servers that have no possible name, or that of another tool.
pub(crate) fn check(spec: &Node, faults: &Faults) {
    let tools = tools_of(spec);
    for (number, tool) in tools.iter().enumerate() {
        if tool.settings.text_of("use") != Some(SERVER) {
            continue;
        }
        let help = "write another name under `as`";
        let mark = tool.settings.get("tool").map_or(tool.at, |node| node.mark);
        if let Err(error) = ToolName::new(&tool.name) {
            faults.add_with_help(mark, error.to_string(), help);
        }
        let folded = tool.name.to_lowercase();
        let mut others = tools
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != number);
        if others.any(|(_, other)| other.name.to_lowercase() == folded) {
            faults.add_with_help(
                mark,
                format!("another tool is called `{}`", tool.name),
                help,
            );
        }
    }
}
