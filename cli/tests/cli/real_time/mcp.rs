//! A host over standard streams.

use std::io::Write as _;
use std::process::Stdio;

use rustix::process::Signal;

use super::Running;
use super::serve::{HERE, Server};
use crate::desk::Desk;

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}"#;

/// A command that a host has started, and that has greeted it.
fn attending(desk: &Desk) -> Running {
    let mut command = desk.command(&["mcp"]);
    command.stdin(Stdio::piped());
    let mut running = Running::spawn(command);
    let input = running.child.stdin.as_mut().unwrap();
    writeln!(input, "{HELLO}").unwrap();
    running.until("serverInfo");
    running
}

#[test]
fn the_exit_code_of_a_host_s_command_says_how_it_ended() {
    let desk = Desk::new();
    for (signal, code) in [(None, 0), (Some(Signal::TERM), 0), (Some(Signal::INT), 130)] {
        let mut attending = attending(&desk);
        match signal {
            Some(signal) => attending.signal(signal),
            None => drop(attending.child.stdin.take()),
        }
        assert_eq!(attending.end().0, Some(code), "{signal:?}");
    }
}

#[test]
fn beside_a_server_the_command_for_a_token_works_as_it_is_printed() {
    let desk = Desk::new();
    let server = Server::start(&desk, &HERE);
    let refused = desk.run(&["mcp", "--as", "my editor"]).expect(3);
    let advice = refused
        .err
        .split('`')
        .find(|part| part.contains("token new"))
        .unwrap();
    let (_, rest) = advice.split_once(" token new ").unwrap();
    assert_eq!(rest, "--as 'my editor' --service --tokens tokens");
    desk.token(&["new", "--as", "my editor", "--service"])
        .expect(0);
    server.end();
}
