//! The track for people.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::artifact::artifact_blocks;
use super::form::text_of;
use crate::ids::ArtifactName;
use crate::text::UserText;
use crate::tool::{ArtifactSpec, BlobRef, Table, View};

/// A piece of what people see of a tool's output. Its texts are as the data has them: who shows
/// them on a terminal takes out what a terminal would obey.
///
/// Only this crate draws one; a `Block<String>` is a copy of one, e.g. one that came from another
/// process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block<T = UserText> {
    /// A heading of what follows.
    Heading(T),
    /// A value, and what it is called.
    Line {
        /// The name of the value.
        label: T,
        /// The value.
        value: T,
    },
    /// Several values, and what they are called.
    Bullets {
        /// The name of the values.
        label: T,
        /// The items, one a line.
        items: Vec<T>,
    },
    /// Rows and columns.
    Table {
        /// The title; `None` if it has none.
        title: Option<T>,
        /// The columns, in order.
        columns: Vec<Column<T>>,
        /// The rows, each with a cell per column.
        rows: Vec<Vec<T>>,
    },
    /// Words.
    Text(T),
    /// Data of any shape.
    Json(Value),
    /// A picture.
    Image {
        /// The bytes of the image.
        image: BlobRef,
        /// The words for those who do not see it.
        alt: T,
    },
}

/// The heading of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column<T = UserText> {
    /// The name of the column.
    pub name: T,
    /// True if all its cells are numbers or amounts.
    pub is_numeric: bool,
}

/// Returns what people see of a view. `kinds` are those of the room: an artifact of another kind is
/// shown as data.
#[must_use]
pub fn blocks(view: &View, kinds: &BTreeMap<ArtifactName, ArtifactSpec>) -> Vec<Block> {
    drawn(view, kinds)
        .into_iter()
        .map(|block| block.map(&UserText::new))
        .collect()
}

fn drawn(view: &View, kinds: &BTreeMap<ArtifactName, ArtifactSpec>) -> Vec<Block<String>> {
    match view {
        View::Text(text) => vec![Block::Text(text.clone())],
        View::Table(table) => vec![drawn_table(table)],
        View::Json(value) => vec![Block::Json(value.clone())],
        View::Image { image, alt } => vec![Block::Image {
            image: image.clone(),
            alt: alt.clone(),
        }],
        View::Artifact(artifact) => match kinds.get(&artifact.kind) {
            Some(spec) => artifact_blocks(&artifact.data, spec),
            None => vec![
                Block::Heading(artifact.kind.to_string()),
                Block::Json(artifact.data.clone()),
            ],
        },
    }
}

fn drawn_table(table: &Table) -> Block<String> {
    let cell = |row: &Vec<Value>, place: usize| row.get(place).map(text_of).unwrap_or_default();
    let is_numeric = |place: usize| {
        let mut cells = table
            .rows
            .iter()
            .filter_map(|row| row.get(place))
            .filter(|cell| !cell.is_null())
            .peekable();
        cells.peek().is_some() && cells.all(Value::is_number)
    };
    let columns = table.columns.iter().enumerate();
    Block::Table {
        title: table.title.clone(),
        columns: columns
            .map(|(place, name)| Column {
                name: name.clone(),
                is_numeric: is_numeric(place),
            })
            .collect(),
        rows: table
            .rows
            .iter()
            .map(|row| {
                (0..table.columns.len())
                    .map(|place| cell(row, place))
                    .collect()
            })
            .collect(),
    }
}

/// The blocks as lines of text.
#[must_use]
pub fn plain<T: AsRef<str>>(blocks: &[Block<T>]) -> String {
    blocks.iter().map(plain_of).collect::<Vec<_>>().join("\n")
}

fn plain_of<T: AsRef<str>>(block: &Block<T>) -> String {
    let joined = |texts: &[T]| {
        texts
            .iter()
            .map(AsRef::as_ref)
            .collect::<Vec<_>>()
            .join(" | ")
    };
    match block {
        Block::Heading(text) | Block::Text(text) => text.as_ref().to_owned(),
        Block::Line { label, value } => format!("{}: {}", label.as_ref(), value.as_ref()),
        Block::Bullets { label, items } => {
            let items: String = items
                .iter()
                .map(|item| format!("\n- {}", item.as_ref()))
                .collect();
            format!("{}:{items}", label.as_ref())
        }
        Block::Table {
            title,
            columns,
            rows,
        } => {
            let heads = columns
                .iter()
                .map(|column| column.name.as_ref())
                .collect::<Vec<_>>()
                .join(" | ");
            let title = title.iter().map(|title| title.as_ref().to_owned());
            title
                .chain([heads])
                .chain(rows.iter().map(|row| joined(row)))
                .collect::<Vec<_>>()
                .join("\n")
        }
        Block::Json(value) => value.to_string(),
        Block::Image { image, alt } => format!(
            "{} ({}, {} bytes)",
            alt.as_ref(),
            image.media_type,
            image.bytes
        ),
    }
}

impl<T> Block<T> {
    /// The same with other texts.
    fn map<U>(self, text: &impl Fn(T) -> U) -> Block<U> {
        let all = |texts: Vec<T>| texts.into_iter().map(text).collect();
        match self {
            Self::Heading(heading) => Block::Heading(text(heading)),
            Self::Line { label, value } => Block::Line {
                label: text(label),
                value: text(value),
            },
            Self::Bullets { label, items } => Block::Bullets {
                label: text(label),
                items: all(items),
            },
            Self::Table {
                title,
                columns,
                rows,
            } => Block::Table {
                title: title.map(text),
                columns: columns
                    .into_iter()
                    .map(|Column { name, is_numeric }| Column {
                        name: text(name),
                        is_numeric,
                    })
                    .collect(),
                rows: rows.into_iter().map(all).collect(),
            },
            Self::Text(words) => Block::Text(text(words)),
            Self::Json(value) => Block::Json(value),
            Self::Image { image, alt } => Block::Image {
                image,
                alt: text(alt),
            },
        }
    }
}
