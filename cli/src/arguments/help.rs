//! The help of the program: its commands in groups, and its exit codes.

use clap::{Command, CommandFactory as _};

use super::CommandLine;

/// The groups of commands, each under its heading, in the order in which help shows them.
pub(crate) const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Talk: write rooms, run them, speak in them",
        &[
            "init",
            "chat",
            "run",
            "resume",
            "serve",
            "mcp",
            "login",
            "token",
            "check",
            "test",
            "schema",
            "say",
            "edit",
            "retract",
            "regenerate",
            "stop",
            "join",
            "leave",
        ],
    ),
    (
        "Look: see the events of a room, and their causes",
        &[
            "worlds", "log", "replay", "why", "usage", "fork", "diff", "nodes", "doctor",
        ],
    ),
    (
        "Decide: allow and deny calls, and answer agents",
        &[
            "approvals",
            "approve",
            "deny",
            "answer",
            "settle",
            "grants",
            "revoke",
            "rights",
        ],
    ),
    (
        "Keep: copy a store, mend it, and clear it",
        &[
            "export",
            "backup",
            "copy",
            "rebuild",
            "erase",
            "delete",
            "completions",
        ],
    ),
    (
        "Prove: show others that nobody changed a log",
        &["verify", "anchor", "key", "check-bundle"],
    ),
];

/// The exit codes, at the end of the help.
const EXIT_CODES: &str = "\
Exit codes:
    0  the command did all that you asked for
    1  an expectation of a script failed, or the run failed
    2  the command line or the script is wrong
    3  the store, the configuration or a credential is missing or cannot be used
    4  a request was denied, or it still waits for a person
    5  the store does not hold all that was written, or a replay differs
    6  a check that you asked for could not be made
  130  you interrupted the command; the log says how far it came
  141  the reader of the output went away";

/// The program with its help.
pub(crate) fn program() -> Command {
    let command = CommandLine::command();
    let groups: String = GROUPS
        .iter()
        .map(|(heading, names)| group(&command, heading, names))
        .collect();
    // A program that simulates rooms is not part of this one: see `sim`.
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\
         `folkmoot COMMAND --help` explains a command, with an example. Begin with: folkmoot init\n\n\
         {heading}:\n{{options}}{{after-help}}",
        heading = super::common::HEADING,
    );
    with_usage(command)
        .help_template(template)
        .after_help(EXIT_CODES)
}

/// The program, in which a fault is told with the usage that help shows: the reader of arguments
/// would add the options that variables set, as if they were required.
fn with_usage(program: Command) -> Command {
    let mut built = program.clone();
    built.build();
    same_usage(program, &built)
}

fn same_usage(command: Command, built: &Command) -> Command {
    let usage = built.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    command.override_usage(usage).mut_subcommands(|child| {
        match built.find_subcommand(child.get_name()) {
            Some(built) => same_usage(child, built),
            None => child,
        }
    })
}

/// A heading, and below it a line for each of these commands.
fn group(program: &Command, heading: &str, names: &[&str]) -> String {
    let about = |name: &str| {
        let command = program.find_subcommand(name)?;
        let about = command.get_about()?.to_string();
        // The beginning is enough here.
        let ends = [". ", ": ", "; "].iter().filter_map(|end| about.find(end));
        let end = ends.min().unwrap_or(about.len());
        Some(format!("  {name:<13} {}\n", about.get(..end)?))
    };
    let lines: String = names.iter().filter_map(|name| about(name)).collect();
    format!("{heading}\n{lines}\n")
}

#[cfg(test)]
mod tests;
