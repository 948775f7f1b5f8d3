//! Faults on standard error; those of scripts at their lines.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;

use folkmoot::run::Unmet;
use folkmoot::script::Fault;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
};

use super::style::{BAD, BOLD, paint};
use super::{clean, masked};
use crate::terminal;

/// Says that something went wrong.
pub(crate) fn complain(message: &str) {
    say(&format!("{} {message}", paint(BAD.bold(), "error:")));
}

/// Says something on the side, where it does not mix with the output.
pub(crate) fn remark(message: &str) {
    say(message);
}

/// Says what is wrong with a script: drawn on a terminal, else a line for each fault and the
/// script's line below it.
pub(crate) fn faults(faults: &[Fault]) {
    faults.iter().for_each(|fault| show(&Drawing::of(fault)));
}

/// Says what a step expected, and what came instead.
pub(crate) fn unmet(unmet: &Unmet) {
    let message = clean(&format!("expected {}", unmet.expected));
    show(&Drawing {
        message,
        label: clean(&unmet.came),
        ..Drawing::of(&unmet.fault)
    });
}

fn show(drawing: &Drawing) {
    let draws = io::stderr().is_terminal() && !drawing.text.is_empty();
    say(&draws
        .then(|| draw(drawing))
        .flatten()
        .unwrap_or_else(|| plain(drawing)));
}

fn say(text: &str) {
    // If nobody can be told, the exit code still says it.
    let _unheard = writeln!(anstream::stderr(), "{}", text.trim_end());
}

fn plain(drawing: &Drawing) -> String {
    let Drawing {
        message,
        label,
        help,
        text,
        position: (line, column),
        ..
    } = drawing;
    let error = paint(BAD.bold(), "error:");
    let file = drawing.file.name();
    if text.is_empty() {
        return format!("{error} {file}: {message}");
    }
    let place = paint(BOLD, &format!("{file}:{line}:{column}:"));
    let script = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let mark = " ".repeat(column.saturating_sub(1));
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let help = help
        .as_ref()
        .map(|help| format!("\n{margin} = help: {help}"))
        .unwrap_or_default();
    format!("{place} {error} {message}\n{number} | {script}\n{margin} | {mark}^ {label}{help}")
}

fn draw(drawing: &Drawing) -> Option<String> {
    let theme = if terminal::errors_have_colors() {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let mut drawn = String::new();
    GraphicalReportHandler::new_themed(theme)
        .render_report(&mut drawn, drawing)
        .ok()?;
    Some(drawn)
}

/// A fault as it is drawn.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Drawing {
    /// The fault, in a line.
    message: String,
    /// The text at the place.
    label: String,
    /// The advice below it; `None` if there is none.
    help: Option<String>,
    /// The source, under its name.
    file: NamedSource<Arc<str>>,
    /// The source alone.
    text: Arc<str>,
    /// The first byte of the place, and how many bytes it has.
    span: (usize, usize),
    /// The line and the column of the place, from 1.
    position: (usize, usize),
}

impl Drawing {
    /// Makes everything of a fault safe to show; places in the source stay where they are.
    fn of(fault: &Fault) -> Self {
        let text: Arc<str> = masked(&fault.source).into();
        Self {
            message: clean(&fault.message),
            label: "here".to_owned(),
            help: fault.help.as_deref().map(clean),
            file: NamedSource::new(clean(&fault.file.display().to_string()), Arc::clone(&text)),
            text,
            span: fault.span,
            position: fault.line_column(),
        }
    }
}

impl Diagnostic for Drawing {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.file)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(std::iter::once(LabeledSpan::new(
            Some(self.label.clone()),
            self.span.0,
            self.span.1,
        ))))
    }
}
