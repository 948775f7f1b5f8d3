//! The length of a page of a list.

use crate::problem::{Problem, ProblemCode};

/// The most entries of a page.
const PAGE_MAX: usize = 200;
/// The entries of a page whose length is not said.
pub(crate) const PAGE: usize = 50;

/// The length of a page, as a client says it.
///
/// # Errors
/// [`ProblemCode::Invalid`] if it is none.
pub(crate) fn page_limit(limit: Option<usize>) -> Result<usize, Problem> {
    page_limit_of(limit, PAGE_MAX)
}

/// The length of a page that may have up to `most` entries.
///
/// # Errors
/// [`ProblemCode::Invalid`] if it is none.
pub(crate) fn page_limit_of(limit: Option<usize>, most: usize) -> Result<usize, Problem> {
    match limit {
        Some(limit) if (1..=most).contains(&limit) => Ok(limit),
        _ => {
            let why = format!("a page has 1 to {most} entries");
            Err(Problem::new(ProblemCode::Invalid, why).about("limit"))
        }
    }
}
