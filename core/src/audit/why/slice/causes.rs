//! What each kind of event would not have happened without.

use std::collections::BTreeMap;

use super::Want;
use super::search::{Search, admits};
use crate::command::CommandKind;
use crate::command::commit::Commit;
use crate::event::{
    Author, CallStatus, CloseReason, Event, MessagePosted, ModelCalled, Notice, NoticePosted,
    OutcomeUnknown, ToolFinished, ToolStarted, TurnClosed, UnansweredCause, UnknownCause,
};
use crate::ids::{AgentName, CallId, Position, TurnId};

/// What the event at `at` would not have happened without, as far as it and its commit tell.
pub(super) fn causes(commit: &Commit, at: Position, event: &Event) -> Vec<Want> {
    let here = Here { commit, at };
    let wants = here.wants(event);
    wants
        .into_iter()
        .filter(|want| is_older(want, at))
        .collect()
}

/// An event in its commit.
#[derive(Clone, Copy)]
struct Here<'a> {
    commit: &'a Commit,
    at: Position,
}

impl Here<'_> {
    /// What the event itself names, whether it is older or not.
    fn wants(self, event: &Event) -> Vec<Want> {
        match event {
            Event::WorldOpened(_)
            | Event::PersonJoined(_)
            | Event::PersonLeft(_)
            | Event::Labelled(_)
            | Event::RightsChanged(_)
            | Event::StateObserved(_)
            | Event::StepDone(_)
            | Event::Stopped(_)
            | Event::Forked(_)
            | Event::HeadSigned(_)
            | Event::ErasureRequested(_) => Vec::new(),
            Event::Erased(erased) => vec![Want::At(erased.request)],
            Event::Opened(_)
            | Event::EpochOpened(_)
            | Event::Restored(_)
            | Event::SpecRevised(_)
            | Event::WarningRecorded(_)
            | Event::PrefixBroken(_) => self.commands(),
            Event::StreamStarted(_) | Event::ModelAnswered(_) | Event::ModelFailed(_) => self.header(),
            Event::MessagePosted(posted) => self.said(posted),
            Event::MessageRouted(routed) => vec![Want::At(routed.message)],
            Event::NoticePosted(posted) => self.told(posted),
            Event::MessageEdited(edited) => vec![Want::At(edited.at)],
            Event::MessageRetracted(retracted) => vec![Want::At(retracted.at)],
            Event::ReplyRegenerated(made) => vec![Want::At(made.at)],
            Event::ArtifactWithheld(withheld) => vec![Want::At(withheld.answer)],
            Event::TurnOpened(opened) => self.woken(&opened.agent, &opened.news),
            Event::TurnDeclined(declined) => self.woken(&declined.agent, &declined.news),
            Event::ModelCalled(called) => self.asked(called),
            Event::AgentReacted(reacted) => self.went_on(&reacted.agent, reacted.turn),
            Event::AgentFailed(failed) => match failed.turn {
                Some(_) => self.and_opening(results_of(&failed.agent)),
                None => self.and_opening(Search::Woken(failed.agent.clone())),
            },
            Event::TurnClosed(closed) => self.closed(closed),
            Event::StreamCut(cut) => [vec![Want::At(cut.stream)], self.commands()].concat(),
            Event::JoinElapsed(elapsed) => vec![Want::Older(Search::Spoke(elapsed.agent.clone()))],
            Event::HandedOff(handed) => self.admission_of(handed.call),
            Event::MemoryCompacted(compacted) => vec![Want::At(compacted.answer)],
            Event::CallsAdmitted(admitted) if admitted.calls.iter().any(|call| call.origin.is_some()) => {
                self.commands()
            }
            Event::CallsAdmitted(admitted) => vec![Want::At(admitted.answer)],
            Event::ApprovalRequested(asked) => self.admission_of(asked.call),
            Event::ApprovalDecided(decided) => vec![Want::At(decided.request.0)],
            Event::ApprovalExpired(expired) => vec![Want::At(expired.request.0)],
            Event::GrantGiven(given) => self
                .nearest(|event| matches!(event, Event::ApprovalDecided(decided) if decided.request == given.request)),
            Event::GrantUsed(used) => {
                let call =
                    used.request.map_or_else(|| self.admission_of(used.call), |request| vec![Want::At(request.0)]);
                [vec![Want::At(used.grant.0)], call].concat()
            }
            Event::GrantRevoked(revoked) => {
                let changed = if revoked.by.is_none() { self.commands() } else { Vec::new() };
                [vec![Want::At(revoked.grant.0)], changed].concat()
            }
            Event::QuestionAsked(asked) => self.reconciled_or_header(asked.call),
            Event::QuestionAnswered(answered) => vec![Want::At(answered.request.0)],
            Event::ToolStarted(started) => self.started(started),
            Event::ToolFinished(finished) => self.finished(finished),
            Event::OutcomeUnknown(unknown) => self.unknown(unknown),
            Event::OutcomeSettled(settled) => vec![Want::At(settled.request.0)],
            Event::Reconciled(_) => [self.header(), self.loss()].concat(),
            Event::CallReplaced(replaced) => self.admission_of(replaced.by),
            Event::AgentAsked(asked) => vec![Want::At(asked.message)],
            Event::Refused(refused) => refused.request.map(Want::At).into_iter().collect(),
        }
    }

    fn started(self, started: &ToolStarted) -> Vec<Want> {
        let lost = if started.attempt.0 > 1 {
            self.loss()
        } else {
            Vec::new()
        };
        let moved = self
            .commit
            .header
            .cause
            .map(|moved| Want::Moved(started.call, moved));
        moved.into_iter().chain(lost).collect()
    }

    /// The event that made the command necessary.
    fn header(self) -> Vec<Want> {
        self.commit.header.cause.map(Want::At).into_iter().collect()
    }

    /// What the command did first, if that is an older event, else what made the command necessary.
    fn commands(self) -> Vec<Want> {
        let joined = |event: &Event| matches!(event, Event::PersonJoined(_));
        let first = self
            .commit
            .numbered()
            .find(|(_, event)| !joined(event))
            .map(|(at, _)| at);
        match first.filter(|first| *first < self.at) {
            Some(first) => vec![Want::At(first)],
            None => self.header(),
        }
    }

    /// The nearest older event of the commit that `is_it`.
    fn beside(self, is_it: impl Fn(&Event) -> bool) -> Option<Position> {
        let older = self.commit.numbered().take_while(|(at, _)| *at < self.at);
        older
            .filter(|(_, event)| is_it(event))
            .map(|(at, _)| at)
            .last()
    }

    /// The same; where there is none, what the command did.
    fn nearest(self, is_it: impl Fn(&Event) -> bool) -> Vec<Want> {
        self.beside(is_it)
            .map_or_else(|| self.commands(), |at| vec![Want::At(at)])
    }

    fn admission_of(self, call: CallId) -> Vec<Want> {
        self.nearest(
            |event| matches!(event, Event::CallsAdmitted(admitted) if admits(admitted, call)),
        )
    }

    /// The opening of the world, if what made the command necessary was lost with the process that did it.
    fn loss(self) -> Vec<Want> {
        self.commit
            .header
            .cause
            .map(|since| Want::Older(Search::Loss(since, None)))
            .into_iter()
            .collect()
    }

    fn said(self, posted: &MessagePosted) -> Vec<Want> {
        match (&posted.author, posted.call, &posted.answer) {
            (Author::Person(_), _, _) => Vec::new(),
            // What it tells an agent that waited for others.
            (Author::World, _, _) => self.header(),
            (Author::Agent(_), Some(call), _) => self.admission_of(call),
            (Author::Agent(_), None, Some(answer)) => vec![Want::At(answer.at)],
            (Author::Agent(_), None, None) => self.commands(),
        }
    }

    fn told(self, posted: &NoticePosted) -> Vec<Want> {
        match &posted.notice {
            Notice::Undeliverable { message, .. }
            | Notice::NobodyAnswers { message, .. }
            | Notice::OnlyNamed { message, .. } => vec![Want::Routed(*message)],
            Notice::AgentWaits { request, .. } => {
                [vec![Want::At(request.0)], self.nearest(is_word)].concat()
            }
            Notice::OutcomeUnknown { request, .. } => vec![Want::At(request.0)],
            Notice::HopBudgetSpent { .. }
            | Notice::PairDamped { .. }
            | Notice::InboxFull { .. }
            | Notice::LimitReached { .. }
            | Notice::TurnFailed { .. }
            | Notice::RequestExpired { .. } => {
                self.nearest(|event| !matches!(event, Event::NoticePosted(_)))
            }
        }
    }

    /// An agent wakes because of the verdicts about its news, and of what put them into its inbox again.
    fn woken(self, agent: &AgentName, news: &[Position]) -> Vec<Want> {
        let again = self
            .commit
            .header
            .cause
            .filter(|cause| !news.contains(cause));
        let failed = self
            .beside(|event| matches!(event, Event::AgentFailed(failed) if failed.agent == *agent));
        let oldest = news.iter().min().copied();
        let waited = oldest.map(|oldest| Want::Older(Search::Elapsed(agent.clone(), oldest)));
        let verdicts = news.iter().copied().map(Want::Routed);
        verdicts
            .chain(again.map(Want::At))
            .chain(failed.map(Want::At))
            .chain(waited)
            .collect()
    }

    fn asked(self, called: &ModelCalled) -> Vec<Want> {
        let command = self.commit.header.command;
        if command == CommandKind::RetryModel {
            return vec![Want::Older(Search::Attempt(called.call, None))];
        }
        // After a summary, or without one that could not be had.
        if matches!(
            command,
            CommandKind::RecordAnswer | CommandKind::RecordFailure
        ) {
            return self.commands();
        }
        self.went_on(&called.agent, called.turn)
    }

    /// An agent acts because it was woken, or has the results of all its calls.
    fn went_on(self, agent: &AgentName, turn: TurnId) -> Vec<Want> {
        let opened = self
            .beside(|event| matches!(event, Event::TurnOpened(opened) if opened.agent == *agent));
        match opened.filter(|opened| *opened == turn.0) {
            Some(opened) => vec![Want::At(opened)],
            None => vec![Want::Older(results_of(agent))],
        }
    }

    /// What is looked for, and the opening of the world in this very commit.
    fn and_opening(self, search: Search) -> Vec<Want> {
        let opened = self.beside(|event| matches!(event, Event::Opened(_)));
        opened
            .map(Want::At)
            .into_iter()
            .chain([Want::Older(search)])
            .collect()
    }

    fn closed(self, closed: &TurnClosed) -> Vec<Want> {
        let turn = Want::At(closed.turn.0);
        match closed.reason {
            CloseReason::Answered => self.nearest(|event| is_reply_of(event, &closed.agent)),
            CloseReason::HandedOff => self.nearest(|event| matches!(event, Event::HandedOff(_))),
            CloseReason::Failed => {
                self.nearest(|event| matches!(event, Event::ModelFailed(_) | Event::AgentFailed(_)))
            }
            CloseReason::Passed | CloseReason::Limit => self.commands(),
            CloseReason::Stopped | CloseReason::Superseded => {
                [self.nearest(is_word), vec![turn]].concat()
            }
        }
    }

    fn unknown(self, unknown: &OutcomeUnknown) -> Vec<Want> {
        match unknown.cause {
            UnknownCause::Crash => [self.header(), self.loss()].concat(),
            UnknownCause::TimedOut | UnknownCause::Lost => self.header(),
            UnknownCause::Stopped | UnknownCause::Superseded => self.cut(unknown.call),
        }
    }

    /// Somebody's word ends a call, in the state that it was in.
    fn cut(self, call: CallId) -> Vec<Want> {
        [self.nearest(is_word), vec![Want::Older(Search::Call(call))]].concat()
    }

    fn reconciled_or_header(self, call: CallId) -> Vec<Want> {
        let told = self.beside(
            |event| matches!(event, Event::Reconciled(reconciled) if reconciled.call == call),
        );
        told.map_or_else(|| self.header(), |told| vec![Want::At(told)])
    }

    fn finished(self, finished: &ToolFinished) -> Vec<Want> {
        let call = finished.call;
        let question = || Want::Older(Search::Asked(call));
        match &finished.status {
            CallStatus::Done | CallStatus::Failed(_) => match finished.memo {
                Some(memo) => [self.admission_of(call), vec![Want::At(memo)]].concat(),
                None => self.reconciled_or_header(call),
            },
            CallStatus::Answered(message) => vec![Want::At(*message), question()],
            CallStatus::Unanswered(UnansweredCause::InboxFull) => self.admission_of(call),
            CallStatus::Unanswered(UnansweredCause::Expired) => vec![question()],
            CallStatus::Unanswered(
                UnansweredCause::Passed
                | UnansweredCause::Failed
                | UnansweredCause::Limit
                | UnansweredCause::Stopped,
            ) => [self.commands(), vec![question()]].concat(),
            CallStatus::Denied => self.nearest(|event| matches!(event, Event::ApprovalDecided(_))),
            CallStatus::Expired => self.nearest(
                |event| matches!(event, Event::ApprovalExpired(expired) if expired.call == call),
            ),
            CallStatus::Unknown(_) => {
                let known = self.beside(
                    |event| matches!(event, Event::OutcomeUnknown(lost) if lost.call == call),
                );
                known.map_or_else(|| self.cut(call), |lost| vec![Want::At(lost)])
            }
            CallStatus::Cancelled | CallStatus::Superseded => self.cut(call),
            CallStatus::NotAllowed
            | CallStatus::DeniedBefore
            | CallStatus::Forbidden
            | CallStatus::QuotaSpent
            | CallStatus::Invalid(_)
            | CallStatus::Missing
            | CallStatus::TooMany
            | CallStatus::ToolsDisabled
            | CallStatus::SettledRan
            | CallStatus::SettledNotRun
            | CallStatus::NoSuchAgent
            | CallStatus::WouldDeadlock
            | CallStatus::TooDeep
            | CallStatus::HopBudget
            | CallStatus::NotAlone
            | CallStatus::HandedOff => self.admission_of(call),
        }
    }
}

fn results_of(agent: &AgentName) -> Search {
    Search::Results(agent.clone(), BTreeMap::new())
}

/// Whether it is what somebody said, or did to what was said or is going on.
const fn is_word(event: &Event) -> bool {
    matches!(
        event,
        Event::MessageRouted(_)
            | Event::MessageEdited(_)
            | Event::MessageRetracted(_)
            | Event::ReplyRegenerated(_)
            | Event::Stopped(_)
    )
}

fn is_reply_of(event: &Event, agent: &AgentName) -> bool {
    matches!(event, Event::MessagePosted(posted) if posted.author == Author::Agent(agent.clone()))
}

/// Whether it can be older than the event at `at`: nothing is its own cause.
fn is_older(want: &Want, at: Position) -> bool {
    match want {
        Want::At(place) | Want::Routed(place) | Want::Moved(_, place) => *place < at,
        Want::Older(_) => true,
    }
}
