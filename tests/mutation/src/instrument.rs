//! Writes all mutants of a file into its text, each behind its switch.

use std::ops::Range;

use crate::place::Place;

/// A file with switches, and where in it each mutant stands.
#[derive(Debug, Default)]
pub struct Instrumented {
    /// The text.
    pub text: String,
    /// The numbers of its mutants with the bytes that belong to each, in order of their begin.
    pub spans: Vec<(u32, Range<usize>)>,
}

enum Insert<'a> {
    End { number: u32, text: String },
    Begin { number: u32, place: &'a Place, text: String },
}

/// Writes the mutants into the text of their file. Ranges of places are nested or apart, as expressions are.
pub fn instrument(source: &str, mutants: &[(u32, &Place)]) -> Instrumented {
    let mut out = Instrumented::default();
    let mut from = 0;
    for (at, insert) in inserts(mutants) {
        out.text.push_str(source.get(from..at).unwrap_or_default());
        from = at;
        match insert {
            Insert::Begin { number, place, text } => {
                let begin = out.text.len();
                out.text.push_str(&text);
                // A mutant that has no end of its own ends where it begins.
                let end = if place.range.is_empty() { out.text.len() } else { usize::MAX };
                out.spans.push((number, begin..end));
            }
            Insert::End { number, text } => {
                out.text.push_str(&text);
                let end = out.text.len();
                if let Some((_, span)) = out.spans.iter_mut().find(|(known, _)| *known == number) {
                    span.end = end;
                }
            }
        }
    }
    out.text.push_str(source.get(from..).unwrap_or_default());
    out
}

/// What is inserted where. At one byte the ends come first, the inner ones before the outer ones; then the begins, the
/// statement at the head of a body first and then from the outside in.
fn inserts<'a>(mutants: &[(u32, &'a Place)]) -> Vec<(usize, Insert<'a>)> {
    let mut nested: Vec<(u32, &Place)> = mutants.to_vec();
    nested.sort_by_key(|(number, place)| {
        let Range { start, end } = place.range;
        (start, usize::from(!place.range.is_empty()), usize::MAX - end, *number)
    });
    let mut begins = Vec::new();
    let mut ends = Vec::new();
    for (number, place) in nested {
        let (before, behind) = place.change.around(number);
        begins.push((place.range.start, Insert::Begin { number, place, text: before }));
        if !place.range.is_empty() {
            ends.push((place.range.end, Insert::End { number, text: behind }));
        }
    }
    ends.reverse();
    ends.sort_by_key(|(at, _)| *at);
    let mut all: Vec<(usize, Insert<'a>)> = ends.into_iter().chain(begins).collect();
    all.sort_by_key(|(at, insert)| (*at, matches!(insert, Insert::Begin { .. })));
    all
}
