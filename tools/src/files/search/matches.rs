use std::io::{self, Read};

use folkmoot_core::tool::{ToolErrorCode, ToolFailure};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};

use super::super::failed;
use super::super::lines::Lines;
use super::SearchArguments;

/// The most memory of a compiled pattern. What is searched at one time, without asking whether anybody still waits, takes its
/// size times that of [`LINE_BYTES_MAX`].
const PATTERN_BYTES_MAX: usize = 1024 * 1024;
/// The most bytes of a line that is searched.
pub(super) const LINE_BYTES_MAX: usize = 256 * 1024;
/// The most bytes of a line that are shown.
const LINE_MAX: usize = 500;

/// A pattern, and the lines that it fits.
pub(super) struct Matches {
    pattern: RegexMatcher,
    searcher: Searcher,
    pub(super) found: Found,
}

/// The lines that were found.
pub(super) struct Found {
    lines: Lines,
    pub(super) count: usize,
    max: usize,
    /// True if there is one more that has no room.
    pub(super) is_cut: bool,
}

impl Matches {
    pub(super) fn new(
        arguments: &SearchArguments,
        max: usize,
        lines: Lines,
    ) -> Result<Self, ToolFailure> {
        let pattern = RegexMatcherBuilder::new()
            .fixed_strings(arguments.literal)
            .case_insensitive(arguments.ignore_case)
            .line_terminator(Some(b'\n'))
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX)
            .build(&arguments.pattern)
            .map_err(|error| {
                failed(
                    ToolErrorCode::BadArguments,
                    format!("the pattern cannot be used: {error}"),
                )
            })?;
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .heap_limit(Some(LINE_BYTES_MAX))
            .binary_detection(BinaryDetection::quit(0))
            .build();
        Ok(Self {
            pattern,
            searcher,
            found: Found {
                lines,
                count: 0,
                max,
                is_cut: false,
            },
        })
    }

    /// Searches a text, whose name is `shown`.
    pub(super) fn search(&mut self, shown: &str, text: impl Read) -> io::Result<()> {
        let Self {
            pattern,
            searcher,
            found,
        } = self;
        searcher.search_reader(&*pattern, text, Named { shown, found })
    }
}

impl Found {
    /// The lines, with the last one.
    pub(super) fn end(self, note: &str) -> String {
        self.lines.end_with(note)
    }

    fn add(&mut self, shown: &str, number: u64, line: &[u8]) -> bool {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches(['\r', '\n']);
        let end = line.floor_char_boundary(LINE_MAX);
        let more = if end < line.len() { "…" } else { "" };
        let text = line.get(..end).unwrap_or_default();
        let has_room =
            self.count < self.max && self.lines.push(&format!("{shown}:{number}: {text}{more}"));
        self.count += usize::from(has_room);
        self.is_cut = !has_room;
        has_room
    }
}

/// The lines found in one text.
struct Named<'m> {
    shown: &'m str,
    found: &'m mut Found,
}

impl Sink for Named<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> io::Result<bool> {
        let number = matched.line_number().unwrap_or_default();
        Ok(self.found.add(self.shown, number, matched.bytes()))
    }
}
