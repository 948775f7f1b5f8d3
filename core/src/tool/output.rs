//! The output of a run on its two tracks, and the questions of a tool.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::{ArtifactName, Digest, FileId};

/// A tool's output. People see its views; a model sees what the tool's
/// [`ViewPolicy`](super::ViewPolicy) allows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOutput {
    /// The result in words: what a model reads if it may read all, and what people read if there
    /// are no views.
    pub text: String,
    /// The views that people see, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<View>,
    /// The result in few words, for a model that may read a summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The whole text, if `text` was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<BlobRef>,
    /// The changes to the files of the room that the run made, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
}

impl ToolOutput {
    /// Words alone.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// The same, with one more thing for people to see.
    #[must_use]
    pub fn with(mut self, view: View) -> Self {
        self.views.push(view);
        self
    }
}

/// A kept file: see [`Blobs`](crate::port::Blobs).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlobRef {
    /// The digest of its bytes.
    pub blob: Digest,
    /// The size in bytes.
    pub bytes: u64,
    /// The media type.
    pub media_type: String,
}

/// A change to the files of a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// A file came in. It is kept already.
    Added(NamedFile),
    /// A file is in view no more. The message that brought it, and its bytes, stay until they are erased.
    Removed(FileId),
}

/// A kept file, and its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedFile {
    /// The file's name, without a path.
    pub name: String,
    /// The file.
    pub file: BlobRef,
    /// The parts of a file that is larger than a blob, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<FilePart>,
}

/// A part of a file that is larger than a blob: a blob of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePart {
    /// The digest of its bytes.
    pub blob: Digest,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A thing for people to see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// Words.
    Text(String),
    /// Rows and columns.
    Table(Table),
    /// Data of any shape.
    Json(Value),
    /// A picture.
    Image {
        /// The image's bytes.
        image: BlobRef,
        /// The description of the image.
        alt: String,
    },
    /// A domain artifact of a kind that the tool declares.
    Artifact(Artifact),
}

/// The view in plain text: a table has a line for each row, an image its description, an artifact
/// its data.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Table(table) => table.fmt(f),
            Self::Json(json) => json.fmt(f),
            Self::Image { alt, .. } => write!(f, "[image: {alt}]"),
            Self::Artifact(Artifact { kind, data }) => write!(f, "{kind}: {data}"),
        }
    }
}

/// A line for the title, the columns and each row.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(title) = &self.title {
            writeln!(f, "{title}")?;
        }
        f.write_str(&self.columns.join(" | "))?;
        self.rows.iter().try_for_each(|row| {
            let cells = row.iter().map(|cell| match cell {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    cell.to_string()
                }
            });
            write!(f, "\n{}", cells.collect::<Vec<_>>().join(" | "))
        })
    }
}

/// Rows and columns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The title of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The names of the columns, in order.
    pub columns: Vec<String>,
    /// The rows: each has a scalar or `null` per column. A short row ends in blanks.
    pub rows: Vec<Vec<Value>>,
}

/// A domain artifact: data that people see as its kind says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// The artifact's kind, by its name in the tool's spec.
    pub kind: ArtifactName,
    /// The data. Fits the kind's schema.
    pub data: Value,
}

/// A question of a tool to a person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The question.
    pub text: String,
    /// The answers to choose from; empty means free text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The number of options that may be chosen; `None`: exactly one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choose: Option<Choose>,
    /// JSON Schema (2020-12) of a free answer; `None`: any text. If its type is neither `string`
    /// nor left out, what is typed is read as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

/// The number of options that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choose {
    /// The fewest.
    pub min: u32,
    /// The most.
    pub max: u32,
}

/// Tells whether a free answer under `schema` is read as JSON: its type is given, and is not
/// `string`.
#[must_use]
pub fn reads_json(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind != "string")
}
