//! The causes of each kind of event: those that it would not have happened without.

use std::collections::BTreeMap;

use super::Want;
use super::search::{Search, admits};
use crate::command::CommandKind;
use crate::command::commit::Commit;
use crate::event::{
    Author, CallEvent, CallStatus, CloseReason, Event, MessagePosted, ModelCalled, Notice,
    NoticePosted, OutcomeUnknown, TalkEvent, ToolFinished, ToolStarted, TurnClosed, TurnEvent,
    UnansweredCause, UnknownCause, WorldEvent,
};
use crate::ids::{AgentName, CallId, Position, TurnId};

/// Returns the causes of the event at `at`, as far as it and its commit tell.
pub(super) fn causes(commit: &Commit, at: Position, event: &Event) -> Vec<Want> {
    let here = EventInCommit { commit, at };
    let wants = here.wants(event);
    wants
        .into_iter()
        .filter(|want| is_older(want, at))
        .collect()
}

/// An event in its commit.
#[derive(Clone, Copy)]
struct EventInCommit<'a> {
    commit: &'a Commit,
    at: Position,
}

impl EventInCommit<'_> {
    /// Returns the causes that the event itself names, whether they are older or not.
    fn wants(self, event: &Event) -> Vec<Want> {
        match event {
            Event::World(WorldEvent::WorldOpened(_))
            | Event::World(WorldEvent::PersonJoined(_))
            | Event::World(WorldEvent::PersonLeft(_))
            | Event::World(WorldEvent::Labelled(_))
            | Event::World(WorldEvent::RightsChanged(_))
            | Event::Talk(TalkEvent::StateObserved(_))
            | Event::World(WorldEvent::StepDone(_))
            | Event::Turn(TurnEvent::Stopped(_))
            | Event::World(WorldEvent::Forked(_))
            | Event::World(WorldEvent::HeadSigned(_))
            | Event::World(WorldEvent::ErasureRequested(_)) => Vec::new(),
            Event::World(WorldEvent::WithheldViewed(viewed)) => vec![Want::At(viewed.withheld)],
            Event::World(WorldEvent::Erased(erased)) => vec![Want::At(erased.request)],
            Event::World(WorldEvent::Opened(_))
            | Event::World(WorldEvent::EpochOpened(_))
            | Event::World(WorldEvent::Restored(_))
            | Event::World(WorldEvent::SpecRevised(_))
            | Event::World(WorldEvent::WarningRecorded(_))
            | Event::Turn(TurnEvent::PrefixBroken(_)) => self.commands(),
            Event::Turn(TurnEvent::StreamStarted(_)) | Event::Turn(TurnEvent::ModelAnswered(_)) | Event::Turn(TurnEvent::ModelFailed(_)) => self.header(),
            Event::Talk(TalkEvent::MessagePosted(posted)) => self.said(posted),
            Event::Talk(TalkEvent::MessageRouted(routed)) => vec![Want::At(routed.message)],
            Event::Talk(TalkEvent::NoticePosted(posted)) => self.told(posted),
            Event::Talk(TalkEvent::MessageEdited(edited)) => vec![Want::At(edited.at)],
            Event::Talk(TalkEvent::MessageRetracted(retracted)) => vec![Want::At(retracted.at)],
            Event::Talk(TalkEvent::ReplyRegenerated(made)) => vec![Want::At(made.at)],
            Event::Talk(TalkEvent::ArtifactWithheld(withheld)) => vec![Want::At(withheld.answer)],
            Event::Turn(TurnEvent::TurnOpened(opened)) => self.woken(&opened.agent, &opened.news),
            Event::Turn(TurnEvent::TurnDeclined(declined)) => self.woken(&declined.agent, &declined.news),
            Event::Turn(TurnEvent::ModelCalled(called)) => self.asked(called),
            Event::Turn(TurnEvent::AgentReacted(reacted)) => self.went_on(&reacted.agent, reacted.turn),
            Event::Turn(TurnEvent::AgentFailed(failed)) => match failed.turn {
                Some(_) => self.and_opening(results_of(&failed.agent)),
                None => self.and_opening(Search::Woken(failed.agent.clone())),
            },
            Event::Turn(TurnEvent::TurnClosed(closed)) => self.closed(closed),
            Event::Turn(TurnEvent::StreamCut(cut)) => [vec![Want::At(cut.stream)], self.commands()].concat(),
            Event::Turn(TurnEvent::JoinElapsed(elapsed)) => vec![Want::Older(Search::Spoke(elapsed.agent.clone()))],
            Event::Turn(TurnEvent::HandedOff(handed)) => self.admission_of(handed.call),
            Event::Turn(TurnEvent::MemoryCompacted(compacted)) => vec![Want::At(compacted.answer)],
            Event::Call(CallEvent::CallsAdmitted(admitted)) if admitted.calls.iter().any(|call| call.origin.is_some()) => {
                self.commands()
            }
            Event::Call(CallEvent::CallsAdmitted(admitted)) => vec![Want::At(admitted.answer)],
            Event::Call(CallEvent::ApprovalRequested(asked)) => self.admission_of(asked.call),
            Event::Call(CallEvent::ApprovalDecided(decided)) => vec![Want::At(decided.request.0)],
            Event::Call(CallEvent::ApprovalExpired(expired)) => vec![Want::At(expired.request.0)],
            Event::Call(CallEvent::GrantGiven(given)) => self
                .nearest(|event| matches!(event, Event::Call(CallEvent::ApprovalDecided(decided)) if decided.request == given.request)),
            Event::Call(CallEvent::GrantUsed(used)) => {
                let call =
                    used.request.map_or_else(|| self.admission_of(used.call), |request| vec![Want::At(request.0)]);
                [vec![Want::At(used.grant.0)], call].concat()
            }
            Event::Call(CallEvent::GrantRevoked(revoked)) => {
                let changed = if revoked.by.is_none() { self.commands() } else { Vec::new() };
                [vec![Want::At(revoked.grant.0)], changed].concat()
            }
            Event::Call(CallEvent::QuestionAsked(asked)) => self.reconciled_or_header(asked.call),
            Event::Call(CallEvent::QuestionAnswered(answered)) => vec![Want::At(answered.request.0)],
            Event::Call(CallEvent::ToolStarted(started)) => self.started(started),
            Event::Call(CallEvent::ToolFinished(finished)) => self.finished(finished),
            Event::Call(CallEvent::OutcomeUnknown(unknown)) => self.unknown(unknown),
            Event::Call(CallEvent::OutcomeSettled(settled)) => vec![Want::At(settled.request.0)],
            Event::Call(CallEvent::Reconciled(_)) => [self.header(), self.loss()].concat(),
            Event::Call(CallEvent::CallReplaced(replaced)) => self.admission_of(replaced.by),
            Event::Call(CallEvent::AgentAsked(asked)) => vec![Want::At(asked.message)],
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

    /// Returns the first deed of the command, if that is an older event, else what made the command
    /// necessary.
    fn commands(self) -> Vec<Want> {
        let joined = |event: &Event| matches!(event, Event::World(WorldEvent::PersonJoined(_)));
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
            |event| matches!(event, Event::Call(CallEvent::CallsAdmitted(admitted)) if admits(admitted, call)),
        )
    }

    /// The opening of the world, if what made the command necessary was lost with the process that
    /// did it.
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
            (Author::Person(_) | Author::Service(_), _, _) => Vec::new(),
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
            | Notice::ServiceEpisodesSpent { .. }
            | Notice::PairDamped { .. }
            | Notice::InboxFull { .. }
            | Notice::LimitReached { .. }
            | Notice::TurnFailed { .. }
            | Notice::RequestExpired { .. } => {
                self.nearest(|event| !matches!(event, Event::Talk(TalkEvent::NoticePosted(_))))
            }
        }
    }

    /// An agent wakes because of the verdicts about its news, and of what put them into its inbox
    /// again.
    fn woken(self, agent: &AgentName, news: &[Position]) -> Vec<Want> {
        let again = self
            .commit
            .header
            .cause
            .filter(|cause| !news.contains(cause));
        let failed = self
            .beside(|event| matches!(event, Event::Turn(TurnEvent::AgentFailed(failed)) if failed.agent == *agent));
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
            .beside(|event| matches!(event, Event::Turn(TurnEvent::TurnOpened(opened)) if opened.agent == *agent));
        match opened.filter(|opened| *opened == turn.0) {
            Some(opened) => vec![Want::At(opened)],
            None => vec![Want::Older(results_of(agent))],
        }
    }

    /// Returns a search, and the opening of the world in this very commit.
    fn and_opening(self, search: Search) -> Vec<Want> {
        let opened = self.beside(|event| matches!(event, Event::World(WorldEvent::Opened(_))));
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
            CloseReason::HandedOff => {
                self.nearest(|event| matches!(event, Event::Turn(TurnEvent::HandedOff(_))))
            }
            CloseReason::Failed => self.nearest(|event| {
                matches!(
                    event,
                    Event::Turn(TurnEvent::ModelFailed(_)) | Event::Turn(TurnEvent::AgentFailed(_))
                )
            }),
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

    /// Returns the causes of a call that a person's word ends, in the state that it was in.
    fn cut(self, call: CallId) -> Vec<Want> {
        [self.nearest(is_word), vec![Want::Older(Search::Call(call))]].concat()
    }

    fn reconciled_or_header(self, call: CallId) -> Vec<Want> {
        let told = self.beside(
            |event| matches!(event, Event::Call(CallEvent::Reconciled(reconciled)) if reconciled.call == call),
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
            CallStatus::Denied => self.nearest(|event| matches!(event, Event::Call(CallEvent::ApprovalDecided(_)))),
            CallStatus::Expired => self.nearest(
                |event| matches!(event, Event::Call(CallEvent::ApprovalExpired(expired)) if expired.call == call),
            ),
            CallStatus::Unknown(_) => {
                let known = self.beside(
                    |event| matches!(event, Event::Call(CallEvent::OutcomeUnknown(lost)) if lost.call == call),
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

/// Tells whether it is what somebody said, or did to what was said or is going on.
const fn is_word(event: &Event) -> bool {
    matches!(
        event,
        Event::Talk(TalkEvent::MessageRouted(_))
            | Event::Talk(TalkEvent::MessageEdited(_))
            | Event::Talk(TalkEvent::MessageRetracted(_))
            | Event::Talk(TalkEvent::ReplyRegenerated(_))
            | Event::Turn(TurnEvent::Stopped(_))
    )
}

fn is_reply_of(event: &Event, agent: &AgentName) -> bool {
    matches!(event, Event::Talk(TalkEvent::MessagePosted(posted)) if posted.author == Author::Agent(agent.clone()))
}

/// Tells whether it can be older than the event at `at`: nothing is its own cause.
fn is_older(want: &Want, at: Position) -> bool {
    match want {
        Want::At(place) | Want::Routed(place) | Want::Moved(_, place) => *place < at,
        Want::Older(_) => true,
    }
}
