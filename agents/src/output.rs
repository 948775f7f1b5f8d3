//! Bounds on what a tool's output may put into the log; what is longer is kept as blobs beside it.

use std::sync::Arc;

use folkmoot_core::event::Attachment;
use folkmoot_core::ids::WorldId;
use folkmoot_core::port::Blobs;
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::spec::limits::{BLOB_BYTES_MAX, OUTPUT_TEXT_BYTES_MAX};
use folkmoot_core::tool::{
    BlobRef, FileChange, Reconciliation, ToolErrorCode, ToolOutcome, ToolOutput, ToolSpec, View,
};

use crate::secrets::{Secrets, conceal_outcome};

/// The most bytes of one text, and of one view as JSON, that the log keeps. What is longer is a
/// blob beside the log.
pub const OUTPUT_BYTES_MAX: u64 = OUTPUT_TEXT_BYTES_MAX;

/// The most bytes of the views of one output that the log keeps: a commit has to hold them with all
/// the rest.
const VIEWS_BYTES_MAX: u64 = 4 * OUTPUT_BYTES_MAX;

/// The most views of one output.
const VIEWS_MAX: usize = 256;

/// The most changes to the files of a room in one output.
const FILE_CHANGES_MAX: usize = 64;

/// Room for the line behind a text that was cut, within the most bytes of a blob.
const MARK_ROOM: u64 = 64;

const TEXT: &str = "text/plain";
const JSON: &str = "application/json";

/// Returns why no room can have these changes to its files.
fn fault_of_files(changes: &[FileChange]) -> Option<String> {
    if changes.len() > FILE_CHANGES_MAX {
        let count = changes.len();
        return Some(format!(
            "{count} changes to files, at most {FILE_CHANGES_MAX} are allowed in one result"
        ));
    }
    changes.iter().find_map(|change| match change {
        FileChange::Added(file) => {
            let attachment = Attachment::from(file);
            attachment
                .check(u32::MAX)
                .err()
                .map(|error| error.to_string())
        }
        FileChange::Removed(_) => None,
    })
}

/// Keeps what the tools of one world give within the bounds of its log, and what is longer as blobs
/// beside it.
pub(crate) struct Keeper {
    pub(crate) blobs: Arc<dyn Blobs>,
    /// `None`: nothing is kept.
    pub(crate) world: Option<WorldId>,
    /// What no blob may hold either.
    pub(crate) secrets: Option<Arc<dyn Secrets>>,
}

impl Keeper {
    /// Cuts what is too long, says so in its place, and keeps the whole. Returns once that survives
    /// power loss. What cannot be kept stays cut.
    pub(crate) async fn keep(&self, mut outcome: ToolOutcome, spec: &ToolSpec) -> ToolOutcome {
        if let Some(secrets) = &self.secrets {
            // Before anything is cut: a part of a secret would not be known as one.
            conceal_outcome(&mut outcome, &**secrets);
        }
        match outcome {
            ToolOutcome::Done(output) => match fault_of_files(&output.files) {
                None => ToolOutcome::Done(self.output(output, spec).await),
                Some(fault) => ToolOutcome::failed(ToolErrorCode::Failed, fault),
            },
            ToolOutcome::Failed(mut failure) => {
                failure.detail = short(failure.detail, OUTPUT_BYTES_MAX);
                ToolOutcome::Failed(failure)
            }
            ToolOutcome::NeedsInput(mut question) => {
                question.text = short(question.text, OUTPUT_BYTES_MAX);
                let bytes =
                    serde_json::to_string(&question).map_or(u64::MAX, |question| size(&question));
                if bytes > 2 * OUTPUT_BYTES_MAX {
                    return ToolOutcome::failed(
                        ToolErrorCode::TooLarge,
                        format!("a question of {bytes} bytes"),
                    );
                }
                ToolOutcome::NeedsInput(question)
            }
        }
    }

    /// The same for what a tool found out of a lost run.
    pub(crate) async fn keep_found(
        &self,
        found: Reconciliation,
        spec: &ToolSpec,
    ) -> Reconciliation {
        match found {
            Reconciliation::Landed(outcome) => {
                Reconciliation::Landed(self.keep(outcome, spec).await)
            }
            Reconciliation::DidNot | Reconciliation::CannotTell => found,
        }
    }

