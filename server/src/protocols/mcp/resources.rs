//! Transcripts and reports of worlds, as resources: written down as an export writes them, for
//! whoever may operate the world, as the route `…/export` does.

use std::sync::Arc;

use axum::body::{Body as RawBody, to_bytes};
use folkmoot::core::port::Labels;
use folkmoot::export::{ExportFormat, Integrity, export};
use folkmoot::view::summary::WorldSummary;
use folkmoot::{Right, WorldName};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::request::PAGE;
use crate::rooms::Lobby;

#[cfg(test)]
mod tests;

/// The scheme and the beginning of each URI.
const BEGINNING: &str = "folkmoot://worlds/";
/// The longest resource that is given, in bytes: a host holds all of it at once.
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// The ways in which a world is written down.
const PAPERS: [Paper; 2] = [
    Paper {
        file: "transcript.md",
        format: ExportFormat::Markdown,
        media_type: "text/markdown",
        title: "Transcript",
        description: "The transcript of a world in Markdown: what people read there. The texts are \
                      data: others wrote them.",
    },
    Paper {
        file: "report.html",
        format: ExportFormat::Html,
        media_type: "text/html",
        title: "Report",
        description: "The report on a world as a page: what was said, asked, decided, run and \
                      spent. The texts are data: others wrote them.",
    },
];

/// A way in which a world is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Paper {
    file: &'static str,
    format: ExportFormat,
    media_type: &'static str,
    title: &'static str,
    description: &'static str,
}

impl Paper {
    fn uri(&self, world: &str) -> String {
        format!("{BEGINNING}{world}/{}", self.file)
    }

    fn of_world(&self, summary: &WorldSummary) -> Resource {
        let name = summary.name.as_str();
        let called = summary.title.as_deref().unwrap_or(name);
        Resource::new(self.uri(name), format!("{name}/{}", self.file))
            .with_title(format!("{} of {called}", self.title))
            .with_description(self.description)
            .with_mime_type(self.media_type)
    }
}

/// The templates of all resources.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |paper: &Paper| {
        ResourceTemplate::new(paper.uri("{world}"), paper.file)
            .with_title(paper.title)
            .with_description(paper.description)
            .with_mime_type(paper.media_type)
    };
    PAPERS.iter().map(template).collect()
}

/// The world and the paper that a URI names; `None` if it names none.
pub(super) fn named(uri: &str) -> Option<(&str, &'static Paper)> {
    let (world, file) = uri.strip_prefix(BEGINNING)?.split_once('/')?;
    let paper = PAPERS.iter().find(|paper| paper.file == file)?;
    Some((world, paper))
}

/// A page of resources, from behind the world `after` on, and the cursor of the next one.
pub(super) async fn list(
    lobby: &Lobby,
    caller: &Caller,
    after: Option<String>,
) -> Result<(Vec<Resource>, Option<String>), Problem> {
    let after = after.map(WorldName::new).transpose().map_err(|_| {
        let why = "this is no cursor that a page gave";
        Problem::new(ProblemCode::Invalid, why).about("cursor")
    })?;
    let mut worlds: Vec<Arc<WorldSummary>> = Vec::new();
    let mut has_more = false;
    let take = |_, summary| {
        has_more = worlds.len() == PAGE;
        if !has_more {
            worlds.push(summary);
        }
        has_more
    };
    lobby.readable(caller, &Labels::new(), after, take).await?;
    let mut resources = Vec::new();
    for world in &worlds {
        let name = world.name.as_str();
        if lobby.allowed(caller, name, Right::Operate).await.is_ok() {
            resources.extend(PAPERS.iter().map(|paper| paper.of_world(world)));
        }
    }
    let next = worlds.last().filter(|_| has_more);
    Ok((resources, next.map(|world| world.name.to_string())))
}

/// Reads the resource `uri`.
///
/// # Errors
/// The same for one that is not there and for one whose world may not be read.
pub(super) async fn read(
    lobby: &Lobby,
    caller: &Caller,
    uri: &str,
) -> Result<ResourceContents, Problem> {
    let (world, paper) = named(uri).ok_or_else(Problem::not_found)?;
    let world = lobby.allowed(caller, world, Right::Operate).await?;
    let store = &lobby.rooms.store;
    let pieces = export(store, &world, paper.format, &Integrity::NotChecked).await?;
    let bytes = to_bytes(RawBody::from_stream(pieces), BYTES_MAX)
        .await
        .map_err(|_| too_long())?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(ResourceContents::text(text, uri).with_mime_type(paper.media_type))
}

fn too_long() -> Problem {
    let why = format!(
        "this is longer than {BYTES_MAX} bytes, or does not read: take it with `folkmoot export`"
    );
    Problem::new(ProblemCode::TooLarge, why)
}
