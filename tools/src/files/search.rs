use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolFailure, ToolOutcome, ToolSpec,
};
use serde::Deserialize;
use serde_json::json;

use super::lines::Lines;
use super::{Links, Root, StopSign, blocking, reaching_beneath, text_max};
use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

mod choice;
mod matches;
mod tour;

use choice::Choice;
use matches::Matches;
use tour::Tour;

pub(crate) const SEARCH: Kind = Kind {
    name: "fs.search",
    summary: "Searches the text files beneath `root`",
    keys: &["root", "links", "max_matches", "max_bytes"],
    is_local: true,
    build,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchSettings {
    root: PathBuf,
    #[serde(default)]
    links: Links,
    #[serde(default = "matches_max")]
    max_matches: usize,
    #[serde(default = "bytes_max")]
    max_bytes: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The most lines that one call finds.
    pub(super) matches_max: usize,
    /// The most bytes of a file; a larger one is left out.
    pub(super) file_bytes_max: u64,
}

const fn matches_max() -> usize {
    100
}

const fn bytes_max() -> u64 {
    4 * 1024 * 1024
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let SearchSettings {
        root,
        links,
        max_matches,
        max_bytes,
    } = draft.settings()?;
    let declared = Declared {
        description: "Finds the lines of text files that a regular expression fits, as `path:line: text`. Hidden files, and \
                      those that a `.gitignore` names, are left out unless `all` is true."
            .into(),
        effect: EffectClass::Read,
        repeat: Repeat::Always,
        schema: schema(),
    };
    let (root, spec, path) = Root::prepare(draft, &root, links, declared, |spec| spec)?;
    // A search of a folder reads what lies in the folders beneath.
    let spec = reaching_beneath(spec, ["/path"]);
    let limits = Limits {
        matches_max: max_matches,
        file_bytes_max: max_bytes,
    };
    Ok(Built::new(FsSearch { spec, root, limits }).within(vec![path]))
}

fn schema() -> serde_json::Value {
    json!({
        "type": "object",
        "properties": {
            "path": {
                "type": "string", "minLength": 1,
                "description": "the folder or file to search, relative to the tool's folder; `.` is that itself",
            },
            "pattern": { "type": "string", "minLength": 1, "maxLength": PATTERN_MAX, "description": "a regular expression, for one line" },
            "literal": { "type": "boolean", "description": "true: the pattern is plain text" },
            "ignore_case": { "type": "boolean" },
            "files": {
                "type": "string", "minLength": 1, "maxLength": PATTERN_MAX,
                "description": "only files that fit this glob, e.g. `*.md` or `src/**/*.rs`",
            },
            "all": { "type": "boolean", "description": "true: hidden and ignored files as well" },
        },
        "required": ["path", "pattern"],
        "additionalProperties": false,
    })
}

/// The most characters of a pattern, and of a glob.
const PATTERN_MAX: usize = 1000;

#[derive(Debug)]
struct FsSearch {
    spec: ToolSpec,
    root: Arc<Root>,
    limits: Limits,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchArguments {
    path: String,
    pattern: String,
    #[serde(default)]
    literal: bool,
    #[serde(default)]
    ignore_case: bool,
    files: Option<String>,
    #[serde(default)]
    all: bool,
}

#[async_trait]
impl Tool for FsSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let arguments: SearchArguments = match arguments::read(call) {
            Ok(arguments) => arguments,
            Err(failure) => return ToolOutcome::Failed(failure),
        };
        let root = Arc::clone(&self.root);
        let limits = self.limits;
        let lines = Lines::new(text_max(&self.spec));
        blocking(move |stop| search(&root, &arguments, limits, lines, stop)).await
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

pub(super) fn search(
    root: &Root,
    arguments: &SearchArguments,
    limits: Limits,
    lines: Lines,
    stop: &StopSign,
) -> Result<String, ToolFailure> {
    let matches = Matches::new(arguments, limits.matches_max, lines)?;
    let choice = Choice::new(root, arguments)?;
    let mut tour = Tour::new(matches, choice, limits.file_bytes_max, stop);
    tour.start(root, &arguments.path)?;
    Ok(tour.end())
}
