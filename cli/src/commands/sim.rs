//! `folkmoot sim`.

use std::path::{Path, PathBuf};

use folkmoot_sim::{
    Counts, Lived, Story, StoryError, Violation, breaks, generate, generate_around, live_all,
    shrink, simulate,
};
use serde::Serialize;
use serde_json::Value;

use crate::arguments::{CommonArgs, SimArgs};
use crate::exit::{CliError, FAILED, USAGE};
use crate::show;
use crate::terminal::{Terminal, shows_progress};

/// How many broken stories are made shorter. What many have in common the first of them shows.
const SHRUNK_MAX: usize = 3;

/// What came of all stories.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Summary {
    /// How many were lived.
    pub(crate) stories: u64,
    /// How much time passed on the simulated machines.
    pub(crate) simulated_seconds: u64,
    /// What happened in them.
    #[serde(flatten)]
    pub(crate) counts: Counts,
    /// Those that broke a law.
    pub(crate) broken: Vec<Broken>,
}

/// A story that broke a law.
#[derive(Debug, Serialize)]
pub(crate) struct Broken {
    /// Its seed.
    pub(crate) seed: u64,
    /// What did not hold.
    #[serde(flatten)]
    pub(crate) violation: Violation,
    /// A shorter one that breaks the same law, if it was looked for.
    pub(crate) story: Option<String>,
}

/// Lives stories, and tells which laws did not hold.
pub(crate) fn sim(common: &CommonArgs, arguments: &SimArgs) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    if let Some(file) = &arguments.story {
        return one(common, file, &mut terminal);
    }
    let script = arguments.script.as_deref().map(script).transpose()?;
    let folder = arguments.script.as_deref().map(folder);
    let tell = |seed| match &script {
        Some(script) => {
            let mut story = generate_around(script.clone(), seed, arguments.seconds);
            story
                .rooms
                .iter_mut()
                .for_each(|room| room.folder.clone_from(&folder));
            story
        }
        None => generate(seed, arguments.seconds),
    };
    let mut summary = all(common, arguments, &tell)?;
    for broken in summary.broken.iter_mut().take(SHRUNK_MAX) {
        broken.story = shorter(tell(broken.seed), &broken.violation);
    }
    if common.json {
        terminal.document(&summary)?;
    } else {
        show::sim::summary(&mut terminal, &summary)?;
    }
    if summary.broken.is_empty() {
        Ok(())
    } else {
        Err(CliError::Said(FAILED))
    }
}

/// Lives one story that was written down.
fn one(common: &CommonArgs, file: &Path, terminal: &mut Terminal) -> Result<(), CliError> {
    let story = Story::from_yaml(&read(file)?);
    let story =
        story.map_err(|error| CliError::other(USAGE, format!("{}: {error}", file.display())))?;
    let lived = simulate(&story).map_err(|error| unplayable(&error))?;
    let mut summary = Summary::default();
    summary.add(story.seed, lived);
    if common.json {
        terminal.document(&summary)?;
    } else {
        show::sim::summary(terminal, &summary)?;
    }
    if summary.broken.is_empty() {
        Ok(())
    } else {
        Err(CliError::Said(FAILED))
    }
}

fn all(
    common: &CommonArgs,
    arguments: &SimArgs,
    tell: &(dyn Fn(u64) -> Story + Sync),
) -> Result<Summary, CliError> {
    let mut summary = Summary::default();
    let mut unplayed = None;
    let mut bar = show::sim::Bar::new(
        shows_progress(common),
        arguments.seeds.end - arguments.seeds.start,
    );
    let mut hear = |seed, lived: Result<Lived, StoryError>| {
        match lived {
            Ok(lived) => summary.add(seed, lived),
            Err(error) => unplayed = Some(error),
        }
        bar.step(summary.broken.len());
        unplayed.is_none()
    };
    live_all(arguments.seeds.clone(), tell, &mut hear);
    bar.end();
    summary.broken.sort_by_key(|broken| broken.seed);
    match unplayed {
        Some(error) => Err(unplayable(&error)),
        None => Ok(summary),
    }
}

impl Summary {
    fn add(&mut self, seed: u64, lived: Lived) {
        self.stories = self.stories.saturating_add(1);
        self.simulated_seconds = self.simulated_seconds.saturating_add(lived.time.as_secs());
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
    shrink(story, &mut |story| breaks(story, law))
        .to_yaml()
        .ok()
}

fn script(file: &Path) -> Result<Value, CliError> {
    let script = serde_saphyr::from_str(&read(file)?);
    script.map_err(|error| CliError::other(USAGE, format!("{}: {error}", file.display())))
}

/// The folder that a script lies in.
fn folder(file: &Path) -> PathBuf {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    file.parent().map(Path::to_owned).unwrap_or_default()
}

fn read(file: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(file)
        .map_err(|error| CliError::other(USAGE, format!("{}: {error}", file.display())))
}

fn unplayable(error: &StoryError) -> CliError {
    CliError::other(USAGE, error.to_string())
}
