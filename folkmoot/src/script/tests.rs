use std::fs;

use super::*;

mod attach;
mod consent;
mod defaults;
mod examples;
mod gateway;
mod include;
mod parameters;
mod parts;
mod read;
mod schema;
mod servers;
mod wrong;

/// A script that is fine, to put something after.
const ROOM: &str = "\
world: room
models: { m: { provider: scripted } }
defaults: { model: m }
agents: [{ name: planner }, { name: worker, tools: [look] }]
tools: { look: { use: clock.now } }
";

fn parse(text: &str) -> Result<Script, ScriptError> {
    Script::parse(text, Path::new("room.yaml"))
}

/// The faults of `text`, each as a line: place, message and help.
fn faults(text: &str) -> Vec<String> {
    parse(text).map_or_else(|error| lines(&error), |_| Vec::new())
}

fn lines(error: &ScriptError) -> Vec<String> {
    let line = |fault: &Fault| {
        let (line, column) = fault.line_column();
        let help = fault
            .help
            .as_ref()
            .map(|help| format!(" | {help}"))
            .unwrap_or_default();
        format!("{line}:{column} {}{help}", fault.message)
    };
    error.faults.iter().map(line).collect()
}

/// Checks that `ROOM` and then `rest` has exactly these faults; lines are counted from the first of `rest`.
#[track_caller]
fn check(rest: &str, expected: &[&str]) {
    let skipped = ROOM.lines().count();
    let found: Vec<String> = faults(&format!("{ROOM}{rest}"))
        .iter()
        .map(|fault| {
            let (line, rest) = fault.split_once(':').unwrap();
            format!(
                "{}:{rest}",
                line.parse::<i32>().unwrap() - i32::try_from(skipped).unwrap()
            )
        })
        .collect();
    assert_eq!(found, expected, "\n{rest}");
}
