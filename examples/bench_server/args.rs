//! The parameters of a run.

use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use crate::Fallible;

/// What is measured, and how much of it.
#[derive(Debug, Clone)]
pub(crate) struct Args {
    /// The turns in which the two sides of a comparison are measured, so that both meet the same machine.
    pub(crate) rounds: usize,
    /// The requests of a turn.
    pub(crate) requests: usize,
    /// The feeds of one room.
    pub(crate) feeds: usize,
    /// The idle worlds; each has five connections.
    pub(crate) worlds: usize,
    /// The length of a turn with and of one without a flood.
    pub(crate) flood: Duration,
    dir: Option<PathBuf>,
    only: Option<String>,
}

impl Args {
    /// Reads the arguments behind the program's name.
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Fallible<Self> {
        let mut args = Self {
            rounds: 12,
            requests: 250,
            feeds: 1_000,
            worlds: 1_000,
            flood: Duration::from_secs(8),
            dir: None,
            only: None,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
            match word.as_str() {
                "--dir" => args.dir = Some(PathBuf::from(value()?)),
                "--only" => args.only = Some(value()?),
                "--quick" => {
                    args.rounds = 2;
                    args.requests = 5;
                    args.feeds = 20;
                    args.worlds = 5;
                    args.flood = Duration::from_millis(500);
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

    /// A folder that is gone when its part of the run is over.
    pub(crate) fn temporary(&self) -> Fallible<TempDir> {
        Ok(match &self.dir {
            Some(dir) => tempfile::tempdir_in(dir)?,
            None => tempfile::tempdir()?,
        })
    }
}
