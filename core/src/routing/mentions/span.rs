//! Spans of code in a line.

use std::ops::Range;

/// The spans of code in `line`: from a run of backticks to the next run of the same length.
pub(crate) fn code_spans(line: &str) -> Vec<Range<usize>> {
    let runs = backticks(line);
    let (mut rest, mut spans) = (runs.as_slice(), Vec::new());
    while let Some((open, behind)) = rest.split_first() {
        let close = behind.iter().position(|run| run.len() == open.len());
        let found = close.and_then(|at| Some((behind.get(at)?, behind.get(at.saturating_add(1)..)?)));
        rest = found.map_or(behind, |(close, behind)| {
            spans.push(open.start..close.end);
            behind
        });
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
