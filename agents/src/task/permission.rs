//! Whether the log says that a call may start.
//!
//! A world's fold may come from a checkpoint, and a checkpoint may be of another log, or
//! somebody's. So what lets a call start is read from the log itself, and from what is about to be
//! appended to it: that it was admitted with
//! these arguments, and that whoever was asked about it allowed it.

use folkmoot_core::command::commit::Commit;
use folkmoot_core::content::canonical::arguments_digest;
use folkmoot_core::event::{AdmittedCall, ApprovalDecided, CallEvent, Event, SettledHow, Verdict};
use folkmoot_core::ids::{AgentName, CallId, Digest, Position, RequestId};
use folkmoot_core::port::{EventLog, ReadError};
use folkmoot_core::world::World;
use folkmoot_core::world::memory::OpenCall;
use futures::TryStreamExt as _;

use super::halt::Halt;

/// The word of a log about a call.
#[derive(Debug, Default)]
struct LoggedCall {
    admitted: Option<AdmittedCall>,
    /// The request to people, and the arguments that it is about.
    asked: Option<(RequestId, Digest)>,
    /// The decision of that request, or what a grant says that somebody gave meanwhile.
    decided: Option<Verdict>,
    /// The call whose arguments a person edited, or which a person lets run again: this one runs in
    /// its place.
    replaced: Option<CallId>,
    /// True if its tool asked a person, who was to allow it before that.
    is_questioned: bool,
}

impl LoggedCall {
    fn take_commit(&mut self, commit: &Commit, call: CallId) {
        for (at, event) in commit.numbered() {
            self.take(at, event, call);
        }
    }

    fn take(&mut self, at: Position, event: &Event, call: CallId) {
        if let Event::Call(CallEvent::CallsAdmitted(event)) = event {
            let own = event.calls.iter().find(|admitted| admitted.call == call);
            self.admitted = self.admitted.take().or_else(|| own.cloned());
        } else if let Event::Call(CallEvent::ApprovalRequested(event)) = event
            && event.call == call
        {
            (self.asked, self.decided) = (Some((RequestId(at), event.arguments)), None);
        } else if let Event::Call(CallEvent::ApprovalDecided(event)) = event {
            self.take_decision(event, call);
        } else if let Event::Call(CallEvent::GrantUsed(event)) = event
            && event.call == call
            && event
                .request
                .is_some_and(|request| self.asked.is_some_and(|(asked, _)| asked == request))
        {
            // A person allowed it with others.
            self.decided = Some(Verdict::Allow);
        } else if let Event::Call(CallEvent::OutcomeSettled(event)) = event
            && event.how == SettledHow::RunAgain
            && self.admitted.is_none()
        {
            self.replaced = Some(event.call);
        } else if let Event::Call(CallEvent::QuestionAsked(event)) = event {
            self.is_questioned |= event.call == call;
        }
    }

    fn take_decision(&mut self, event: &ApprovalDecided, call: CallId) {
        let is_of_request = self
            .asked
            .is_some_and(|(request, _)| request == event.request);
        if event.call == call && is_of_request {
            self.decided = Some(event.verdict);
        } else if event.verdict == Verdict::Allow && event.is_edited && self.admitted.is_none() {
            self.replaced = Some(event.call);
        }
    }

    /// Returns why the call may not start; `None` if it may.
    fn objection(&self, open: &OpenCall) -> Option<&'static str> {
        let Some(admitted) = &self.admitted else {
            return Some("does not say that it was admitted");
        };
        let arguments = open
            .arguments
            .present()
            .map(|arguments| arguments_digest(arguments));
        if admitted.tool != open.tool
            || arguments.is_some_and(|arguments| arguments != admitted.arguments)
        {
            return Some("says that another call was admitted");
        }
        let is_in_place =
            admitted.origin.is_none() || admitted.origin == self.replaced || self.is_questioned;
        match (self.asked, self.decided) {
            (None, _) if !is_in_place => {
                Some("does not say that a person put it in the place of another one")
            }
            (None, _) => None,
            (Some((_, asked)), Some(Verdict::Allow)) if asked == admitted.arguments => None,
            (Some(_), _) => Some("does not say that a person allowed it"),
        }
    }
}

/// Compares with the log, behind which `ahead` comes, what the fold says of a call that is about to
/// start; `Err` says what is wrong.
pub(super) async fn verify(
    log: &dyn EventLog,
    ahead: &[Commit],
    world: &World,
    agent: &AgentName,
    call: CallId,
) -> Result<(), Halt> {
    let open = world
        .memory(agent)
        .and_then(|memory| memory.open_calls.get(&call));
    let (Some(open), Some(id)) = (open, world.id()) else {
        return Ok(());
    };
    let read = async {
        let mut found = LoggedCall::default();
        // What is admitted just now is not in the log yet.
        let is_ahead = |commit: &Commit| commit.header.first <= open.admitted;
        if !ahead.first().is_some_and(is_ahead) {
            let mut commits = log.read(id, open.admitted).await?;
            while let Some(stored) = commits.try_next().await? {
                found.take_commit(&stored.commit, call);
            }
        }
        ahead
            .iter()
            .for_each(|commit| found.take_commit(commit, call));
        Ok::<_, ReadError>(found)
    };
    let found = read.await?;
    match found.objection(open) {
        None => Ok(()),
        Some(why) => {
            let tool = open
                .tool
                .as_ref()
                .map_or_else(String::new, ToString::to_string);
            Err(Halt::OtherCall { tool, why })
        }
    }
}
