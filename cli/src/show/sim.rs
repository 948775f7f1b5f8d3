//! What came of simulated stories, for people.

use indicatif::{ProgressBar, ProgressStyle};

use super::table;
use crate::commands::sim::{Broken, Summary};
use crate::exit::CliError;
use crate::terminal::Terminal;

/// How far the stories are: on standard error, and only on a terminal.
#[derive(Debug)]
pub(crate) struct Bar(Option<ProgressBar>);

impl Bar {
    pub(crate) fn new(is_wanted: bool, stories: u64) -> Self {
        Self(is_wanted.then(|| {
            let bar = ProgressBar::new(stories);
            if let Ok(style) = ProgressStyle::with_template(
                "{pos}/{len} stories {msg} {elapsed:.dim} ({eta:.dim})",
            ) {
                bar.set_style(style);
            }
            bar
        }))
    }

    /// One more is over; so many were broken.
    pub(crate) fn step(&mut self, broken: usize) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
            if broken > 0 {
                bar.set_message(format!("{broken} broken"));
            }
        }
    }

    /// Takes the line away.
    pub(crate) fn end(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

/// Shows what happened, and each story that broke a law with the way to live it again.
pub(crate) fn summary(terminal: &mut Terminal, summary: &Summary) -> Result<(), CliError> {
    let counts = &summary.counts;
    let row = |name: &str, count: u64| vec![name.to_owned(), count.to_string()];
    let mut rows = vec![
        row("stories", summary.stories),
        row(
            "simulated hours",
            summary.simulated_seconds.div_euclid(3_600),
        ),
        row("commits", counts.commits),
        row("events", counts.events),
        row("restarts", counts.restarts),
        row("effects of tools", counts.effects),
        row("commands taken up", counts.accepted),
        row("commands refused", counts.refused),
    ];
    rows.extend(
        counts
            .faults
            .iter()
            .map(|(fault, count)| row(&format!("fault: {fault}"), *count)),
    );
    rows.push(row("laws broken", summary.broken.len() as u64));
    terminal.line(&table::of(&["what", "how many"], rows))?;
    summary
        .broken
        .iter()
        .try_for_each(|broken| tell(terminal, broken))
}

fn tell(terminal: &mut Terminal, broken: &Broken) -> Result<(), CliError> {
    terminal.line(&format!(
        "\nseed {}: {}",
        broken.seed,
        super::one_line(&broken.violation.to_string())
    ))?;
    let Some(story) = &broken.story else {
        return Ok(());
    };
    terminal
        .line("a shorter story that breaks the same law; to live it again, keep it and type")?;
    terminal.line(&format!(
        "  folkmoot sim --story seed-{}.yaml\n\n{story}",
        broken.seed
    ))
}
