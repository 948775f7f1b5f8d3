//! The server, and runs of `folkmoot` against it.

use std::fmt;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The answers of the server. They are matched from the top.
const FIXTURES: &str = r#"{"fixtures":[
  {"match":{"hasToolResult":true},"response":{"content":"@ada The sum is 5."}},
  {"match":{"userMessage":"add"},"response":{"toolCalls":[{"name":"add","arguments":{"expression":"2 + 3"}}]}},
  {"match":{"userMessage":"fall over"},"response":{"error":{"message":"It fell over.","type":"server_error"},"status":500}},
  {"match":{"userMessage":"break off"},"response":{"content":"one two three four five six seven eight nine ten eleven twelve thirteen fourteen"},
   "chunkSize":4,"latency":20,"truncateAfterChunks":9}
]}"#;

/// A running server; it ends with this value.
pub(crate) struct Peer {
    server: Child,
    port: u16,
    folder: tempfile::TempDir,
}

/// The outcome of a run of `folkmoot`.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The world's events, one JSON object a line.
    pub(crate) log: String,
    /// Who said what to whom. Positions are left out: a streamed reply has one event more.
    pub(crate) transcript: String,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "exit {:?}\n{}\n{}\n{}",
            self.code, self.stdout, self.stderr, self.log
        )
    }
}

impl Run {
    /// How many events of a kind there are.
    pub(crate) fn kinds(&self, kind: &str) -> usize {
        self.log
            .lines()
            .filter(|line| line.contains(&format!("\"kind\":\"{kind}\"")))
            .count()
    }
}

/// Where `.ci/run` installs it.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("FOLKMOOT_AIMOCK").map(PathBuf::from);
    let installed =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/aimock/node_modules/.bin/llmock");
    named.or(Some(installed)).filter(|path| path.exists())
}

impl Peer {
    /// Starts the server on a free port; `None`, with a message, where it is not installed.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = program() else {
            println!(
                "skipped: @copilotkit/aimock is not installed (.ci/run installs it where npm is)"
            );
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let fixtures = folder.path().join("fixtures.json");
        std::fs::write(&fixtures, FIXTURES).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut server = Command::new("node")
            .arg(program)
            .args(["--strict", "-h", "127.0.0.1", "-p", &port.to_string(), "-f"])
            .arg(fixtures)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let is_up = lines
            .map_while(Result::ok)
            .any(|line| line.contains("listening"));
        assert!(is_up, "the server ended before it listened");
        Some(Self {
            server,
            port,
            folder,
        })
    }

    /// Makes every answer faulty, as the server's own manual says.
    pub(crate) fn chaos(&self, rates: &str) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(
            stream,
            "POST /__aimock/chaos HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{rates}",
            rates.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    pub(crate) fn run(&self, script: &str) -> Run {
        self.run_with(script, Some("sk-peer"))
    }

    pub(crate) fn run_without_key(&self, script: &str) -> Run {
        self.run_with(script, None)
    }

    fn run_with(&self, script: &str, key: Option<&str>) -> Run {
        let file = self.folder.path().join("peer.yaml");
        std::fs::write(&file, script).unwrap();
        let folkmoot = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_folkmoot"));
            command
                .args(arguments)
                .env("FOLKMOOT_STORE", self.folder.path().join("store"))
                .env("PEER_URL", format!("http://127.0.0.1:{}", self.port))
                .env("NO_PROXY", "127.0.0.1")
                .env_remove("PEER_KEY")
                .envs(key.map(|key| ("PEER_KEY", key)))
                .stdin(Stdio::null());
            command.output().unwrap()
        };
        let ran = folkmoot(&["run", file.to_str().unwrap()]);
        let log = folkmoot(&["log", "peer", "--json"]);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let replay = folkmoot(&["replay", "peer", "--json"]);
        let state: serde_json::Value = serde_json::from_slice(&replay.stdout).unwrap_or_default();
        let said = |message: &serde_json::Value| {
            ["from", "respond", "text"].map(|field| message.get(field).cloned())
        };
        let transcript = state
            .get("transcript")
            .and_then(serde_json::Value::as_array);
        let transcript = transcript
            .map(|all| format!("{:?}", all.iter().map(said).collect::<Vec<_>>()))
            .unwrap_or_default();
        Run {
            transcript,
            code: ran.status.code(),
            stdout: text(&ran.stdout),
            stderr: text(&ran.stderr),
            log: text(&log.stdout),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.server.kill().and_then(|()| self.server.wait());
    }
}
