//! The gutter before every line of text by agents, tools and people, so that none of it passes for
//! a line of ours.

use unicode_width::UnicodeWidthChar as _;

use super::{clean, one_line};

#[cfg(test)]
mod tests;

/// Stands before every line of others' text, and before nothing else.
pub(crate) const GUTTER: char = '┊';
/// Stands before every line of a request, and before nothing else.
pub(crate) const BAR: char = '┃';

/// The blanks that take the place of a tab.
const TAB: &str = "    ";
/// The fewest columns that a text gets, however narrow the terminal is.
const ROOM_MIN: usize = 10;
/// The most columns that further lines of a line are indented by.
const INDENT_MAX: usize = 30;

/// The lines of a text of others, made safe, each behind the gutter.
pub(crate) fn guarded(text: &str) -> Vec<String> {
    lines(text)
        .map(|line| format!("{GUTTER} {line}").trim_end().to_owned())
        .collect()
}

/// A text that begins in a line of ours: its further lines stand behind the gutter, `indent`
/// columns from the left.
pub(crate) fn hung(text: &str, indent: usize) -> String {
    let text = clean(text);
    let (first, rest) = text
        .split_once('\n')
        .map_or((text.as_str(), None), |(first, rest)| (first, Some(rest)));
    let room = " ".repeat(indent);
    let rest = rest
        .into_iter()
        .flat_map(guarded)
        .map(|line| format!("\n{room}{line}"));
    std::iter::once(first.replace('\t', TAB))
        .chain(rest)
        .collect()
}

fn lines(text: &str) -> impl Iterator<Item = String> {
    clean(text)
        .split('\n')
        .map(|line| escaped(&line.replace('\t', TAB)))
        .collect::<Vec<_>>()
        .into_iter()
}

/// A name on one line, in which nothing passes for the gutter behind it or for a line of ours:
/// whatever looks like their signs is spelt out wherever it stands, and runs of blanks are one.
pub(crate) fn named(name: &str) -> String {
    let spelt = |c: char| {
        if is_mark(c) {
            c.escape_unicode().to_string()
        } else {
            c.to_string()
        }
    };
    let name: Vec<&str> = name.split_whitespace().collect();
    one_line(&name.join(" ")).chars().map(spelt).collect()
}

/// A line without a box, an arrow or a check mark as the first thing that is seen of it: that is
/// spelt out.
pub(crate) fn escaped(line: &str) -> String {
    match line.char_indices().find(|(_, c)| is_seen(*c)) {
        // A text could pass for a line of ours with it (decision 0031).
        Some((at, c)) if is_mark(c) => {
            let before = line.get(..at);
            let behind = line.get(at + c.len_utf8()..);
            format!(
                "{}{}{}",
                before.unwrap_or_default(),
                c.escape_unicode(),
                behind.unwrap_or_default()
            )
        }
        Some(_) | None => line.to_owned(),
    }
}

fn is_seen(c: char) -> bool {
    !c.is_whitespace() && c.width().unwrap_or_default() > 0 && !is_empty(c)
}

/// Characters that take columns and show nothing: the empty pattern of Braille, and the fillers of
/// Hangul.
const fn is_empty(c: char) -> bool {
    matches!(
        c,
        '\u{2800}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}'
    )
}

/// Boxes, bars, arrows, check marks, crosses and dots: what our own lines begin with, and what
/// looks like it.
const fn is_mark(c: char) -> bool {
    matches!(c,
        '|' | '¦' | '·' | 'ǀ' | 'ǁ' | '‖' | '․' | '‧' | '∙' | '⋅' | '⏐' | '⎸' | '⎹' | '∣' | '∥' | '⁞' | '⋮' | '⸽'
        | '丨' | 'ㅣ' | 'ᅵ' | '〡' | '︙' | '︳'
        // Arrows.
        | '\u{2190}'..='\u{21ff}' | '\u{27f0}'..='\u{27ff}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}'
        | '\u{1f800}'..='\u{1f8ff}'
        // Boxes, blocks and geometric shapes.
        | '\u{2500}'..='\u{25ff}' | '\u{23a0}'..='\u{23b9}' | '\u{1fb00}'..='\u{1fbff}'
        // Check marks, crosses, and the arrows and bars among the ornaments.
        | '√' | '×' | '☐' | '☑' | '☒' | '✅' | '✓' | '✔' | '✕'..='✘' | '❌' | '❎' | '❘'..='❚' | '➔'..='➾' | '⎟'
        | '🗴' | '🗵' | '🗶' | '🗷' | '🗸' | '🗹' | '￨' | '￩'..='￬' | '︱' | '｜')
}

