//! Figures that are printed, and decide nothing.

use std::fmt;

/// Times in milliseconds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Figures(Vec<u64>);

impl Figures {
    pub(crate) fn add(&mut self, millis: u64) {
        self.0.push(millis);
    }

    /// The time within which that share of them lies.
    fn at(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let place = (sorted.len() * percent).div_ceil(100).max(1) - 1;
        let millis = u32::try_from(sorted[place]).unwrap();
        f64::from(millis) / 1_000.0
    }
}

impl Extend<u64> for Figures {
    fn extend<T: IntoIterator<Item = u64>>(&mut self, millis: T) {
        self.0.extend(millis);
    }
}

impl FromIterator<u64> for Figures {
    fn from_iter<T: IntoIterator<Item = u64>>(millis: T) -> Self {
        Self(millis.into_iter().collect())
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        let count = self.0.len();
        let [half, most, max] = [50, 99, 100].map(|percent| self.at(percent));
        write!(
            f,
            "p50 {half:.2} s, p99 {most:.2} s, max {max:.2} s of {count}"
        )
    }
}
