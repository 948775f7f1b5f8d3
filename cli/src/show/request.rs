//! Requests to people: what is asked, and the command that answers it.

use folkmoot::core::ids::{PersonName, WorldName};

use super::style::{ASKS, BOLD, DIM, paint};
use super::{clean, time};
use crate::arguments::Common;
use crate::exit::CliError;
use crate::person;
use crate::terminal::Terminal;
use folkmoot::run::{Asks, Waiting};

#[cfg(test)]
mod tests;

/// What is asked, in the lines of a block. The first names the request.
pub(crate) fn asked(waiting: &Waiting) -> Vec<String> {
    let tool = waiting.tool.as_ref().map_or_else(|| "a tool".to_owned(), ToString::to_string);
    let arguments = waiting.arguments.as_deref().unwrap_or("[erased]");
    match &waiting.asks {
        Asks::Approval { text, shown, expires_at } => {
            vec![clean(text), format!("expires {}, shown {}", time(*expires_at), shown.short())]
        }
        Asks::Question { question } => {
            let mut lines = vec![format!("{tool} of {} asks:", clean(waiting.agent.as_str()))];
            if let Some(question) = question {
                lines.extend(clean(&question.text).lines().map(str::to_owned));
                let options = question.options.iter().enumerate();
                lines
                    .extend(options.map(|(number, option)| format!("{}. {}", number.saturating_add(1), clean(option))));
            }
            lines
        }
        Asks::Outcome { is_open } => {
            let waits = if *is_open { "; the call waits for the answer" } else { "" };
            let agent = clean(waiting.agent.as_str());
            let what = format!("whether {tool} of {agent} took effect is not known{waits}");
            vec![what, format!("it was called with {}", clean(arguments))]
        }
    }
}

/// The block that shows a request.
pub(crate) fn block(name: &str, lines: &[String]) -> Vec<String> {
    let bar = paint(ASKS, "┃");
    let mut block = vec![format!("{bar} {}", paint(ASKS.bold(), name))];
    for (number, line) in lines.iter().enumerate() {
        let style = if number == 0 { BOLD } else { DIM };
        // The bar stands before every line, so that none passes for something outside.
        block.extend(line.split('\n').map(|line| format!("{bar} {}", paint(style, line))));
    }
    block
}

/// The commands that answer a request, ready to be typed.
pub(crate) fn commands(common: &Common, waiting: &Waiting, by: Option<&PersonName>) -> Vec<String> {
    let program = common.program();
    let (world, number) = waiting.name.split_once('#').unwrap_or((&waiting.name, ""));
    let by = by.map_or_else(|| "NAME".to_owned(), |by| quoted(by.as_str()));
    let command = |verb: &str, rest: &str| format!("{program} {verb} {world} {number} {rest} --as {by}");
    match &waiting.asks {
        Asks::Approval { shown, .. } => {
            let shown = format!("--shown {}", shown.short());
            vec![command("approve", &shown), command("deny", &shown)]
        }
        Asks::Question { question } if question.as_ref().is_some_and(|question| !question.options.is_empty()) => {
            vec![command("answer", "--option N")]
        }
        Asks::Question { .. } => vec![command("answer", "TEXT")],
        Asks::Outcome { is_open } => {
            let mut commands = vec![command("settle", "--ran"), command("settle", "--not-run")];
            commands.extend(is_open.then(|| command("settle", "--run-again")));
            commands
        }
    }
}

fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.chars().all(is_plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

/// Says what waits, and the exact commands to type.
pub(crate) fn pending(
    terminal: &mut Terminal,
    common: &Common,
    world: &WorldName,
    waiting: &[Waiting],
) -> Result<(), CliError> {
    let by = person::login();
    for one in waiting {
        terminal.line("")?;
        for line in block(&format!("{} waits for a person", one.name), &asked(one)) {
            terminal.line(&line)?;
        }
        for command in commands(common, one, by.as_ref()) {
            terminal.line(&format!("  {command}"))?;
        }
    }
    terminal.line(&format!("Then go on with: {} resume {world}", common.program()))
}

/// The keys that answer a request.
pub(crate) fn keys(request: &Waiting) -> &'static str {
    match &request.asks {
        Asks::Approval { .. } => "o once · d deny · ? details",
        Asks::Question { question: Some(question) } if !question.options.is_empty() => {
            "type an option's number · ? details"
        }
        Asks::Question { .. } => "type the answer · ? details · /say TEXT speaks to the room",
        Asks::Outcome { is_open: true } => "r it ran · n it did not · a run it again · ? details",
        Asks::Outcome { is_open: false } => "r it ran · n it did not · ? details",
    }
}