/// Returns the columns that a character takes at most, whatever stands before it.
fn columns(c: char) -> usize {
    match c {
        // It makes an emoji of the character before it, which is then wider.
        '\u{fe0f}' => 1,
        c => c.width().unwrap_or_default(),
    }
}

/// Returns the columns that a painted text takes.
pub(crate) fn columns_of(text: &str) -> usize {
    Painted(text)
        .filter(|piece| !piece.starts_with('\u{1b}'))
        .flat_map(str::chars)
        .map(columns)
        .sum()
}

/// The pieces of a painted text: characters, and orders to the terminal, of which no text of others
/// has any.
struct Painted<'t>(&'t str);

impl<'t> Iterator for Painted<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let first = self.0.chars().next()?;
        let end = if first == '\u{1b}' {
            self.0.find('m').map(|at| at + 1)
        } else {
            None
        };
        let (piece, rest) = self.0.split_at_checked(end.unwrap_or(first.len_utf8()))?;
        self.0 = rest;
        Some(piece)
    }
}

/// The lines of `text` in at most `width` columns: where one is broken, what follows stands behind
/// the gutter.
pub(crate) fn folded(text: &str, width: usize) -> String {
    text.split('\n')
        .map(|line| folded_line(line, width))
        .collect::<Vec<_>>()
        .join("\n")
}

fn folded_line(line: &str, width: usize) -> String {
    if columns_of(line) <= width {
        return line.to_owned();
    }
    let mut fold = BrokenLine::new(line, width);
    Painted(line).for_each(|piece| fold.take(piece));
    fold.done.push(fold.line);
    fold.done.join("\n")
}

/// A line that is being broken.
struct BrokenLine {
    /// The columns of the terminal.
    width: usize,
    /// The beginning of further lines.
    before: String,
    /// The columns of the first line that are ours: it is not broken within them.
    own: usize,
    /// The lines that are whole.
    done: Vec<String>,
    /// The line that is being made.
    line: String,
    /// The columns that it takes so far.
    columns: usize,
    /// The byte at which the line can be broken: behind its last blank. `None` if it has none.
    blank: Option<usize>,
    /// True if nothing is to be seen of the line yet.
    is_start: bool,
    /// True if it is the first line.
    is_first: bool,
}

impl BrokenLine {
    fn new(line: &str, width: usize) -> Self {
        let plain: String = Painted(line)
            .filter(|piece| !piece.starts_with('\u{1b}'))
            .collect();
        let indent = plain.chars().take_while(|c| *c == ' ').count();
        let of = |sign: char| {
            plain
                .find(sign)
                .and_then(|at| plain.get(..at))
                .map(columns_of)
        };
        let room = |columns: usize| {
            " ".repeat(columns.min(INDENT_MAX).min(width.saturating_sub(ROOM_MIN)))
        };
        let before = if plain.trim_start().starts_with(BAR) {
            format!("{}{BAR} {GUTTER} ", room(indent))
        } else {
            format!("{}{GUTTER} ", room(of(GUTTER).unwrap_or(indent + 2)))
        };
        Self {
            width: width.max(ROOM_MIN),
            before,
            own: of(GUTTER).map_or(indent, |columns| columns + 2),
            done: Vec::new(),
            line: String::new(),
            columns: 0,
            blank: None,
            is_start: false,
            is_first: true,
        }
    }

