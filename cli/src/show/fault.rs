//! Faults on standard error; those of scripts at their lines. With `--json` each is an object in a
//! line of its own.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use folkmoot::run::Unmet;
use folkmoot::script::Fault;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
};

use serde_json::{Value, json};

use super::style::{BAD, BOLD, paint};
use super::{clean, clip, masked};
use crate::arguments::CommonArgs;
use crate::exit::CliError;
use crate::terminal;
use crate::text::clean_json;

/// The longest line of a script that is shown whole, in characters.
const LINE_MAX: usize = 160;

/// The longest message about a script, in characters: it may repeat a value of the script.
const MESSAGE_MAX: usize = 600;

/// The text at a place about which nothing more is said.
const HERE: &str = "here";

/// True if standard error is for programs as well: each thing that is said there is JSON.
static SPEAKS_JSON: AtomicBool = AtomicBool::new(false);

/// Has everything that is said from now on be JSON, one object a line.
pub(crate) fn speak_json() {
    SPEAKS_JSON.store(true, Ordering::Relaxed);
}

/// Says that something went wrong.
pub(crate) fn complain(message: &str) {
    if SPEAKS_JSON.load(Ordering::Relaxed) {
        return say_json(&json!({ "error": { "message": message } }));
    }
    say(&format!("{} {message}", paint(BAD.bold(), "error:")));
}

/// Says something on the side, where it does not mix with the output.
pub(crate) fn remark(message: &str) {
    if SPEAKS_JSON.load(Ordering::Relaxed) {
        return say_json(&json!({ "remark": message }));
    }
    say(message);
}

/// Says that a command line cannot be read; `text` is what the reader of arguments says about it.
pub(crate) fn misuse(text: &str, exit: u8) {
    let message = text.trim().trim_start_matches("error: ");
    say_json(&json!({ "error": { "exit": exit, "message": message, "faults": [] } }));
}

/// An error as it is told: in a sentence, or by the faults of a script.
#[derive(Debug)]
pub(crate) struct ErrorReport {
    /// The exit code of a command that ends with it.
    exit: u8,
    /// The fault, and what to do about it.
    message: String,
    /// The places in scripts that it is about; empty if it is about none.
    faults: Vec<Drawing>,
}

impl ErrorReport {
    /// The report of `error`; commands that it names can be typed as they stand.
    pub(crate) fn of(common: &CommonArgs, error: &CliError) -> Self {
        let faults = match error {
            CliError::Script(error) => error.faults.iter().map(Drawing::of).collect(),
            CliError::Unmet(unmet) => vec![Drawing::of_unmet(unmet)],
            CliError::Step(fault) => vec![Drawing::of(fault)],
            CliError::Closed
            | CliError::Said(_)
            | CliError::Store(_)
            | CliError::World(_)
            | CliError::Fold(_)
            | CliError::HolderLost(_)
            | CliError::Other { .. } => Vec::new(),
        };
        Self {
            exit: error.code(),
            message: common.to_type(&error.to_string()),
            faults,
        }
    }

    /// The report as JSON. Lines and columns are from 1.
    pub(crate) fn to_json(&self) -> Value {
        let Self {
            exit,
            message,
            faults,
        } = self;
        let faults: Vec<Value> = faults.iter().map(Drawing::to_json).collect();
        json!({ "exit": exit, "message": message, "faults": faults })
    }

    /// Says it on standard error: drawn on a terminal, else a line for each fault and the script's
    /// line below it.
    pub(crate) fn say(&self) {
        if SPEAKS_JSON.load(Ordering::Relaxed) {
            return say_json(&json!({ "error": self.to_json() }));
        }
        if self.faults.is_empty() {
            return complain(&self.message);
        }
        self.faults.iter().for_each(show);
    }
}

fn show(drawing: &Drawing) {
    let draws = io::stderr().is_terminal() && !drawing.text.is_empty() && !drawing.is_wide();
    say(&draws
        .then(|| draw(drawing))
        .flatten()
        .unwrap_or_else(|| plain(drawing)));
}

fn say(text: &str) {
    // If nobody can be told, the exit code still says it.
    let _unheard = writeln!(anstream::stderr(), "{}", text.trim_end());
}

fn say_json(value: &Value) {
    say(&clean_json(&value.to_string()));
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
    let (script, before) = excerpt(script, column.saturating_sub(1));
    let mark = " ".repeat(before);
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let help = help
        .as_ref()
        .map(|help| format!("\n{margin} = help: {help}"))
        .unwrap_or_default();
    format!("{place} {error} {message}\n{number} | {script}\n{margin} | {mark}^ {label}{help}")
}

/// The part of a script's line around the character at `at`, and how many characters of it stand
/// before that one.
fn excerpt(line: &str, at: usize) -> (String, usize) {
    if line.chars().count() <= LINE_MAX {
        return (line.to_owned(), at);
    }
    let start = at.saturating_sub(LINE_MAX / 2);
    let mut rest = line.chars().skip(start);
    let cut = if start > 0 { "…" } else { "" };
    let shown: String = rest.by_ref().take(LINE_MAX).collect();
    let more = if rest.next().is_some() { "…" } else { "" };
    let before = at.saturating_sub(start) + cut.chars().count();
    (format!("{cut}{shown}{more}"), before)
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
            message: clip(&clean(&fault.message), MESSAGE_MAX),
            label: HERE.to_owned(),
            help: fault.help.as_deref().map(clean),
            file: NamedSource::new(clean(&fault.file.display().to_string()), Arc::clone(&text)),
            text,
            span: fault.span,
            position: fault.line_column(),
        }
    }

    /// The place of a step, with what it expected and what came instead.
    fn of_unmet(unmet: &Unmet) -> Self {
        Self {
            message: clean(&format!("expected {}", unmet.expected)),
            label: clean(&unmet.came),
            ..Self::of(&unmet.fault)
        }
    }

    /// True if the line of the place, or one beside it, is too long to be drawn.
    fn is_wide(&self) -> bool {
        let first = self.position.0.saturating_sub(2);
        let mut lines = self.text.lines().skip(first).take(3);
        lines.any(|line| line.chars().count() > LINE_MAX)
    }

    fn to_json(&self) -> Value {
        // A file that cannot be read has no places.
        let place = (!self.text.is_empty()).then_some(self.position);
        let label = Some(&self.label).filter(|label| *label != HERE);
        json!({
            "file": self.file.name(),
            "line": place.map(|(line, _)| line),
            "column": place.map(|(_, column)| column),
            "message": self.message,
            "here": label,
            "help": self.help,
        })
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
