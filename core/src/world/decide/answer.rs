//! A model's answer.

use super::{Draft, No};
use crate::content::Content;
use crate::event::{AnswerKind, Event, ModelAnswered, Purpose, WarningRecorded};
use crate::ids::{AgentName, Attempt, ModelCallId};
use crate::response::LLMResponse;

impl Draft<'_> {
    pub(super) fn record_answer(
        &mut self,
        agent: &AgentName,
        call: ModelCallId,
        attempt: Attempt,
        response: &LLMResponse,
    ) -> Result<(), No> {
        let (open, model) = self.under_way(agent, call, attempt)?;
        let (turn, purpose, stream, cause) = (open.id, model.purpose, model.stream, model.at);
        let reply = response.reply();
        self.cause = Some(cause);
        let at = self.push(Event::ModelAnswered(ModelAnswered {
            agent: agent.clone(),
            turn,
            call,
            attempt,
            kind: AnswerKind::of(response),
            calls: u32::try_from(reply.calls().count()).unwrap_or(u32::MAX),
            usage: reply.usage,
            played: reply.played,
            response: Content::Present(response.clone()),
        }));
        let kind = match AnswerKind::of(response) {
            AnswerKind::Truncated => Some("answer_truncated"),
            AnswerKind::Filtered => Some("answer_filtered"),
            AnswerKind::Refused => Some("answer_refused"),
            AnswerKind::Text | AnswerKind::Calls => None,
        };
        for code in reply.warnings.iter().map(String::as_str).chain(kind) {
            self.warn(agent, code);
        }
        if purpose == Purpose::Compaction {
            return self.take_summary(agent, (open, model), at, response);
        }
        self.take_answer(agent, turn, at, stream, response, purpose);
        Ok(())
    }
    pub(super) fn warn(&mut self, agent: &AgentName, code: &str) {
        let (code, agent) = (code.to_owned(), Some(agent.clone()));
        self.push(Event::WarningRecorded(WarningRecorded { code, agent }));
    }
}
