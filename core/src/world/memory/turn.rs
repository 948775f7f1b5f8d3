//! An agent's work from being woken to its reply.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::event::{OutcomeSettled, Purpose, ToolFinished};
use crate::ids::principal::Person;
use crate::ids::{
    AgentName, Attempt, CallId, Digest, EpisodeId, Incarnation, ModelCallId, ModelName, Position,
    Time, TurnId,
};
use crate::model::Parameters;
use crate::model::money::Money;
use crate::prompt::border::{Crossing, ModelView, checkpoint};
use crate::prompt::{Item, Layer};
use crate::spec::rules::Rules;
use crate::text::mentions::{Joined, Names};
use crate::tool::View;
use crate::world::memory::Message;

/// An open turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The id: the position of its opening.
    pub id: TurnId,
    /// The episode it belongs to.
    pub episode: EpisodeId,
    /// The last position that it sees.
    pub horizon: Position,
    /// The messages that it took up, oldest first.
    pub news: Vec<Arc<Message>>,
    /// The people whose messages led to it: who led to its news, as the ingress proved them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub began_by: BTreeSet<Person>,
    /// The positions of its news: what the turn's answers and results are there for.
    pub because: Arc<[Position]>,
    /// The number of summaries that were asked for to make room.
    pub compactions: u32,
    /// The money that is set aside for its closing call.
    #[serde(default, skip_serializing_if = "Money::is_zero")]
    pub held: Money,
    /// The rules that it began under: a revised definition waits for the next turn.
    pub rules: Arc<Rules>,
    /// The words of people for the agent when it began; likewise.
    #[serde(deserialize_with = "checkpoint::layers")]
    pub(crate) layers: Vec<Layer>,
    /// The calls of other agents that its end answers, as far as they still wait by then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<(AgentName, CallId)>,
    /// The model call that is under way.
    pub model: Option<ModelState>,
    /// The calls of the last answer, in its order.
    pub slots: Vec<Slot>,
    /// The likenesses of the calls that people said no to in it: see
    /// [`OpenCall::likeness`](super::OpenCall::likeness).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub denied: BTreeSet<Digest>,
    /// The event that the turn waits on or was moved by last.
    pub moved_by: Position,
}

impl Turn {
    /// Tells whether it belongs to an episode that fits, or answers news of one.
    #[must_use]
    pub fn is_about(&self, fits: impl Fn(EpisodeId) -> bool) -> bool {
        fits(self.episode) || self.news.iter().any(|message| fits(message.episode))
    }

    /// Tells whether all calls of the last answer have their result, so that the agent is to go on.
    #[must_use]
    pub fn is_ready_to_continue(&self) -> bool {
        self.model.is_none()
            && !self.slots.is_empty()
            && self.slots.iter().all(|slot| slot.result.is_some())
    }
}

/// A model call that has no answer yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelState {
    /// The call.
    pub call: ModelCallId,
    /// The newest attempt.
    pub attempt: Attempt,
    /// The incarnation that makes the call.
    pub incarnation: Incarnation,
    /// The position at which the attempt is recorded.
    pub at: Position,
    /// The purpose of the call.
    pub purpose: Purpose,
    /// The model.
    pub model: ModelName,
    /// The parameters that the agent wants beside its spec.
    pub parameters: Parameters,
    /// The number of items of the request; the last one of a compaction is the instruction.
    pub items: u32,
    /// The number of attempts on this model that failed. Those lost to crashes are not among them.
    pub failed: u32,
    /// The number of attempts on this model that were begun, lost ones among them.
    #[serde(default)]
    pub begun: u32,
    /// The time at which the next attempt is due; `None` while one is under way.
    pub retry_at: Option<Time>,
    /// The model that the next attempt asks, if that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<ModelName>,
    /// The money that the newest attempt has set aside; `None` once it is settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge: Option<Charge>,
    /// The position from which the newest attempt was shown; `None` if nothing of it was.
    pub stream: Option<Position>,
    /// A stream of an older attempt, which the next one will replace.
    pub broken_stream: Option<Position>,
    /// The names that could be mentioned before somebody left while it was under way; `None` if
    /// nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<Arc<Names<Joined>>>,
}

/// An attempt that is to be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    /// The money that is set aside for it; nothing if its model has no price.
    pub reserved: Money,
}

impl ModelState {
    /// The model that the next attempt asks.
    pub(crate) fn next_model(&self) -> &ModelName {
        self.fallback.as_ref().unwrap_or(&self.model)
    }

    /// Returns how many of the oldest items a compaction's summary is to stand for.
    pub(crate) fn summarised(&self) -> usize {
        usize::try_from(self.items)
            .unwrap_or(usize::MAX)
            .saturating_sub(1)
    }
}

/// A call of the last answer, and its result once there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// The call that fills it now.
    pub call: CallId,
    /// The label under which the model is answered.
    pub label: String,
    /// The tool as the agent named it; empty if that was erased.
    pub tool: String,
    /// True if the answer that holds the call was erased: then its result has no call to stand
    /// behind.
    pub is_erased: bool,
    /// The result.
    pub result: Option<CallResult>,
}

/// The result of a call, as its agent sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallResult {
    /// The result as a model sees it.
    #[serde(deserialize_with = "checkpoint::view")]
    pub(crate) view: ModelView,
    /// The views that people see, if there are any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<View>,
}

impl CallResult {
    /// The result of a call that ended as `finished`.
    pub(crate) fn ended(finished: &ToolFinished, crossing: Crossing<'_>) -> Self {
        let view = ModelView::ended(&finished.status, &finished.outcome, crossing);
        Self {
            view,
            views: finished.views().cloned().collect(),
        }
    }

    /// The same result once more, of a call that had none of its own.
    pub(crate) fn again(self, crossing: Crossing<'_>) -> Self {
        Self {
            view: self.view.again(crossing),
            views: self.views,
        }
    }

    /// The result of a call that another agent answered; `None`: its words were erased.
    pub(crate) fn answered(said: Option<&str>, crossing: Crossing<'_>) -> Self {
        Self {
            view: ModelView::answered(said, crossing),
            views: Vec::new(),
        }
    }

    /// The result of a call that was open where its world was branched off another one.
    pub(crate) fn closed_by_fork() -> Self {
        Self {
            view: ModelView::closed_by_fork(Crossing::OPEN),
            views: Vec::new(),
        }
    }

    /// The result of an open call about which it became known whether it took effect.
    pub(crate) fn settled(event: &OutcomeSettled, crossing: Crossing<'_>) -> Self {
        Self {
            view: ModelView::settled(event, crossing),
            views: Vec::new(),
        }
    }
}

impl Slot {
    /// The item of its result; `None` while there is none, or where the call itself was erased.
    pub(crate) fn item(&self) -> Option<Item> {
        let result = self.result.as_ref().filter(|_| !self.is_erased)?;
        Some(result.view.item(&self.label))
    }
}
