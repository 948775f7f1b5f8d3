//! The things that a run has done before a fault.

use crate::problem::Problem;

/// The member of a problem that says what was done before it.
pub(super) const DONE: &str = "done";

/// The things that a run has done, in words.
#[derive(Debug, Clone, Default)]
pub(super) struct Done(Vec<String>);

impl Done {
    pub(super) fn note(&mut self, words: String) {
        self.0.push(words);
    }

    /// The problem, with all that was done before it.
    pub(super) fn told_with(self, problem: Problem) -> Problem {
        if self.0.is_empty() {
            problem
        } else {
            problem.with(DONE, self.0)
        }
    }
}
