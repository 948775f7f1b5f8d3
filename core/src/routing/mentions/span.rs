//! Spans of code in a line.

use std::ops::Range;

/// The spans of code in `line`: from a run of backticks to the next run of the same length.
pub(crate) fn code_spans(line: &str) -> Vec<Range<usize>> {
    let mut runs = backticks(line).into_iter();
    let mut spans = Vec::new();
    while let Some(open) = runs.next() {
        let mut behind = runs.clone();
        if let Some(close) = behind.find(|run| run.len() == open.len()) {
            spans.push(open.start..close.end);
            runs = behind;
        }
    }
    spans
}

fn backticks(line: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at.saturating_add(1),
            Some(_) | None => runs.push(at..at.saturating_add(1)),
        }
    }
    runs
}
