//! Taking a world elsewhere: as a transcript, as lines of JSON, as a report, as spans.
//!
//! An export reads the log twice: once to know how things stand now (what was taken back, what was decided, what was
//! spent), and once to write it down, a commit at a time. It calls nothing, runs nothing and opens nothing.

use std::fmt;
use std::str::FromStr;

use folkmoot_agents::FoldError;
use folkmoot_core::ids::{Position, WorldName};
use folkmoot_core::port::{EventLog, ReadError, StoredCommit};
use futures::stream::{self, BoxStream};
use futures::{StreamExt as _, TryStreamExt as _};
use serde::{Deserialize, Serialize};

mod html;
mod lines;
mod markdown;
#[cfg(feature = "otel")]
mod otlp;
mod survey;
mod talk;
#[cfg(test)]
mod tests;

use html::Report;
pub use html::{PICTURE_LIFELINES_MAX, PICTURE_STEPS_MAX};
pub(crate) use lines::event_lines;
use markdown::Transcript;
pub use survey::ROWS_MAX;
use survey::Survey;

use crate::spans::Capture;

/// How a world is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// What people read, in Markdown.
    Markdown,
    /// Every event, as a line of JSON: see `docs/export.md`.
    Lines,
    /// A page for people, in one file.
    Html,
    /// Spans for OpenTelemetry, as lines of JSON: see [`crate::spans`]. The feature `otel` makes them.
    Otlp(Capture),
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [
        Self::Markdown,
        Self::Lines,
        Self::Html,
        Self::Otlp(Capture::Nothing),
    ];

    /// Its name, as it is typed: `md`, `jsonl`, `html`, `otlp`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Lines => "jsonl",
            Self::Html => "html",
            Self::Otlp(_) => "otlp",
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no such format: write md, jsonl, html or otlp")]
pub struct NoSuchFormat;

impl FromStr for ExportFormat {
    type Err = NoSuchFormat;

    fn from_str(name: &str) -> Result<Self, NoSuchFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or(NoSuchFormat)
    }
}

/// What is known of the log's integrity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Integrity {
    /// Nobody looked.
    #[default]
    NotChecked,
    /// It was checked: each check with what came of it.
    Checked {
        /// The checks, in the order in which they are shown.
        lines: Vec<(String, CheckVerdict)>,
    },
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    /// It is as it was written.
    Intact,
    /// It is not, and how.
    Broken(String),
    /// It could not be checked, and why.
    NotChecked(String),
}

/// Why a world could not be written down.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The world is not there.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// The log does not read.
    #[error("the log cannot be read")]
    Read(#[from] ReadError),
    /// An event has no JSON form.
    #[error("event {at} cannot be written")]
    Event {
        /// The event.
        at: Position,
        /// Why.
        #[source]
        source: folkmoot_core::event::RecordError,
    },
    /// What is known of a commit has no JSON form.
    #[error("the commit of event {at} cannot be written")]
    Commit {
        /// Its first event.
        at: Position,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The page cannot be made.
    #[error("the report cannot be made")]
    Page(#[from] minijinja::Error),
    /// Spans have no JSON form.
    #[error("the spans cannot be written")]
    Spans(#[source] serde_json::Error),
    /// Words were asked for while some are being erased.
    #[error("content of this world is being erased: ask for its words when that is done")]
    Erasing,
    /// This build makes no spans.
    #[error("this build has no OpenTelemetry: build it with the feature `otel` or `full`")]
    NotBuilt,
}

/// An export as it comes, piece by piece.
pub type Pieces = BoxStream<'static, Result<String, ExportError>>;

/// Writes the world `name` down, as it stands now. `integrity` is what the caller found out about its log. Whoever holds the
/// log may read it.
///
/// # Errors
/// [`ExportError`]: at once if there is no such world or its log does not read; else in the pieces.
pub async fn export(
    log: &dyn EventLog,
    name: &WorldName,
    format: ExportFormat,
    integrity: &Integrity,
) -> Result<Pieces, ExportError> {
    let entry = log
        .find(name)
        .await?
        .ok_or_else(|| FoldError::NoSuchWorld(name.clone()))?;
    if let ExportFormat::Otlp(capture) = format {
        return spans(log, entry, capture).await;
    }
    let world = entry.world;
    let head = entry.head;
    let is_within = move |stored: &StoredCommit| stored.commit.header.first <= head;
    let survey = match format {
        ExportFormat::Lines | ExportFormat::Otlp(_) => Survey::default(),
        ExportFormat::Markdown | ExportFormat::Html => {
            let mut survey = Survey::default();
            let mut commits = log.read(world, Position::new(1)).await?;
            while let Some(stored) = commits.try_next().await?.filter(is_within) {
                survey.take(&stored.commit);
            }
            survey
        }
    };
    let commits = log.read(world, Position::new(1)).await?;
    let commits = commits.try_take_while(move |stored| {
        let within = is_within(stored);
        async move { Ok(within) }
    });
    let mut writer = FormatWriter::new(format, name, head, survey, integrity)?;
    let begin = writer.begin();
    let body = commits
        .err_into()
        .map_ok(Some)
        .chain(stream::iter([Ok(None)]));
    let pieces = body.map(
        move |piece: Result<Option<StoredCommit>, ExportError>| match piece? {
            Some(stored) => writer.take(&stored),
            None => writer.end(),
        },
    );
    let pieces = stream::iter([begin]).chain(pieces);
    Ok(pieces
        .try_filter(|piece| std::future::ready(!piece.is_empty()))
        .boxed())
}

#[cfg(feature = "otel")]
use otlp::lines as spans;

#[cfg(not(feature = "otel"))]
async fn spans(
    _: &dyn EventLog,
    _: folkmoot_core::port::WorldEntry,
    _: Capture,
) -> Result<Pieces, ExportError> {
    Err(ExportError::NotBuilt)
}

/// Writes one format.
enum FormatWriter {
    Markdown(Transcript),
    Lines(lines::Lines),
    Html(Box<Report>),
}

impl FormatWriter {
    fn new(
        format: ExportFormat,
        name: &WorldName,
        head: Position,
        survey: Survey,
        integrity: &Integrity,
    ) -> Result<Self, ExportError> {
        Ok(match format {
            ExportFormat::Markdown => Self::Markdown(Transcript::new(name, survey)),
            ExportFormat::Lines => Self::Lines(lines::Lines::new(name.clone(), head)),
            ExportFormat::Html => Self::Html(Box::new(Report::new(name, survey, integrity)?)),
            ExportFormat::Otlp(_) => return Err(ExportError::NotBuilt),
        })
    }

    fn begin(&self) -> Result<String, ExportError> {
        match self {
            Self::Markdown(transcript) => Ok(transcript.begin()),
            Self::Lines(lines) => Ok(lines.begin()),
            Self::Html(report) => report.begin(),
        }
    }

    fn take(&mut self, stored: &StoredCommit) -> Result<String, ExportError> {
        match self {
            Self::Markdown(transcript) => Ok(transcript.take(&stored.commit)),
            Self::Lines(lines) => lines.take(stored),
            Self::Html(report) => report.take(&stored.commit),
        }
    }

    fn end(&self) -> Result<String, ExportError> {
        match self {
            Self::Markdown(transcript) => Ok(transcript.end()),
            Self::Lines(_) => Ok(String::new()),
            Self::Html(report) => report.end(),
        }
    }
}
