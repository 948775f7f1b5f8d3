//! A blocking tool that would not stop by itself.

use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Command;

use folkmoot::core::ids::ToolName;
use folkmoot::{BlockingTool, Effect, ToolOutcome, ToolSpec, WorkerCall};
use serde_json::{Value, json};

/// Does what its arguments say. Its processes connect to a socket and keep the connection for as long as they live.
#[derive(Debug)]
pub struct Stubborn(ToolSpec);

impl Stubborn {
    /// The tool under a name, with a time limit.
    #[must_use]
    pub fn new(name: &str, timeout_ms: u64) -> Self {
        let name = ToolName::new(name).expect("a fitting name");
        let spec = ToolSpec::new(
            name,
            Effect::Read,
            "Does not stop.",
            json!({ "type": "object" }),
        );
        Self(ToolSpec { timeout_ms, ..spec })
    }
}

impl BlockingTool for Stubborn {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn run(&self, call: &WorkerCall) -> ToolOutcome {
        let text = |key: &str| {
            call.arguments
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let connect = || UnixStream::connect(text("socket")).expect("the test listens");
        match text("do") {
            "tell" => tell(call),
            "wait" => {
                let mut heard = String::new();
                connect()
                    .read_to_string(&mut heard)
                    .expect("the connection lasts");
                ToolOutcome::text(heard)
            }
            "leave" => {
                detach(connect());
                ToolOutcome::text("left")
            }
            "spin" => {
                detach(connect());
                let _own = connect();
                loop {
                    std::hint::spin_loop();
                }
            }
            "panic" => panic!("at the disco"),
            "exit" => std::process::exit(0),
            "flood" => ToolOutcome::text("x".repeat(9 * 1024 * 1024)),
            deed => ToolOutcome::text(format!("cannot {deed}")),
        }
    }
}

/// Tells what it was given, and prints what looks like an outcome.
#[expect(clippy::print_stdout, reason = "whatever a tool prints is no outcome")]
fn tell(call: &WorkerCall) -> ToolOutcome {
    println!("\n{{\"done\":{{\"text\":\"printed\"}}}}");
    let mut rest = String::new();
    std::io::stdin()
        .read_to_string(&mut rest)
        .expect("an input that is at its end");
    let [input, output, complaints] = [0, 1, 2].map(|number| {
        std::fs::read_link(format!("/proc/self/fd/{number}"))
            .expect("the standard channels are open")
    });
    assert_eq!(
        (input.as_path(), &output),
        ("/dev/null".as_ref(), &complaints),
        "what is printed goes to operators"
    );
    let call = serde_json::to_value(call).expect("a call is JSON");
    ToolOutcome::text(format!(
        "{call} {:?} {rest:?}",
        std::thread::current().name()
    ))
}

/// Starts a process that leaves its parent's session and holds the connection.
#[expect(
    clippy::zombie_processes,
    reason = "nobody waits for it: it is to be killed"
)]
fn detach(connection: UnixStream) {
    Command::new("setsid")
        .args(["sleep", "1000"])
        .stdin(OwnedFd::from(connection))
        .spawn()
        .expect("there is a sleep");
}
