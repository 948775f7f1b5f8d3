//! What people, models and tools say.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Fallible;

/// The size of each question, each answer and each result of a tool.
const TEXT_BYTES: usize = 400;

/// An endless row of texts, no two of which are alike before the file is used up: a store that packs what repeats gains
/// nothing by them.
#[derive(Debug)]
pub struct Texts {
    letters: String,
    count: AtomicUsize,
}

impl Texts {
    /// Reads the file, which is ASCII.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(file: &Path) -> Fallible<Self> {
        Ok(Self {
            letters: std::fs::read_to_string(file)?,
            count: AtomicUsize::new(0),
        })
    }

    /// The next text.
    pub fn next(&self) -> String {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let begin = count * TEXT_BYTES % (self.letters.len() - TEXT_BYTES);
        self.letters
            .get(begin..begin + TEXT_BYTES)
            .unwrap_or_default()
            .to_owned()
    }

    /// How many texts were taken.
    pub fn taken(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}
