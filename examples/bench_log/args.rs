//! The parameters of a run.

use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use crate::Fallible;

/// What is measured, and how long.
#[derive(Debug, Clone)]
pub(crate) struct Args {
    /// The length of the long world, in events.
    pub(crate) events: u64,
    /// How many idle worlds are opened.
    pub(crate) worlds: usize,
    /// How long each rate is measured.
    pub(crate) time: Duration,
    /// In how many turns the two sides of a comparison are measured, so that both meet the same machine.
    pub(crate) rounds: u32,
    dir: Option<PathBuf>,
    only: Option<String>,
}

impl Args {
    /// Reads the arguments behind the program's name.
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Fallible<Self> {
        let mut args = Self {
            events: 1_000_000,
            worlds: 10_000,
            time: Duration::from_secs(6),
            rounds: 12,
            dir: None,
            only: None,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
            match word.as_str() {
                "--events" => args.events = value()?.parse()?,
                "--seconds" => args.time = Duration::from_secs(value()?.parse()?),
                "--worlds" => args.worlds = value()?.parse()?,
                "--dir" => args.dir = Some(PathBuf::from(value()?)),
                "--only" => args.only = Some(value()?),
                "--quick" => {
                    args.events = 500;
                    args.worlds = 10;
                    args.time = Duration::from_millis(12);
                    args.rounds = 1;
                }
                _ => return Err(format!("{word} is not known; see the top of the program").into()),
            }
        }
        Ok(args)
    }

    /// Whether `part` is to be measured.
    pub(crate) fn wants(&self, part: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only == part)
    }

    /// A folder that is gone when the run is over.
    pub(crate) fn temporary(&self) -> Fallible<TempDir> {
        Ok(match &self.dir {
            Some(dir) => tempfile::tempdir_in(dir)?,
            None => tempfile::tempdir()?,
        })
    }
}
