//! What a tool shows people: the blocks of its views, as the template draws them.

use folkmoot_core::text::UserText;
use folkmoot_core::text::view::{Block, Column};
use serde::Serialize;

use crate::export::talk::OUTPUT_MAX;
use crate::text::{clean, clip, counted, one_line};

/// The most rows of a table, and the most items of a list. Of a longer one the first are shown, and it says so.
const ROWS_MAX: usize = 200;
/// The longest cell, in characters.
const CELL_MAX: usize = 500;

/// A piece of a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "form", rename_all = "snake_case")]
pub(super) enum BlockView {
    Heading {
        text: String,
    },
    /// Values, each beside its name; those of a list have several.
    Values {
        rows: Vec<(String, Vec<String>)>,
    },
    Table {
        title: Option<String>,
        columns: Vec<ColumnView>,
        rows: Vec<Vec<String>>,
        /// What is left out; empty if nothing is.
        more: String,
    },
    Text {
        text: String,
    },
    Data {
        text: String,
    },
    Image {
        alt: String,
        of: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ColumnView {
    name: String,
    is_numeric: bool,
}

impl BlockView {
    /// Returns the pieces of a view. Values that follow one another stand in one list.
    pub(super) fn all(view: &[Block]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for block in view {
            let next = Self::of(block);
            match (all.last_mut(), next) {
                (Some(Self::Values { rows }), Self::Values { rows: more }) => rows.extend(more),
                (_, next) => all.push(next),
            }
        }
        all
    }

    fn of(block: &Block) -> Self {
        match block {
            Block::Heading(text) => Self::Heading {
                text: one_line(text),
            },
            Block::Line { label, value } => Self::Values {
                rows: vec![(one_line(label), vec![clip(&clean(value), OUTPUT_MAX)])],
            },
            Block::Bullets { label, items } => {
                let mut shown: Vec<String> = items.iter().take(ROWS_MAX).map(cell).collect();
                shown.extend(more(items.len(), "item"));
                Self::Values {
                    rows: vec![(one_line(label), shown)],
                }
            }
            Block::Table {
                title,
                columns,
                rows,
            } => Self::Table {
                title: title.as_deref().map(one_line),
                columns: columns.iter().map(ColumnView::of).collect(),
                rows: rows
                    .iter()
                    .take(ROWS_MAX)
                    .map(|row| row.iter().map(cell).collect())
                    .collect(),
                more: more(rows.len(), "row").unwrap_or_default(),
            },
            Block::Text(text) => Self::Text {
                text: clip(&clean(text), OUTPUT_MAX),
            },
            Block::Json(value) => {
                let text = serde_json::to_string_pretty(value).unwrap_or_default();
                Self::Data {
                    text: clip(&clean(&text), OUTPUT_MAX),
                }
            }
            Block::Image { image, alt } => Self::Image {
                alt: one_line(alt),
                of: format!(
                    "{}, {} bytes, {}",
                    one_line(&image.media_type),
                    image.bytes,
                    image.blob.short()
                ),
            },
        }
    }
}

impl ColumnView {
    fn of(column: &Column) -> Self {
        Self {
            name: one_line(&column.name),
            is_numeric: column.is_numeric,
        }
    }
}

fn cell(text: &UserText) -> String {
    clip(&one_line(text), CELL_MAX)
}

/// Says how many of `all` are left out, if some are.
fn more(all: usize, what: &str) -> Option<String> {
    let more = all.saturating_sub(ROWS_MAX);
    (more > 0).then(|| format!("and {} more, which the log has", counted(more, what)))
}
