//! The end of a call, as a model sees it.

use serde::Serialize;

use super::sentence::{CLOSED_BY_FORK, EDITED, sentence};
use super::{Crossing, Fence, ModelText, redacted};
use crate::content::{Content, ERASED};
use crate::event::{CallStatus, OutcomeSettled, SettledHow};
use crate::prompt::Item;
use crate::text::view::{Seen, for_model};
use crate::tool::ToolOutcome;

/// The end of a call as a model sees it: data of whoever gave it, or one fixed sentence. Only this
/// crate makes one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelView {
    /// The changes that a person made before the call ran; empty if there are none.
    pub(super) before: String,
    pub(super) text: String,
    pub(super) failed: bool,
    pub(super) is_data: bool,
}

impl ModelView {
    /// The view of a call that ended as `status`: of the tool's own words as much as its policy
    /// allows, and of everything else the fixed sentence.
    pub(crate) fn ended(
        status: &CallStatus,
        outcome: &Content<Option<ToolOutcome>>,
        crossing: Crossing<'_>,
    ) -> Self {
        let fixed = |failed: bool| Self::fixed(sentence(status), failed, crossing);
        match (status, outcome.present().and_then(Option::as_ref)) {
            (CallStatus::Done, Some(ToolOutcome::Done(output))) => {
                match for_model(output, crossing.view) {
                    Seen::Data(text) => Self::data(&text, crossing),
                    Seen::Sentence(text) => Self::fixed(text.to_owned(), false, crossing),
                }
            }
            (CallStatus::Done, _) => Self::fixed(ERASED.to_owned(), false, crossing),
            (CallStatus::SettledRan | CallStatus::HandedOff, _) => fixed(false),
            (CallStatus::Denied, _) => fixed(true).because(crossing),
            (CallStatus::Failed(_), Some(ToolOutcome::Failed(failure))) => {
                let about = failure.plain_name();
                let about = about.map(|name| format!(" It is about `{name}`."));
                let told = sentence(status) + &about.unwrap_or_default();
                Self::fixed(told, true, crossing)
            }
            (_, _) => fixed(true),
        }
    }

    /// The view of a call that another agent answered: its words are no more ours than a tool's.
    /// `None`: they were erased.
    pub(crate) fn answered(text: Option<&str>, crossing: Crossing<'_>) -> Self {
        text.map_or_else(
            || Self::fixed(ERASED.to_owned(), false, crossing),
            |text| Self::data(text, crossing),
        )
    }

    /// The view of an open call about which it became known whether it took effect.
    pub(crate) fn settled(event: &OutcomeSettled, crossing: Crossing<'_>) -> Self {
        let said = event.text.present().and_then(|text| text.result.as_deref());
        let late = event
            .text
            .present()
            .and_then(|text| text.late.as_ref())
            .map(|(_, outcome)| outcome);
        match (event.how, said) {
            (SettledHow::Late, _) => match late {
                Some(ToolOutcome::Failed(failure)) => {
                    Self::fixed(sentence(&CallStatus::Failed(failure.code)), true, crossing)
                }
                Some(ToolOutcome::Done(_) | ToolOutcome::NeedsInput(_)) | None => {
                    Self::fixed(sentence(&CallStatus::Done), false, crossing)
                }
            },
            (SettledHow::Ran, Some(said)) => Self::data(said, crossing),
            (SettledHow::Ran, None) => {
                Self::fixed(sentence(&CallStatus::SettledRan), false, crossing)
            }
            (SettledHow::NotRun | SettledHow::RunAgain, _) => {
                Self::fixed(sentence(&CallStatus::SettledNotRun), true, crossing)
            }
        }
    }

    /// The view of a call that was open where its world was branched off another one.
    pub(crate) fn closed_by_fork(crossing: Crossing<'_>) -> Self {
        Self::fixed(CLOSED_BY_FORK.to_owned(), true, crossing)
    }

    /// The same view, of another call. What a person changed in the first one is not part of it.
    pub(crate) fn again(&self, crossing: Crossing<'_>) -> Self {
        let text = redacted(crossing.redact, &self.text);
        Self {
            text,
            is_data: self.is_data,
            ..Self::fixed(String::new(), self.failed, crossing)
        }
    }

    fn data(text: &str, crossing: Crossing<'_>) -> Self {
        let text = redacted(crossing.redact, text);
        Self {
            text,
            is_data: true,
            ..Self::fixed(String::new(), false, crossing)
        }
    }

    fn fixed(text: String, failed: bool, crossing: Crossing<'_>) -> Self {
        let before = crossing
            .edits
            .map_or_else(String::new, |edits| match edits {
                Content::Present(changes) => {
                    format!("{EDITED}{}\n", redacted(crossing.redact, changes))
                }
                Content::Erased { .. } => EDITED.to_owned(),
            });
        Self {
            before,
            text,
            failed,
            is_data: false,
        }
    }

    /// The same, with the reason that a person shares.
    fn because(mut self, crossing: Crossing<'_>) -> Self {
        if let Some(Content::Present(reason)) = crossing.reason {
            self.text.push_str(" The person says why: ");
            self.text.push_str(&redacted(crossing.redact, reason));
        }
        self
    }

    /// Returns what the model may read, without a fence.
    #[must_use]
    pub fn read(&self) -> String {
        format!("{}{}", self.before, self.text)
    }

    /// Tells whether the call failed or did not run.
    #[must_use]
    pub const fn has_failed(&self) -> bool {
        self.failed
    }

    /// The same, with no more than the first `bytes_max` bytes of each of its parts.
    pub(crate) fn cut(&self, bytes_max: usize) -> Self {
        let cut = |text: &str| match text.len() > bytes_max {
            true => format!("{}…", text.split_at(text.floor_char_boundary(bytes_max)).0),
            false => text.to_owned(),
        };
        Self {
            before: cut(&self.before),
            text: cut(&self.text),
            ..self.clone()
        }
    }

    /// The text that the model reads of it: data between fences, or a fixed sentence.
    pub(super) fn told(&self) -> ModelText {
        let text = if self.is_data {
            Fence::ToolOutput.around(&self.text)
        } else {
            ModelText(self.text.clone())
        };
        ModelText(format!("{}{text}", self.before))
    }

    /// The item that answers the call called `label`.
    pub(crate) fn item(&self, label: &str) -> Item {
        Item::Result {
            label: label.to_owned(),
            text: self.told(),
            failed: self.failed,
        }
    }
}
