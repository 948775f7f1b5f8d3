//! The foot of a page: the line that is being typed, and above it what is not finished yet. It is
//! written anew whenever something changes, and stands below all that stays.

use unicode_width::UnicodeWidthStr as _;

use super::one_line;
use super::style::{ASKS, DIM, paint};
use crate::terminal::TerminalSize;
use crate::text::gutter::columns_of;
use crate::text::is_obeyed;

#[cfg(test)]
mod tests;

/// The most lines of a text that are shown while it is typed.
const ROWS_MAX: usize = 10;

/// The hint beside the number of a request.
const LEAVE: &str = "(Esc to talk instead)";

/// A text that is being typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TypedText {
    /// The text, which may have several lines.
    pub(crate) text: String,
    /// The place of the cursor in it, in bytes.
    pub(crate) cursor: usize,
    /// The completions that are offered; empty if none are.
    pub(crate) offers: Vec<String>,
}

/// The foot of a page.
#[derive(Debug, Default)]
pub(crate) struct Foot {
    /// The text that is being typed.
    pub(crate) typed: TypedText,
    /// The last line of a draft, as far as it came; empty if none is being written.
    pub(crate) unfinished: String,
    /// The thing that stands there now; `None` if the cursor is where the foot begins.
    drawn: Option<FootDrawing>,
    /// True if the terminal may have moved what stands there.
    is_moved: bool,
}

/// The thing that stands at the foot.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FootDrawing {
    rows: Vec<String>,
    /// The row of the cursor, from 0.
    row: usize,
    /// The column of the cursor, from 0.
    column: usize,
}

/// The orders to a terminal, and between them the text, which has colours.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FootOrders {
    /// Orders that take away what stands there.
    pub(crate) erase: String,
    /// The rows.
    pub(crate) text: String,
    /// Orders that put the cursor where somebody types.
    pub(crate) place: String,
}

impl Foot {
    /// Notes that the terminal may have moved what stands there.
    pub(crate) const fn moved(&mut self) {
        self.is_moved = true;
    }

    /// Notes that the screen is empty.
    pub(crate) fn forget(&mut self) {
        self.drawn = None;
    }

    /// Returns the orders that take it away, so that something can be written in its place.
    pub(crate) fn erase(&mut self, size: TerminalSize) -> String {
        self.is_moved = false;
        let Some(drawn) = self.drawn.take() else {
            return String::new();
        };
        // A terminal that became narrower has broken the rows that do not fit any more.
        let width = size.columns.max(1);
        let broken = |row: &String| columns_of(row).saturating_sub(1) / width;
        let above: usize = drawn
            .rows
            .iter()
            .take(drawn.row)
            .map(|row| broken(row) + 1)
            .sum();
        match above + drawn.column / width {
            0 => "\r\u{1b}[J".to_owned(),
            up => format!("\r\u{1b}[{up}A\u{1b}[J"),
        }
    }

