//! Views of tools for people: artifacts, tables, data and pictures.

use folkmoot::core::text::UserText;
use folkmoot::core::text::view::{Block, blocks};
use folkmoot::core::tool::View;
use folkmoot::view::transcript::ArtifactKinds;

use super::style::{BOLD, DIM, paint};
use super::{clean, clip, one_line, table};
use crate::text::gutter::{GUTTER, escaped};

#[cfg(test)]
mod tests;

/// The most rows of a table, and the most lines of a text or of data, that are shown where it is
/// not an artifact.
const LINES_MAX: usize = 20;
/// The most characters of a cell, or of a line of data, likewise.
const CHARS_MAX: usize = 120;
/// Fewer columns of a terminal than this are not cared for: there, lines break where they break.
const WIDTH_MIN: u16 = 20;

/// A view, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownView {
    /// The blocks of it, one below another.
    blocks: Vec<Block>,
    /// True if all of it is shown, however long it is: people came for artifacts.
    is_whole: bool,
}

impl ShownView {
    pub(crate) fn of(view: &View, kinds: &ArtifactKinds) -> Self {
        Self {
            blocks: blocks(view, kinds),
            is_whole: matches!(view, View::Artifact(_)),
        }
    }

    /// The lines of it, in at most `width` columns if there is a limit, and whether there is more.
    pub(crate) fn lines(&self, width: Option<u16>) -> (Vec<String>, bool) {
        let width = width.map(|width| width.saturating_sub(2).max(WIDTH_MIN));
        let (lines, chars) = if self.is_whole {
            (usize::MAX, usize::MAX)
        } else {
            (LINES_MAX, CHARS_MAX)
        };
        let labels = self
            .blocks
            .iter()
            .map(label_width)
            .max()
            .unwrap_or_default();
        let mut page = BlockPage {
            width,
            lines,
            chars,
            labels,
            is_cut: false,
        };
        let drawn: Vec<String> = self
            .blocks
            .iter()
            .flat_map(|block| page.block(block))
            .collect();
        (
            drawn
                .iter()
                .map(|line| format!("{GUTTER} {}", escaped(line)).trim_end().to_owned())
                .collect(),
            page.is_cut,
        )
    }
}

fn label_width(block: &Block) -> usize {
    if let Block::Line { label, .. } = block {
        one_line(label).chars().count()
    } else {
        0
    }
}

/// The room that a view has, and whether that was enough.
struct BlockPage {
    /// The columns of a line; `None` if there is no limit.
    width: Option<u16>,
    /// The most lines of a text, and rows of a table; `usize::MAX` if there is no limit.
    lines: usize,
    /// The most characters of a line or a cell; `usize::MAX` if there is no limit.
    chars: usize,
    /// The room for what values are called.
    labels: usize,
    /// True if something did not fit.
    is_cut: bool,
}

impl BlockPage {
    fn block(&mut self, block: &Block) -> Vec<String> {
        match block {
            Block::Heading(text) => vec![paint(BOLD, &one_line(text))],
            Block::Line { label, value } => labelled(&one_line(label), value, self.labels),
            Block::Bullets { label, items } => {
                let items = items.iter().map(|item| format!("  • {}", one_line(item)));
                std::iter::once(one_line(label)).chain(items).collect()
            }
            Block::Table {
                title,
                columns,
                rows,
            } => {
                let mut lines: Vec<String> = title.iter().map(|title| one_line(title)).collect();
                let kept: Vec<Vec<String>> = rows
                    .iter()
                    .take(self.lines)
                    .map(|row| self.cells(row))
                    .collect();
                lines.extend(
                    table::of_data(columns, &kept, self.width)
                        .lines()
                        .map(str::to_owned),
                );
                lines.extend(self.more(rows.len(), "rows"));
                lines
            }
            Block::Text(text) => self.clipped(text),
            Block::Json(value) => {
                self.clipped(&serde_json::to_string_pretty(value).unwrap_or_default())
            }
            Block::Image { image, alt } => {
                vec![format!(
                    "[picture] {} ({}, {} bytes)",
                    one_line(alt),
                    clean(&image.media_type),
                    image.bytes
                )]
            }
        }
    }

    fn cells(&mut self, row: &[UserText]) -> Vec<String> {
        row.iter().map(|cell| self.short(cell)).collect()
    }

    fn clipped(&mut self, text: &str) -> Vec<String> {
        let mut lines: Vec<String> = text
            .lines()
            .take(self.lines)
            .map(|line| self.short(&clean(line)))
            .collect();
        lines.extend(self.more(text.lines().count(), "lines"));
        lines
    }

    fn short(&mut self, text: &str) -> String {
        let short = clip(text, self.chars);
        self.is_cut |= short != text;
        short
    }

    /// The line that says how many of `all` are left out, if some are.
    fn more(&mut self, all: usize, what: &str) -> Option<String> {
        let more = all.saturating_sub(self.lines);
        self.is_cut |= more > 0;
        (more > 0).then(|| paint(DIM, &format!("… {more} more {what}")))
    }
}

/// A value beside what it is called; further lines of it stand below its first.
fn labelled(label: &str, value: &str, labels: usize) -> Vec<String> {
    let value = clean(value);
    let mut lines = value.lines();
    let first = format!("{label:labels$}  {}", lines.next().unwrap_or_default());
    let indent = " ".repeat(labels + 2);
    std::iter::once(first)
        .chain(lines.map(|line| format!("{indent}{line}")))
        .collect()
}