    async fn output(&self, output: ToolOutput, spec: &ToolSpec) -> ToolOutput {
        let ToolOutput {
            text,
            views,
            summary,
            whole,
            files,
        } = output;
        let max = spec.model_bytes_max.min(OUTPUT_BYTES_MAX);
        let text = within(text, spec.output_bytes_max);
        let left = spec.output_bytes_max.saturating_sub(size(&text));
        let summary = summary.map(|summary| short(summary, max));
        let views = self.views(views, left).await;
        let Some(cut) = cut(&text, max) else {
            return ToolOutput {
                text,
                views,
                summary,
                whole,
                files,
            };
        };
        // A tool that cut its text itself has named the whole.
        let whole = if whole.is_some() {
            whole
        } else {
            self.put(text, TEXT).await
        };
        ToolOutput {
            text: cut,
            views,
            summary,
            whole,
            files,
        }
    }

    /// The views as the log keeps them. At most `left` bytes of those that it does not keep become
    /// blobs.
    async fn views(&self, views: Vec<View>, mut left: u64) -> Vec<View> {
        let count = views.len();
        let mut room = VIEWS_BYTES_MAX;
        let mut kept = Vec::with_capacity(count.min(VIEWS_MAX));
        for view in views.into_iter().take(VIEWS_MAX) {
            let Ok(json) = serde_json::to_string(&view) else {
                continue;
            };
            let bytes = size(&json);
            if bytes <= OUTPUT_BYTES_MAX && bytes <= room {
                room = room.saturating_sub(bytes);
                kept.push(view);
                continue;
            }
            let blob = if bytes <= left {
                self.put(json, JSON).await
            } else {
                None
            };
            left = left.saturating_sub(blob.as_ref().map_or(0, |blob| blob.bytes));
            kept.push(stand_in(&view, bytes, blob.as_ref()));
        }
        if count > VIEWS_MAX {
            kept.push(View::Text(format!(
                "[{} more views were not recorded]",
                count.saturating_sub(VIEWS_MAX)
            )));
        }
        kept
    }

    async fn put(&self, text: String, media_type: &str) -> Option<BlobRef> {
        let bytes = size(&text);
        match self.blobs.put(self.world?, text.into_bytes()).await {
            Ok(blob) => Some(BlobRef {
                blob,
                bytes,
                media_type: media_type.to_owned(),
            }),
            Err(error) => {
                tracing::warn!(
                    error = with_causes(&error),
                    bytes,
                    media_type,
                    "an output is not kept whole"
                );
                None
            }
        }
    }
}

/// Returns what people see in place of a view that the log does not keep.
fn stand_in(view: &View, bytes: u64, blob: Option<&BlobRef>) -> View {
    let what = match view {
        View::Text(_) => "a text",
        View::Table(_) => "a table",
        View::Json(_) => "data",
        View::Image { .. } => "a picture",
        View::Artifact(_) => "an artifact",
    };
    View::Text(blob.map_or_else(
        || format!("[{what} of {bytes} bytes as JSON is too large to record, and was not kept]"),
        |blob| {
            format!(
                "[{what} of {bytes} bytes as JSON is too large to record; it is kept as blob {}]",
                blob.blob
            )
        },
    ))
}

/// `text` with at most `max` bytes, and never more than a blob has, together with the line that
/// says that it was cut.
fn within(text: String, max: u64) -> String {
    let max = max.min(u64::try_from(BLOB_BYTES_MAX).unwrap_or(u64::MAX));
    if size(&text) <= max {
        text
    } else {
        short(text, max.saturating_sub(MARK_ROOM))
    }
}

fn short(text: String, max: u64) -> String {
    cut(&text, max).unwrap_or(text)
}

/// The first `max` bytes of `text` and a line that says how many are gone; `None` if it is no
/// longer than that.
fn cut(text: &str, max: u64) -> Option<String> {
    if size(text) <= max {
        return None;
    }
    let end = text.floor_char_boundary(usize::try_from(max).unwrap_or(usize::MAX));
    let (kept, gone) = text.split_at_checked(end)?;
    Some(format!("{kept}\n[cut: {} more bytes]", gone.len()))
}

fn size(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
