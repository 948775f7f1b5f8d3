//! Turns: `invoke_agent` spans.

use std::collections::BTreeMap;

use folkmoot_core::event::{CloseReason, TalkEvent, TurnClosed, TurnEvent, TurnOpened};
use folkmoot_core::ids::{AgentName, Position, TurnId};
use serde_json::Value;

use super::calls::Calls;
use super::moment::{Beginning, Moment, Place};
use super::room::{AskedModel, Definitions};
use super::span::{Attribute, Span};
use super::{SpanId, TraceId, words};
use crate::words::word;

/// The most messages that are kept for those who hear them later. A turn that takes up an older one hangs from nothing.
const HEARD_MAX: usize = 1_024;

/// The open turns, and the messages that turns to come may take up.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// By agent: each has one turn at a time.
    open: BTreeMap<AgentName, OpenTurn>,
    heard: BTreeMap<Position, Heard>,
}

#[derive(Debug)]
struct OpenTurn {
    id: TurnId,
    place: Place,
    began: Beginning,
    model: Option<AskedModel>,
    /// The messages that it took up, as JSON; empty if no words are captured.
    input: Vec<Value>,
    /// The last failure of its model or of its agent.
    failure: Option<String>,
}

/// A message that an agent may take up.
#[derive(Debug, Default)]
struct Heard {
    /// The span in which an agent said it; `None` if a person or the world did.
    said_in: Option<(TraceId, SpanId)>,
    /// The message as JSON; `None` if no words are captured.
    text: Option<Value>,
}

impl Turns {
    /// The place of what goes on in a turn, if it is open.
    pub(super) fn within(&self, agent: &AgentName, turn: TurnId) -> Option<Place> {
        let open = self.open.get(agent).filter(|open| open.id == turn)?;
        Some(Place {
            parent: Some(open.began.id),
            ..open.place.clone()
        })
    }

    /// Takes up a message, for the turns that it will wake.
    pub(super) fn hear(&mut self, moment: &Moment<'_>, event: &TalkEvent, calls: &Calls) {
        let said_in = if let TalkEvent::MessagePosted(posted) = event {
            let in_turn = || self.open.values().find(|open| Some(open.id) == posted.turn);
            // A question to an agent hangs from the call that asks it.
            let of_call = posted.call.and_then(|call| calls.span_of(call));
            of_call.or_else(|| in_turn().map(|open| (open.place.trace, open.began.id)))
        } else {
            None
        };
        let text = words::heard(moment.words, moment.at);
        if said_in.is_some() || text.is_some() {
            self.heard.insert(moment.at, Heard { said_in, text });
        }
        if self.heard.len() > HEARD_MAX {
            self.heard.pop_first();
        }
    }

    /// Passes an event, and gives the turn that it ends.
    pub(super) fn take(
        &mut self,
        moment: &Moment<'_>,
        event: &TurnEvent,
        definitions: &Definitions,
    ) -> Option<Span> {
        if let TurnEvent::TurnOpened(opened) = event {
            self.open(moment, opened, definitions);
        } else if let TurnEvent::ModelFailed(failed) = event {
            self.fail(&failed.agent, failed.kind.code());
        } else if let TurnEvent::AgentFailed(failed) = event {
            self.fail(&failed.agent, &failed.code);
        } else if let TurnEvent::TurnClosed(closed) = event {
            return self.close(moment, closed);
        }
        None
    }

    fn open(&mut self, moment: &Moment<'_>, opened: &TurnOpened, definitions: &Definitions) {
        let trace = TraceId::of(moment.world, opened.episode);
        let news = || opened.news.iter().filter_map(|at| self.heard.get(at));
        // The oldest news say which episode it is. A reply that is made anew begins another one.
        let woken_by = opened.news.first().and_then(|at| self.heard.get(at));
        let said_in = woken_by.and_then(|heard| heard.said_in);
        let turn = OpenTurn {
            id: TurnId(moment.at),
            place: Place {
                trace,
                parent: said_in.filter(|(of, _)| *of == trace).map(|(_, span)| span),
                agent: opened.agent.clone(),
            },
            began: moment.beginning(),
            model: definitions.model_of(&opened.agent),
            input: news().filter_map(|heard| heard.text.clone()).collect(),
            failure: None,
        };
        self.open.insert(opened.agent.clone(), turn);
    }

    fn fail(&mut self, agent: &AgentName, code: &str) {
        if let Some(open) = self.open.get_mut(agent) {
            open.failure = Some(code.to_owned());
        }
    }

    fn close(&mut self, moment: &Moment<'_>, closed: &TurnClosed) -> Option<Span> {
        let open = self.open.remove(&closed.agent)?;
        let name = format!("invoke_agent {}", closed.agent);
        let mut span = moment.end(&open.place, &open.began, name);
        let operation = Attribute::text("gen_ai.operation.name", "invoke_agent");
        let end = Attribute::text("folkmoot.turn.end", word(&closed.reason));
        span.attributes.extend([operation, end]);
        span.attributes
            .extend(open.model.iter().flat_map(AskedModel::names));
        if !open.input.is_empty() {
            let input = Value::Array(open.input).to_string();
            span.attributes
                .push(Attribute::text("gen_ai.input.messages", input));
        }
        span.error = error(closed.reason, open.failure);
        Some(span)
    }
}

/// The class of a turn's error: a turn that somebody stopped, or that another took the place of, did not fail.
fn error(reason: CloseReason, failure: Option<String>) -> Option<String> {
    match reason {
        CloseReason::Failed => Some(failure.unwrap_or_else(|| word(&reason))),
        CloseReason::Limit => Some(word(&reason)),
        CloseReason::Answered
        | CloseReason::Passed
        | CloseReason::Stopped
        | CloseReason::Superseded
        | CloseReason::HandedOff => None,
    }
}