    fn take(&mut self, piece: &str) {
        if piece.starts_with('\u{1b}') {
            return self.line.push_str(piece);
        }
        let wide = columns_of(piece);
        while self.columns + wide > self.width && self.columns > self.least() {
            if piece == " " {
                self.blank = Some(self.line.len());
            }
            self.wrap();
        }
        if piece == " " && self.columns >= self.least() {
            if self.is_start {
                return;
            }
            self.blank = Some(self.line.len() + 1);
        }
        let shown = if self.is_start {
            escaped(piece)
        } else {
            piece.to_owned()
        };
        self.is_start &= !piece.chars().any(is_seen);
        self.columns += columns_of(&shown);
        self.line.push_str(&shown);
    }

    /// The columns that a line begins with.
    fn least(&self) -> usize {
        if self.is_first {
            self.own
        } else {
            columns_of(&self.before)
        }
    }

    fn wrap(&mut self) {
        // It is broken behind its last blank, if there is one.
        let tail = self
            .blank
            .take()
            .map(|at| self.line.split_off(at))
            .unwrap_or_default();
        let line = std::mem::replace(&mut self.line, self.before.clone());
        self.done.push(line.trim_end_matches(' ').to_owned());
        (self.is_first, self.is_start) = (false, true);
        self.columns = columns_of(&self.before);
        Painted(&tail).for_each(|piece| self.take(piece));
    }
}

/// A text that is written on a terminal while it comes. It breaks its lines itself, and holds back
/// the last word of what came: it may not fit.
#[derive(Debug)]
pub(crate) struct Flow {
    /// The beginning of each line.
    before: String,
    /// The columns that are left for the text; `usize::MAX` if there is no limit.
    room: usize,
    /// The columns that the text of the line takes so far.
    columns: usize,
    /// The blanks that were taken and not written yet.
    blanks: usize,
    /// The word that was begun and not written yet.
    word: String,
    /// True if nothing of the line is written yet.
    is_start: bool,
}

impl Flow {
    /// A text whose lines begin at `indent`, in a terminal of `width` columns. Its first line has
    /// begun, its gutter included.
    pub(crate) fn new(indent: &str, width: Option<u16>) -> Self {
        let before = format!("{indent}{GUTTER} ");
        let taken = columns_of(&before);
        let room = width.map_or(usize::MAX, |width| {
            usize::from(width).saturating_sub(taken).max(ROOM_MIN)
        });
        Self {
            before,
            room,
            columns: 0,
            blanks: 0,
            word: String::new(),
            is_start: true,
        }
    }

    /// Takes more of the text; gives what can be written of it.
    pub(crate) fn push(&mut self, text: &str) -> String {
        let mut out = String::new();
        for c in clean(text).chars() {
            match c {
                '\n' => {
                    self.flush(&mut out);
                    self.begin_line(&mut out);
                }
                ' ' => {
                    self.flush(&mut out);
                    self.blanks += 1;
                }
                '\t' => {
                    self.flush(&mut out);
                    self.blanks += TAB.len();
                }
                c => self.word.push(c),
            }
        }
        out
    }

    /// True if so many columns are left in the line.
    pub(crate) const fn has_room(&self, columns: usize) -> bool {
        self.columns.saturating_add(columns) <= self.room
    }

    /// Gives what was held back.
    pub(crate) fn finish(&mut self) -> String {
        let mut out = String::new();
        self.flush(&mut out);
        out
    }

    fn begin_line(&mut self, out: &mut String) {
        out.push('\n');
        out.push_str(&self.before);
        (self.columns, self.blanks, self.is_start) = (0, 0, true);
    }

    fn flush(&mut self, out: &mut String) {
        let word = std::mem::take(&mut self.word);
        if word.is_empty() {
            return;
        }
        let end = self.columns + self.blanks + columns_of(&word);
        if end > self.room && self.columns > 0 {
            self.begin_line(out);
        }
        let blanks = std::mem::take(&mut self.blanks).min(self.room.saturating_sub(ROOM_MIN));
        out.push_str(&" ".repeat(blanks));
        self.columns += blanks;
        for c in word.chars() {
            if self.columns + columns(c) > self.room {
                self.begin_line(out);
            }
            let shown = if self.is_start {
                escaped(&c.to_string())
            } else {
                c.to_string()
            };
            self.is_start &= !is_seen(c);
            self.columns += columns_of(&shown);
            out.push_str(&shown);
        }
    }
}
