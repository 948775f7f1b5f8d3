//! Requests to people: what is asked, and the command that answers it.

use folkmoot::core::ids::{PersonName, WorldName};
use folkmoot::core::tool::{Choose, Question, reads_json};
use folkmoot::view::permit::PermitView;
use folkmoot::view::request::{OfferKind, OfferView, offers};

use super::style::{ASKS, BOLD, DIM, paint};
use super::{clean, time};
use crate::arguments::CommonArgs;
use crate::exit::CliError;
use crate::person;
use crate::terminal::Terminal;
use crate::text::gutter::{BAR, guarded, hung};
use folkmoot::run::{Asks, Waiting};

#[cfg(test)]
mod tests;

/// Says what is asked, in the lines of a block. The first names the request.
pub(crate) fn asked(waiting: &Waiting) -> Vec<String> {
    let tool = waiting
        .tool
        .as_ref()
        .map_or_else(|| "a tool".to_owned(), ToString::to_string);
    let arguments = waiting.arguments.as_deref().unwrap_or("[erased]");
    match &waiting.asks {
        Asks::Approval {
            text,
            shown,
            expires_at,
            ..
        } => {
            vec![
                clean(text),
                format!("expires {}, shown {}", time(*expires_at), shown.short()),
            ]
        }
        Asks::Question { question } => {
            let mut lines = vec![format!("{tool} of {} asks:", clean(waiting.agent.as_str()))];
            lines.extend(question.iter().flat_map(wanted));
            lines
        }
        Asks::Outcome { is_open } => {
            let waits = if *is_open {
                "; the call waits for the answer"
            } else {
                ""
            };
            let agent = clean(waiting.agent.as_str());
            let what = format!("whether {tool} of {agent} took effect is not known{waits}");
            vec![what, format!("it was called with {}", clean(arguments))]
        }
    }
}

/// A question, its options, and what an answer must be.
pub(super) fn wanted(question: &Question) -> Vec<String> {
    let mut lines = guarded(&question.text);
    let options = question.options.iter().enumerate();
    lines.extend(options.map(|(number, option)| format!("{}. {}", number + 1, clean(option))));
    lines.extend(rule(question));
    lines
}

/// Says what an answer must be, if not one option or any text.
fn rule(question: &Question) -> Option<String> {
    if let Some(Choose { min, max }) = question.choose {
        return Some(if min == max {
            format!("choose {min}")
        } else {
            format!("choose {min} to {max}")
        });
    }
    let schema = question
        .schema
        .as_ref()
        .filter(|_| question.options.is_empty())?;
    let what = if reads_json(schema) { "JSON" } else { "a text" };
    Some(clean(&format!("the answer is {what} that fits {schema}")))
}

/// Says what an approval can allow beyond its call: how that is typed, or the key for it, and what
/// it grants.
pub(crate) fn reaches(waiting: &Waiting, form: DecisionForm) -> Vec<String> {
    let line = |offer: OfferView| {
        let words = clean(&offer.words);
        match form {
            DecisionForm::Keys => by_key(offer.kind, &words),
            DecisionForm::Options => by_option(offer.kind, &words),
        }
    };
    let mut lines: Vec<String> = offers(waiting).into_iter().filter_map(line).collect();
    if form == DecisionForm::Keys && !lines.is_empty() {
        lines.push("d  not at all".to_owned());
    }
    lines
}

fn by_key(kind: OfferKind, words: &str) -> Option<String> {
    match kind {
        OfferKind::Once => Some(format!("o  {words}")),
        OfferKind::Turn => Some(format!("t  {words}")),
        OfferKind::World => Some(format!("w  {words}")),
        OfferKind::Arguments => Some("e  this call alone, with other arguments".to_owned()),
        OfferKind::Uses | OfferKind::Where | OfferKind::AnyArguments => None,
    }
}

fn by_option(kind: OfferKind, words: &str) -> Option<String> {
    match kind {
        OfferKind::Once => None,
        OfferKind::Turn => Some(format!("--scope turn    {words}")),
        OfferKind::World => Some(format!("--scope world   {words}")),
        OfferKind::Uses => Some(format!("--scope uses:N  {words}")),
        OfferKind::Arguments => Some(format!("--args JSON     {words}")),
        OfferKind::Where => Some(format!(
            "--where JSON    {words}, e.g. '{{\"path\":\"/path\",\"beneath\":\"notes\"}}'"
        )),
        OfferKind::AnyArguments => Some(format!("--any-args      {words}")),
    }
}

/// The form in which decisions are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecisionForm {
    /// By keys of a chat.
    Keys,
    /// By options of a command.
    Options,
}

/// The block that shows a request.
pub(crate) fn block(name: &str, lines: &[String]) -> Vec<String> {
    let bar = paint(ASKS, &BAR.to_string());
    let mut block = vec![format!("{bar} {}", paint(ASKS.bold(), name))];
    for (number, line) in lines.iter().enumerate() {
        let style = if number == 0 { BOLD } else { DIM };
        // The bar stands before every line, so that none passes for something outside.
        block.extend(
            hung(line, 0)
                .split('\n')
                .map(|line| format!("{bar} {}", paint(style, line))),
        );
    }
    block
}

