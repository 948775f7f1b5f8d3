/// Room for the last line, which says what is left off.
const NOTE_MAX: usize = 128;

/// A text that is made line by line, within a limit.
#[derive(Debug)]
pub(super) struct Lines {
    text: String,
    max: usize,
}

impl Lines {
    /// No lines yet, and room for `max` bytes.
    pub(super) fn new(max: u64) -> Self {
        Self {
            text: String::new(),
            max: usize::try_from(max).unwrap_or(usize::MAX),
        }
    }

    /// Adds a line if there is room for it beside a last one, and tells whether there was.
    pub(super) fn push(&mut self, line: &str) -> bool {
        let has_room = self.text.len() + line.len() + 1 + NOTE_MAX <= self.max;
        if has_room {
            self.add(line);
        }
        has_room
    }

    pub(super) fn end(self) -> String {
        self.text
    }

    /// The text with a last line, which is short.
    pub(super) fn end_with(mut self, note: &str) -> String {
        self.add(note);
        self.text
    }

    fn add(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }
}
