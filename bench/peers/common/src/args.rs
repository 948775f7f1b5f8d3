//! The command line, which is the same for each peer.

use std::path::PathBuf;
use std::time::Duration;

use crate::Fallible;

/// One measurement, and how large it is.
#[derive(Debug, Clone, Default)]
pub struct Args {
    /// The name of the measurement.
    pub measure: String,
    /// An empty folder for its files.
    pub dir: PathBuf,
    /// The file of texts.
    pub texts: PathBuf,
    /// How long a rate is measured.
    pub time: Duration,
    /// The turns of a long room.
    pub turns: usize,
    /// The agents that one message reaches.
    pub agents: usize,
    /// The rooms whose memory is measured.
    pub rooms: usize,
}

impl Args {
    /// Reads the command line of this process.
    ///
    /// # Errors
    /// A word that is not known, or has no value.
    pub fn read() -> Fallible<Self> {
        let mut words = std::env::args().skip(1);
        let mut args = Self {
            measure: words.next().ok_or("name a measurement")?,
            ..Self::default()
        };
        while let Some(word) = words.next() {
            let value = words
                .next()
                .ok_or_else(|| format!("{word} wants a value"))?;
            match word.as_str() {
                "--dir" => args.dir = value.into(),
                "--texts" => args.texts = value.into(),
                "--seconds" => args.time = Duration::from_secs_f64(value.parse()?),
                "--turns" => args.turns = value.parse()?,
                "--agents" => args.agents = value.parse()?,
                "--rooms" => args.rooms = value.parse()?,
                _ => return Err(format!("{word} is not known").into()),
            }
        }
        Ok(args)
    }

    /// The kind of the measurement, and how many agents take part where its name says that.
    ///
    /// # Errors
    /// Something behind the dash that is no number.
    pub fn kind(&self) -> Fallible<(&str, usize)> {
        Ok(match self.measure.split_once('-') {
            Some((kind, agents)) => (kind, agents.parse()?),
            None => (&self.measure, 1),
        })
    }
}
