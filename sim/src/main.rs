//! `folkmoot-sim`: lives stories with faults on a simulated machine, and holds them against the
//! laws of the log.
//!
//! A program of its own, so that the `folkmoot` command contains no simulation. Exit codes: 0 if
//! all laws held, 1 if one did not, 2 if the arguments or a file are wrong, or the output cannot be
//! written.

#![expect(clippy::print_stderr, reason = "a program says what is wrong")]

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use comfy_table::{ContentArrangement, Table, presets};
use folkmoot::text::{clean, clean_json, one_line};
use folkmoot_sim::{
    Lived, Story, StoryCounts, StoryError, Violation, breaks, generate, generate_around, live_all,
    shrink, simulate,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::Value;

/// The most broken stories that are made shorter. The first of them shows what many have in common.
const SHRUNK_MAX: usize = 3;

/// Live stories with faults on a simulated machine, and hold them against the laws of the log.
#[derive(Debug, Parser)]
#[command(name = "folkmoot-sim", version)]
struct StoryArguments {
    /// The script that is run in every story, while whatever should not change how it ends goes
    /// wrong. Without one, each story has random rooms with random people.
    #[arg(conflicts_with = "story")]
    script: Option<PathBuf>,
    /// The seeds, one story each: from A to before B.
    #[arg(long, value_name = "A..B", default_value = "0..100", value_parser = seeds)]
    seeds: Range<u64>,
    /// How many simulated seconds a story is kept busy.
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Live the story in this file instead, as it was printed for a seed that failed.
    #[arg(long, value_name = "FILE")]
    story: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Print no progress.
    #[arg(long, short)]
    quiet: bool,
}

/// The reason that no stories are lived.
#[derive(Debug, thiserror::Error)]
enum ArgumentFault {
    #[error("seeds are written A..B, and A is less than B")]
    Seeds,
    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: String },
    #[error(transparent)]
    Story(#[from] StoryError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

/// The stories that were lived, and what came of them.
#[derive(Debug, Default, Serialize)]
struct StoriesSummary {
    stories: u64,
    /// The time that passed on the simulated machines.
    simulated_seconds: u64,
    #[serde(flatten)]
    counts: StoryCounts,
    /// Those that broke a law.
    broken: Vec<Broken>,
}

/// A story that broke a law.
#[derive(Debug, Serialize)]
struct Broken {
    seed: u64,
    #[serde(flatten)]
    violation: Violation,
    /// A shorter one that breaks the same law; `None` if none was looked for.
    story: Option<String>,
}

fn main() -> ExitCode {
    folkmoot::tool_helper_main();
    let arguments = StoryArguments::parse();
    match live(&arguments) {
        Ok(summary) if summary.broken.is_empty() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(fault) => {
            eprintln!("folkmoot-sim: {}", clean(&fault.to_string()));
            ExitCode::from(2)
        }
    }
}

/// Lives the stories, and prints what came of them.
fn live(arguments: &StoryArguments) -> Result<StoriesSummary, ArgumentFault> {
    let summary = match &arguments.story {
        Some(file) => one(file)?,
        None => all(arguments)?,
    };
    let text = if arguments.json {
        clean_json(&serde_json::to_string_pretty(&summary)?)
    } else {
        shown(&summary)
    };
    match writeln!(io::stdout(), "{text}") {
        // Whoever reads has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        written => written?,
    }
    Ok(summary)
}

/// Lives one story that was written down.
fn one(file: &Path) -> Result<StoriesSummary, ArgumentFault> {
    let story = Story::from_yaml(&read(file)?).map_err(|error| in_file(file, &error))?;
    let lived = simulate(&story)?;
    let mut summary = StoriesSummary::default();
    summary.add(story.seed, lived);
    Ok(summary)
}

fn all(arguments: &StoryArguments) -> Result<StoriesSummary, ArgumentFault> {
    let script = arguments.script.as_deref().map(script).transpose()?;
    let folder = arguments.script.as_deref().map(folder);
    let tell = |seed| match &script {
        Some(script) => {
            let mut story = generate_around(script.clone(), seed, arguments.seconds);
            for room in &mut story.rooms {
                room.folder.clone_from(&folder);
            }
            story
        }
        None => generate(seed, arguments.seconds),
    };
    let mut summary = StoriesSummary::default();
    let mut unplayable = None;
    let is_shown = !arguments.quiet && !arguments.json && io::stderr().is_terminal();
    let bar = is_shown.then(|| bar(arguments.seeds.end - arguments.seeds.start));
    live_all(arguments.seeds.clone(), &tell, &mut |seed, lived| {
        match lived {
            Ok(lived) => summary.add(seed, lived),
            Err(error) => unplayable = Some(error),
        }
        if let Some(bar) = &bar {
            bar.inc(1);
            if !summary.broken.is_empty() {
                bar.set_message(format!("{} broken", summary.broken.len()));
            }
        }
        unplayable.is_none()
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    if let Some(error) = unplayable {
        return Err(error.into());
    }
    summary.broken.sort_by_key(|broken| broken.seed);
    for broken in summary.broken.iter_mut().take(SHRUNK_MAX) {
        broken.story = shorter(tell(broken.seed), &broken.violation);
    }
    Ok(summary)
}

impl StoriesSummary {
    fn add(&mut self, seed: u64, lived: Lived) {
        self.stories += 1;
        self.simulated_seconds += lived.time.as_secs();
        self.counts.add(&lived.counts);
        if let Err(violation) = lived.result {
            self.broken.push(Broken {
                seed,
                violation,
                story: None,
            });
        }
    }
}

/// A shorter story that breaks the same law.
fn shorter(story: Story, violation: &Violation) -> Option<String> {
    let law = violation.law;
    let short = shrink(story, &mut |story| breaks(story, law));
    short.to_yaml().ok()
}

fn seeds(text: &str) -> Result<Range<u64>, ArgumentFault> {
    let ends = text
        .split_once("..")
        .and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    ends.filter(|seeds| !seeds.is_empty())
        .ok_or(ArgumentFault::Seeds)
}

fn script(file: &Path) -> Result<Value, ArgumentFault> {
    serde_saphyr::from_str(&read(file)?).map_err(|error| in_file(file, &error))
}

/// The folder that a script lies in.
fn folder(file: &Path) -> PathBuf {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    file.parent().map(Path::to_owned).unwrap_or_default()
}

fn read(file: &Path) -> Result<String, ArgumentFault> {
    std::fs::read_to_string(file).map_err(|error| in_file(file, &error))
}

fn in_file(file: &Path, error: &dyn Display) -> ArgumentFault {
    ArgumentFault::File {
        path: file.to_owned(),
        why: error.to_string(),
    }
}

/// How far the stories are.
fn bar(stories: u64) -> ProgressBar {
    let bar = ProgressBar::new(stories);
    let style = "{pos}/{len} stories {msg} {elapsed:.dim} ({eta:.dim})";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    bar
}

/// The table of what happened, and each story that broke a law with the way to live it again.
fn shown(summary: &StoriesSummary) -> String {
    let counts = &summary.counts;
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(["what", "how many"]);
    let facts = [
        ("stories", summary.stories),
        ("simulated hours", summary.simulated_seconds / 3_600),
        ("commits", counts.commits),
        ("events", counts.events),
        ("restarts", counts.restarts),
        ("effects of tools", counts.effects),
        ("commands taken up", counts.accepted),
        ("commands refused", counts.refused),
    ];
    for (name, count) in facts {
        table.add_row([name.to_owned(), count.to_string()]);
    }
    for (fault, count) in &counts.faults {
        table.add_row([format!("fault: {fault}"), count.to_string()]);
    }
    table.add_row(["laws broken".to_owned(), summary.broken.len().to_string()]);
    let broken = summary.broken.iter().map(told);
    std::iter::once(table.trim_fmt())
        .chain(broken)
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn told(broken: &Broken) -> String {
    let seed = broken.seed;
    let violation = one_line(&broken.violation.to_string());
    let again = broken.story.as_ref().map(|story| {
        format!(
            "\na shorter story that breaks the same law; to live it again, keep it and type\n  \
             folkmoot-sim --story seed-{seed}.yaml\n\n{}",
            clean(story)
        )
    });
    format!("seed {seed}: {violation}{}", again.unwrap_or_default())
}
