//! The texts of an answer: what agents say, as they say it or once it was said.

use std::collections::BTreeMap;

use folkmoot::{AgentName, DraftEnding, MessageId};
use serde_json::json;

use super::part::Part;

/// The texts that were begun, and who spoke last.
#[derive(Debug, Default)]
pub(super) struct Speech {
    /// The agent whose parts were told last; `None` at the beginning of a step.
    speaker: Option<AgentName>,
    /// The texts without an end, by their messages.
    open: BTreeMap<MessageId, Text>,
}

/// A text that was begun.
#[derive(Debug)]
struct Text {
    agent: AgentName,
    /// The bytes of it that were told.
    told: usize,
}

impl Speech {
    /// Says whose parts follow, unless theirs were told last.
    pub(super) fn turn_to(&mut self, agent: &AgentName) -> Option<Part> {
        if self.speaker.as_ref() == Some(agent) {
            return None;
        }
        self.speaker = Some(agent.clone());
        let data = json!({ "agent": agent });
        Some(Part::DataAgent { data })
    }

    /// Forgets who spoke: a step tells it anew.
    pub(super) fn forget_speaker(&mut self) {
        self.speaker = None;
    }

    /// The next piece of what `agent` says, which begins at the byte `offset`. What was told of it
    /// is not told twice.
    pub(super) fn write(
        &mut self,
        agent: &AgentName,
        message: MessageId,
        offset: usize,
        piece: &str,
    ) -> Vec<Part> {
        let told = self.open.get(&message).map_or(0, |text| text.told);
        let Some(delta) = told
            .checked_sub(offset)
            .and_then(|known| piece.get(known..))
        else {
            return Vec::new();
        };
        let mut parts = self.begin(agent, message);
        parts.extend(self.go_on(message, delta));
        parts
    }

    /// All of what `agent` said, now that it stands in the log, and its end. Drafts of it were its
    /// beginning.
    pub(super) fn say(&mut self, agent: &AgentName, message: MessageId, text: &str) -> Vec<Part> {
        let mut parts = self.write(agent, message, 0, text);
        parts.extend(self.end(message));
        parts
    }

    /// The end of a draft. One that was said ends with its message.
    pub(super) fn end_draft(&mut self, message: MessageId, ending: DraftEnding) -> Vec<Part> {
        let is_void = ending == DraftEnding::Aborted && self.open.remove(&message).is_some();
        let end = is_void.then(|| Part::TextEnd {
            id: message.to_string(),
            provider_metadata: Some(json!({ "folkmoot": { "ending": "aborted" } })),
        });
        end.into_iter().collect()
    }

    /// Ends a text, if it was begun.
    pub(super) fn end(&mut self, message: MessageId) -> Option<Part> {
        self.open.remove(&message).map(|_| ended(message))
    }

    /// Ends all that `agent` began to say.
    pub(super) fn end_of(&mut self, agent: &AgentName) -> Vec<Part> {
        let is_theirs = |_: &MessageId, text: &mut Text| text.agent == *agent;
        let theirs = self.open.extract_if(.., is_theirs);
        theirs.map(|(message, _)| ended(message)).collect()
    }

    /// Ends all texts.
    pub(super) fn end_all(&mut self) -> Vec<Part> {
        let all = std::mem::take(&mut self.open).into_keys();
        all.map(ended).collect()
    }

    fn begin(&mut self, agent: &AgentName, message: MessageId) -> Vec<Part> {
        if self.open.contains_key(&message) {
            return Vec::new();
        }
        let mut parts: Vec<Part> = self.turn_to(agent).into_iter().collect();
        let agent = agent.clone();
        self.open.insert(message, Text { agent, told: 0 });
        let id = message.to_string();
        parts.push(Part::TextStart { id });
        parts
    }

    fn go_on(&mut self, message: MessageId, delta: &str) -> Option<Part> {
        let text = self.open.get_mut(&message).filter(|_| !delta.is_empty())?;
        text.told = text.told.saturating_add(delta.len());
        Some(Part::TextDelta {
            id: message.to_string(),
            delta: delta.to_owned(),
        })
    }
}

fn ended(message: MessageId) -> Part {
    Part::TextEnd {
        id: message.to_string(),
        provider_metadata: None,
    }
}
