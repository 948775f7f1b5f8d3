//! What a running tool reports: told to observers at once, counted and hashed for the log.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use folkmoot_core::event;
use folkmoot_core::ids::{AgentName, CallId, ToolName};
use folkmoot_core::port::{Progress, REPORT_BYTES_MAX, Tenure};

use crate::bus::{ActivityChannel, ActivityEvent};
use crate::secrets::{Secrets, concealed};

/// The reports of one run. The activity channel is a bounded ring, so that nothing grows with them.
pub(super) struct Reports {
    pub(super) activity: ActivityChannel,
    /// The right to tell anything.
    pub(super) tenure: Arc<dyn Tenure>,
    pub(super) secrets: Option<Arc<dyn Secrets>>,
    pub(super) agent: AgentName,
    pub(super) call: CallId,
    pub(super) tool: ToolName,
    pub(super) told: Mutex<ToldProgress>,
}

/// The reports so far.
#[derive(Debug, Default)]
pub(super) struct ToldProgress {
    progress: Option<event::Progress>,
    is_over: bool,
}

impl fmt::Debug for Reports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reports")
            .field("call", &self.call)
            .field("told", &self.told)
            .finish_non_exhaustive()
    }
}

impl Reports {
    /// Ends the run: what is reported from now on is not heard. `None` if nothing was reported.
    pub(super) fn end(&self) -> Option<event::Progress> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.is_over = true;
        told.progress
    }

    /// A report as observers read it: without secrets, and cut.
    fn shown(&self, text: &str) -> String {
        let mut text = self
            .secrets
            .as_ref()
            .map_or_else(|| text.to_owned(), |secrets| concealed(text, &**secrets));
        text.truncate(text.floor_char_boundary(REPORT_BYTES_MAX));
        text
    }
}

impl Progress for Reports {
    fn report(&self, text: &str) {
        let text = self.shown(text);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_over || !self.tenure.holds() {
            return;
        }
        let progress = event::Progress::after(told.progress, &text);
        told.progress = Some(progress);
        // Under the lock: the numbers are in order.
        self.activity.send(ActivityEvent::Progress {
            agent: self.agent.clone(),
            call: self.call,
            tool: self.tool.clone(),
            text,
            number: progress.reports,
        });
    }
}
