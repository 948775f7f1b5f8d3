/// The most bytes of the address behind a link. A longer one is data rather than a place.
const TARGET_BYTES_MAX: usize = 512;
/// The note behind a text that was cut.
const CUT: &str = "\n[cut: the page is longer]";

/// The distance between two pieces of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    None,
    Blank,
    Line,
    Paragraph,
}

/// Text with each blank written once, and lines where the page has them.
#[derive(Debug)]
pub(super) struct Writer {
    text: String,
    /// The distance to what comes next.
    gap: Gap,
    /// True if a mark at the start of a line waits for its words.
    is_after_mark: bool,
    max: usize,
}

impl Writer {
    pub(super) const fn new(max: usize) -> Self {
        Self {
            text: String::new(),
            gap: Gap::None,
            is_after_mark: false,
            max,
        }
    }

    pub(super) const fn is_full(&self) -> bool {
        self.text.len() > self.max
    }

    /// Keeps at least this distance to what comes next.
    pub(super) fn gap(&mut self, gap: Gap) {
        // The words of an item or a heading follow their mark, whatever elements they stand in.
        if !self.is_after_mark {
            self.gap = self.gap.max(gap);
        }
    }

    /// Writes words, with one blank where there are any.
    pub(super) fn words(&mut self, text: &str) {
        if self.is_full() {
            return;
        }
        if text.starts_with(char::is_whitespace) {
            self.gap(Gap::Blank);
        }
        for (place, word) in text.split_whitespace().enumerate() {
            if place > 0 {
                self.gap(Gap::Blank);
            }
            self.piece(word);
        }
        if text.ends_with(char::is_whitespace) && !text.trim().is_empty() {
            self.gap(Gap::Blank);
        }
    }

    /// Writes text as it is.
    pub(super) fn exact(&mut self, text: &str) {
        if !self.is_full() && !text.is_empty() {
            self.piece(text);
        }
    }

    /// Writes a sign in front of what comes next.
    pub(super) fn mark(&mut self, gap: Gap, mark: &str) {
        self.is_after_mark = false;
        self.gap(gap);
        self.piece(mark);
        self.is_after_mark = mark.ends_with(' ');
    }

    /// Begins a cell of a table.
    pub(super) fn cell(&mut self) {
        if self.gap < Gap::Line && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.gap = Gap::None;
            self.piece(" | ");
        }
    }

    /// Begins a link, and returns where its text begins.
    pub(super) fn begin_link(&mut self) -> usize {
        self.piece("[");
        self.text.len()
    }

    /// Ends the link whose text began at `start`. One without words is taken back.
    pub(super) fn end_link(&mut self, start: usize, target: &str) {
        let words = self.text.get(start..).unwrap_or_default();
        if words.trim().is_empty() {
            self.text.truncate(start.saturating_sub("[".len()));
        } else if target.len() > TARGET_BYTES_MAX {
            self.text.push(']');
        } else {
            self.text.push_str(&format!("]({target})"));
        }
    }

    fn piece(&mut self, piece: &str) {
        let between = match self.gap {
            Gap::None => "",
            Gap::Blank => " ",
            Gap::Line => "\n",
            Gap::Paragraph => "\n\n",
        };
        if !self.text.is_empty() {
            self.text.push_str(between);
        }
        self.gap = Gap::None;
        self.is_after_mark = false;
        self.text.push_str(piece);
    }

    /// The text, with a last line that says so if the page goes on.
    pub(super) fn finish(&mut self, is_cut: bool) -> String {
        let mut text = std::mem::take(&mut self.text);
        if is_cut || text.len() > self.max {
            text.truncate(text.floor_char_boundary(self.max));
            text.push_str(CUT);
        }
        text
    }
}