/// The commands that answer a request, ready to be typed.
pub(crate) fn commands(
    common: &CommonArgs,
    waiting: &Waiting,
    by: Option<&PersonName>,
) -> Vec<String> {
    let typed = typed(common, waiting, by).into_iter();
    typed.map(|(_, command)| command).collect()
}

/// Those for somebody with this permit.
pub(crate) fn permitted(
    common: &CommonArgs,
    waiting: &Waiting,
    permit: &PermitView,
) -> Vec<String> {
    let fits = |wants: &Wants| match wants {
        Wants::Deciding => permit.decide,
        Wants::Allowing => permit.decide && permit.allow,
    };
    let typed = typed(common, waiting, None).into_iter();
    typed
        .filter(|(wants, _)| fits(wants))
        .map(|(_, command)| command)
        .collect()
}

/// The permit that a command takes.
#[derive(Debug, Clone, Copy)]
enum Wants {
    /// To say no, or to answer what is asked.
    Deciding,
    /// To let the call run.
    Allowing,
}

fn typed(common: &CommonArgs, waiting: &Waiting, by: Option<&PersonName>) -> Vec<(Wants, String)> {
    let program = common.program();
    let (world, number) = waiting.name.split_once('#').unwrap_or((&waiting.name, ""));
    // A server knows people by their tokens.
    let by = match by {
        _ if common.server.is_some() => String::new(),
        Some(by) => format!(" --as {}", quoted(by.as_str())),
        None => " --as NAME".to_owned(),
    };
    let command = |wants, verb: &str, rest: &str| {
        let command = format!("{program} {verb} {world} {number} {rest}{by}");
        (wants, command)
    };
    match &waiting.asks {
        Asks::Approval { shown, .. } => {
            let shown = format!("--shown {}", shown.short());
            vec![
                command(Wants::Allowing, "approve", &shown),
                command(Wants::Deciding, "deny", &shown),
            ]
        }
        Asks::Question { question }
            if question
                .as_ref()
                .is_some_and(|question| !question.options.is_empty()) =>
        {
            let many = question
                .as_ref()
                .and_then(|question| question.choose)
                .filter(|choose| choose.max > 1);
            vec![command(
                Wants::Deciding,
                "answer",
                if many.is_some() {
                    "--option N --option M"
                } else {
                    "--option N"
                },
            )]
        }
        Asks::Question { question } => {
            let schema = question
                .as_ref()
                .and_then(|question| question.schema.as_ref());
            vec![command(
                Wants::Deciding,
                "answer",
                if schema.is_some_and(reads_json) {
                    "JSON"
                } else {
                    "TEXT"
                },
            )]
        }
        Asks::Outcome { is_open } => {
            let settle = |wants, how| command(wants, "settle", how);
            let mut commands = vec![
                settle(Wants::Deciding, "--ran"),
                settle(Wants::Deciding, "--not-run"),
            ];
            commands.extend(is_open.then(|| settle(Wants::Allowing, "--run-again")));
            commands
        }
    }
}

/// A name as a shell reads it.
pub(crate) fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

/// Says what waits, and the exact commands to type for whoever is logged in.
pub(crate) fn pending(
    terminal: &mut Terminal,
    common: &CommonArgs,
    world: &WorldName,
    waiting: &[Waiting],
) -> Result<(), CliError> {
    let by = person::login();
    pending_for(by.as_ref(), terminal, common, world, waiting)
}

/// Says what waits, and the exact commands to type for `by`.
pub(crate) fn pending_for(
    by: Option<&PersonName>,
    terminal: &mut Terminal,
    common: &CommonArgs,
    world: &WorldName,
    waiting: &[Waiting],
) -> Result<(), CliError> {
    for one in waiting {
        terminal.line("")?;
        for line in block(&format!("{} waits for a person", one.name), &asked(one)) {
            terminal.line(&line)?;
        }
        for command in commands(common, one, by) {
            terminal.whole(&format!("  {command}"))?;
        }
    }
    if common.server.is_some() {
        return Ok(());
    }
    terminal.whole(&format!(
        "Then go on with: {} resume {world}",
        common.program()
    ))
}

/// The keys that answer a request.
pub(crate) fn keys(request: &Waiting) -> &'static str {
    match &request.asks {
        Asks::Approval { .. } => "o once · t turn · w world · e edit · d deny · ? details",
        Asks::Question {
            question: Some(question),
        } if question.choose.is_some() => "type the options' numbers, or - for none · ? details",
        Asks::Question {
            question: Some(question),
        } if !question.options.is_empty() => "type an option's number · ? details",
        Asks::Question { .. } => "type the answer · ? details · /say TEXT speaks to the room",
        Asks::Outcome { is_open: true } => "r it ran · n it did not · a run it again · ? details",
        Asks::Outcome { is_open: false } => "r it ran · n it did not · ? details",
    }
}
