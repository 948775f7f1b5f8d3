//! The track for people.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::artifact::artifact_blocks;
use super::form::text_of;
use crate::ids::ArtifactName;
use crate::tool::{ArtifactSpec, BlobRef, Table, View};

/// A piece of what people see of a tool's output. Its texts are as the data has them: who shows them on a terminal takes
/// out what a terminal would obey.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// What follows is about this.
    Heading(String),
    /// A value, and what it is called.
    Line {
        /// What it is called.
        label: String,
        /// The value.
        value: String,
    },
    /// Several values, and what they are called.
    Bullets {
        /// What they are called.
        label: String,
        /// One a line.
        items: Vec<String>,
    },
    /// Rows and columns.
    Table {
        /// What it shows.
        title: Option<String>,
        /// The columns, in order.
        columns: Vec<Column>,
        /// The rows, each with a cell per column.
        rows: Vec<Vec<String>>,
    },
    /// Words.
    Text(String),
    /// Data of any shape.
    Json(Value),
    /// A picture.
    Image {
        /// Its bytes.
        image: BlobRef,
        /// What is on it.
        alt: String,
    },
}

/// The heading of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// What it is called.
    pub name: String,
    /// Whether all its cells are numbers or amounts.
    pub is_numeric: bool,
}

/// What people see of a view. `kinds` are those of the room: an artifact of another kind is shown as data.
#[must_use]
pub fn blocks(view: &View, kinds: &BTreeMap<ArtifactName, ArtifactSpec>) -> Vec<Block> {
    match view {
        View::Text(text) => vec![Block::Text(text.clone())],
        View::Table(table) => vec![drawn(table)],
        View::Json(value) => vec![Block::Json(value.clone())],
        View::Image { image, alt } => vec![Block::Image { image: image.clone(), alt: alt.clone() }],
        View::Artifact(artifact) => match kinds.get(&artifact.kind) {
            Some(spec) => artifact_blocks(&artifact.data, spec),
            None => vec![Block::Heading(artifact.kind.to_string()), Block::Json(artifact.data.clone())],
        },
    }
}

fn drawn(table: &Table) -> Block {
    let cell = |row: &Vec<Value>, place: usize| row.get(place).map(text_of).unwrap_or_default();
    let is_numeric = |place: usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.get(place)).filter(|cell| !cell.is_null()).peekable();
        cells.peek().is_some() && cells.all(Value::is_number)
    };
    let columns = table.columns.iter().enumerate();
    Block::Table {
        title: table.title.clone(),
        columns: columns.map(|(place, name)| Column { name: name.clone(), is_numeric: is_numeric(place) }).collect(),
        rows: table.rows.iter().map(|row| (0..table.columns.len()).map(|place| cell(row, place)).collect()).collect(),
    }
}

/// The blocks as lines of text.
#[must_use]
pub fn plain(blocks: &[Block]) -> String {
    blocks.iter().map(plain_of).collect::<Vec<_>>().join("\n")
}

fn plain_of(block: &Block) -> String {
    match block {
        Block::Heading(text) | Block::Text(text) => text.clone(),
        Block::Line { label, value } => format!("{label}: {value}"),
        Block::Bullets { label, items } => {
            let items: String = items.iter().map(|item| format!("\n- {item}")).collect();
            format!("{label}:{items}")
        }
        Block::Table { title, columns, rows } => {
            let heads = columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(" | ");
            let rows = rows.iter().map(|row| row.join(" | "));
            title.iter().cloned().chain([heads]).chain(rows).collect::<Vec<_>>().join("\n")
        }
        Block::Json(value) => value.to_string(),
        Block::Image { image, alt } => format!("{alt} ({}, {} bytes)", image.media_type, image.bytes),
    }
}
