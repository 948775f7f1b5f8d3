//! The progress line: who is thinking, which tool runs, and what it reports. On standard error, and
//! only on a terminal.

use std::collections::BTreeMap;
use std::time::Duration;

use folkmoot::core::ids::AgentName;
use folkmoot::core::world::Doing;
use indicatif::{ProgressBar, ProgressStyle};

use super::{clip, one_line};

/// The time between two moves of the sign of life.
const TICK: Duration = Duration::from_millis(120);

/// The longest report that is shown, in characters: the line is one of many.
const REPORT_MAX: usize = 60;

/// The progress line.
#[derive(Debug)]
pub(crate) struct ProgressLine {
    is_wanted: bool,
    bar: Option<ProgressBar>,
    busy: BTreeMap<AgentName, String>,
}

impl ProgressLine {
    pub(crate) const fn new(is_wanted: bool) -> Self {
        Self {
            is_wanted,
            bar: None,
            busy: BTreeMap::new(),
        }
    }

    /// Notes what an agent does now.
    pub(crate) fn agent(&mut self, agent: &AgentName, doing: Doing) {
        let what = match doing {
            Doing::Thinking => "is thinking",
            Doing::UsingTools => "is using its tools",
            Doing::WaitingForAgent => "waits for another agent",
            Doing::Nothing | Doing::Waking | Doing::WaitingForPerson => {
                self.busy.remove(agent);
                return;
            }
        };
        self.busy.insert(agent.clone(), format!("{agent} {what}"));
    }

    /// Notes that a tool of an agent runs.
    pub(crate) fn tool(&mut self, agent: &AgentName, tool: &str) {
        self.busy
            .insert(agent.clone(), format!("{agent} runs {tool}"));
    }

    /// Notes what a running tool of an agent reports: the newest takes the place of the one before.
    pub(crate) fn report(&mut self, agent: &AgentName, tool: &str, text: &str) {
        let text = clip(&one_line(text), REPORT_MAX);
        self.busy
            .insert(agent.clone(), format!("{agent} runs {tool}: {text}"));
    }

    /// Notes that nothing goes on.
    pub(crate) fn nothing(&mut self) {
        self.busy.clear();
    }

    /// Takes the line away, so that something else can be written.
    pub(crate) fn hide(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Returns what goes on; `None` if there is nothing to show.
    pub(crate) fn message(&self) -> Option<String> {
        let busy: Vec<&str> = self.busy.values().map(String::as_str).collect();
        (self.is_wanted && !busy.is_empty()).then(|| busy.join(", "))
    }

    /// Shows the line, if there is anything to show.
    pub(crate) fn show(&mut self) {
        let Some(message) = self.message() else {
            return self.hide();
        };
        let bar = self.bar.get_or_insert_with(spinner);
        if bar.message() != message {
            bar.set_message(message);
        }
    }
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner:.dim} {msg:.dim} {elapsed:.dim}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(TICK);
    bar
}

/// The words for what an agent does.
pub(crate) const fn doing_word(doing: Doing) -> &'static str {
    match doing {
        Doing::Nothing => "idle",
        Doing::Waking => "has news",
        Doing::Thinking => "is thinking",
        Doing::UsingTools => "is using its tools",
        Doing::WaitingForPerson => "waits for a person",
        Doing::WaitingForAgent => "waits for another agent",
    }
}
