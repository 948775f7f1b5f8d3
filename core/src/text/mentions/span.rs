//! The hidden parts of a line: spans of code, and comments.

use std::collections::BTreeMap;
use std::ops::Range;

/// A part of a line in which nobody is mentioned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hidden {
    /// The place in the line.
    pub(crate) place: Range<usize>,
    /// True if it is a comment, which readers do not see: it stands there like a blank.
    pub(crate) is_comment: bool,
}

const COMMENT: &str = "<!--";
const COMMENT_END: &str = "-->";

/// The spans of code in `line`, from a run of backticks to the next run of the same length, and the
/// comments that end in it, in order. Whatever begins first hides what is in it.
pub(crate) fn hidden(line: &str) -> Vec<Hidden> {
    let comments = comments(line);
    let mut comments = comments.iter().peekable();
    let (mut found, mut at): (Vec<Hidden>, usize) = (Vec::new(), 0);
    let mut code = backticks(line)
        .into_iter()
        .filter_map(|run| Some(run.place.start..run.closes_at?))
        .peekable();
    loop {
        while comments.next_if(|comment| comment.start < at).is_some() {}
        while code.next_if(|span| span.start < at).is_some() {}
        let is_comment = match (comments.peek(), code.peek()) {
            (Some(comment), Some(span)) => comment.start < span.start,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return found,
        };
        let place = if is_comment {
            comments.next().cloned()
        } else {
            code.next()
        };
        let Some(place) = place else { return found };
        at = place.end;
        found.push(Hidden { place, is_comment });
    }
}

/// From each place in `line` where a comment can begin to the first end behind it.
fn comments(line: &str) -> Vec<Range<usize>> {
    let ends: Vec<usize> = line.match_indices(COMMENT_END).map(|(at, _)| at).collect();
    let begins = line.match_indices(COMMENT).map(|(at, _)| at);
    let comment = |from: usize| {
        let inside = from + COMMENT.len();
        let end = ends.get(ends.partition_point(|end| *end < inside))?;
        Some(from..(end + COMMENT_END.len()))
    };
    begins.filter_map(comment).collect()
}

/// A run of backticks.
struct BacktickRun {
    place: Range<usize>,
    /// The end of the next run of the same length.
    closes_at: Option<usize>,
}

fn backticks(line: &str) -> Vec<BacktickRun> {
    let mut places: Vec<Range<usize>> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match places.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            Some(_) | None => places.push(at..(at + 1)),
        }
    }
    let mut next: BTreeMap<usize, usize> = BTreeMap::new();
    let mut runs: Vec<BacktickRun> = Vec::new();
    for place in places.into_iter().rev() {
        let closes_at = next.insert(place.len(), place.end);
        runs.push(BacktickRun { place, closes_at });
    }
    runs.reverse();
    runs
}