    /// Returns the orders that show it as it is now; `None` if it stands there already. `request` is
    /// the request that the keys decide, `progress` tells what goes on.
    pub(crate) fn draw(
        &mut self,
        size: TerminalSize,
        request: Option<&str>,
        progress: Option<&str>,
    ) -> Option<FootOrders> {
        let drawing = self.drawing(size, request, progress);
        if self.drawn.as_ref() == Some(&drawing) && !self.is_moved {
            return None;
        }
        let erase = self.erase(size);
        let text = drawing.rows.join("\r\n");
        let up = drawing.rows.len().saturating_sub(drawing.row + 1);
        let place = [(up, 'A'), (drawing.column, 'C')]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, order)| format!("\u{1b}[{count}{order}"));
        let place = std::iter::once("\r".to_owned()).chain(place).collect();
        self.drawn = Some(drawing);
        Some(FootOrders { erase, text, place })
    }

    fn drawing(
        &self,
        size: TerminalSize,
        request: Option<&str>,
        progress: Option<&str>,
    ) -> FootDrawing {
        let width = size.columns.max(2);
        let mut rows = Vec::new();
        rows.extend(Some(self.unfinished.clone()).filter(|text| !text.is_empty()));
        let quiet = |text: &str| paint(DIM, &shortened(&one_line(text), width - 1));
        rows.extend(progress.map(quiet));
        if !self.typed.offers.is_empty() {
            rows.push(quiet(&self.typed.offers.join("  ")));
        }
        let prompt = prompt(request, width);
        let indent = prompt.width();
        let typed = TypedRows::of(&self.typed, (width - 1).saturating_sub(indent).max(1));
        let most = ROWS_MAX
            .min(size.rows.saturating_sub(rows.len() + 2))
            .max(1);
        let first = (typed.row + 1).saturating_sub(most);
        if typed.rows.len() > most {
            let place = format!("· line {} of {}", typed.row + 1, typed.rows.len());
            rows.push(quiet(&place));
        }
        let row = rows.len() + typed.row - first;
        let style = if request.is_some() { ASKS } else { DIM };
        let shown = typed.rows.iter().skip(first).take(most).enumerate();
        rows.extend(shown.map(|(number, text)| match number {
            0 => format!("{}{text}", paint(style, &prompt)),
            _ => format!("{}{text}", " ".repeat(indent)),
        }));
        if let Some(last) = rows.last_mut()
            && request.is_some()
            && self.typed.text.is_empty()
            && indent + LEAVE.len() < width
        {
            last.push_str(&paint(DIM, LEAVE));
        }
        FootDrawing {
            rows,
            row,
            column: indent + typed.column,
        }
    }
}

/// The words before what is typed: the number of the request that it decides, if it does.
fn prompt(request: Option<&str>, width: usize) -> String {
    let number = request.and_then(|name| name.rsplit_once('#'));
    let prompt = number.map(|(_, number)| format!("#{number}> "));
    let fits = |prompt: &String| prompt.width() * 2 < width;
    prompt.filter(fits).unwrap_or_else(|| "> ".to_owned())
}

/// A typed text in rows that fit.
struct TypedRows {
    rows: Vec<String>,
    row: usize,
    column: usize,
}

impl TypedRows {
    fn of(typed: &TypedText, width: usize) -> Self {
        let mut all = Self {
            rows: Vec::new(),
            row: 0,
            column: 0,
        };
        let (mut row, mut columns) = (String::new(), 0);
        for (at, c) in typed.text.char_indices() {
            if at == typed.cursor {
                (all.row, all.column) = (all.rows.len(), columns);
            }
            if c == '\n' {
                all.rows.push(std::mem::take(&mut row));
                columns = 0;
                continue;
            }
            let c = shown(c);
            row.push(c);
            let wider = if c.is_ascii() {
                columns + 1
            } else {
                row.width()
            };
            if wider > width && columns > 0 {
                row.pop();
                all.rows.push(std::mem::replace(&mut row, c.to_string()));
                columns = row.width();
            } else {
                columns = wider;
            }
        }
        if typed.cursor >= typed.text.len() {
            (all.row, all.column) = (all.rows.len(), columns);
        }
        all.rows.push(row);
        all
    }
}

/// A typed character as it is shown: the terminal obeys none of them.
fn shown(c: char) -> char {
    match c {
        '\t' => ' ',
        c if is_obeyed(c) => '\u{fffd}',
        c => c,
    }
}

/// The beginning of a line that fits into so many columns.
fn shortened(text: &str, width: usize) -> String {
    if columns_of(text) <= width {
        return text.to_owned();
    }
    let mut columns = 1;
    let fits = |c: &char| {
        columns += columns_of(c.encode_utf8(&mut [0; 4]));
        columns <= width
    };
    let short: String = text.chars().take_while(fits).collect();
    short + "…"
}
