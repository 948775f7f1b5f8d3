//! The words of a protocol of others for what our own routes call otherwise.

use crate::problem::{Problem, ProblemCode};

/// The words in which the clients of a protocol read problems: they know none of our headers and
/// fields.
#[derive(Debug)]
pub(crate) struct Terms {
    /// The member that makes a repeat harmless.
    pub(crate) key: &'static str,
    /// The problem of one that was used before, for something else.
    pub(crate) key_reused: &'static str,
    /// The member that has the words of a new message.
    pub(crate) text: &'static str,
    /// The member that has decisions.
    pub(crate) decisions: &'static str,
    /// The problem of a decision about something else than is asked now.
    pub(crate) shown_differs: &'static str,
}

impl Terms {
    /// The problem in these words.
    pub(crate) fn told(&self, problem: Problem) -> Problem {
        let is_of = |code| problem.code() == code;
        let field = problem.field();
        if is_of(ProblemCode::KeyReused) {
            problem.in_words(self.key_reused).about(self.key)
        } else if is_of(ProblemCode::ShownDiffers) && field == Some("shown") {
            problem.in_words(self.shown_differs).about(self.decisions)
        } else if field == Some("text") {
            problem.about(self.text)
        } else {
            problem
        }
    }
}
