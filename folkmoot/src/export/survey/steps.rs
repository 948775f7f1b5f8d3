//! The steps of the sequence picture: who did what to whom.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{
    Author, CallEvent, CallStatus, Event, Refused, TalkEvent, TurnEvent, Verdict,
};
use folkmoot_core::ids::principal::{Party, Principal};
use folkmoot_core::ids::{CallId, MessageId, Position, RequestId};
use folkmoot_core::world::projection::TextProjection;

use super::Calls;
use crate::export::html::{PICTURE_LIFELINES_MAX, PICTURE_STEPS_MAX};
use crate::export::talk::{Body, is_lost};
use crate::text::{clip, one_line};
use crate::words::{about, status_word, tried};

/// The longest label, in characters, before it is fitted into the picture.
const LABEL_MAX: usize = 80;

/// Who takes part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::export) struct Lifeline {
    pub(in crate::export) name: String,
    pub(in crate::export) role: Role,
}

/// What somebody is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::export) enum Role {
    Person,
    Service,
    World,
    Agent,
    Tool,
    /// Those for whom there is no room.
    Others,
}

/// What a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::export) enum StepKind {
    Message,
    Asks,
    Yes,
    No,
    Call,
    Result,
    Failure,
    Refused,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::export) struct Step {
    pub(in crate::export) at: Position,
    pub(in crate::export) kind: StepKind,
    /// By number among the lifelines.
    pub(in crate::export) from: usize,
    /// The same of all whom it reaches; at least one.
    pub(in crate::export) to: Vec<usize>,
    pub(in crate::export) label: String,
    /// The entry of the transcript that tells it; `None` if none does.
    pub(in crate::export) told_at: Option<Position>,
}

/// All of them, as far as there is room.
#[derive(Debug, Default)]
pub(in crate::export) struct Steps {
    pub(in crate::export) lifelines: Vec<Lifeline>,
    pub(in crate::export) steps: Vec<Step>,
    /// How many more there are.
    pub(in crate::export) more: usize,
    /// Who said the messages that are shown.
    said: BTreeMap<MessageId, usize>,
    /// Those for whom there is no line of their own.
    others: BTreeSet<(Role, String)>,
    /// The steps of calls that run, by their place: the entry of their end tells them.
    running: BTreeMap<CallId, Vec<usize>>,
}

impl Steps {
    pub(super) fn take(&mut self, calls: &Calls, commit: &Commit, at: Position, event: &Event) {
        if let Event::Talk(TalkEvent::MessageRouted(routed)) = event {
            self.said(commit, routed.message, event);
        } else if let Event::Call(CallEvent::ToolStarted(started)) = event {
            let again = if started.attempt.0 > 1 {
                format!(" (attempt {})", started.attempt)
            } else {
                String::new()
            };
            let from = self.agent(started.agent.as_str());
            let to = self.line(Role::Tool, &calls.tool(started.call));
            let label = calls
                .inline(started.call)
                .unwrap_or_else(|| instead(&calls.arguments(started.call)));
            if self.steps.len() < PICTURE_STEPS_MAX {
                let running = self.running.entry(started.call).or_default();
                running.push(self.steps.len());
            }
            self.push(
                at,
                StepKind::Call,
                (from, vec![to]),
                &format!("{label}{again}"),
            );
        } else if let Event::Call(CallEvent::ToolFinished(finished)) = event
            && finished.attempt.is_some()
        {
            let from = self.line(Role::Tool, &calls.tool(finished.call));
            let to = self.agent(finished.agent.as_str());
            let kind = if finished.status == CallStatus::Done {
                StepKind::Result
            } else {
                StepKind::Failure
            };
            for place in self.running.remove(&finished.call).unwrap_or_default() {
                if let Some(step) = self.steps.get_mut(place) {
                    step.told_at = Some(at);
                }
            }
            self.push(at, kind, (from, vec![to]), status_word(&finished.status));
        } else if let Event::Refused(refused) = event {
            self.refused(commit, at, refused);
        } else {
            self.asked(calls, at, event);
        }
    }

    fn refused(&mut self, commit: &Commit, at: Position, refused: &Refused) {
        let from = match &refused.principal {
            Principal::Person(person) => self.line(Role::Person, person.display.as_str()),
            Principal::Service(service) => self.line(Role::Service, service.display.as_str()),
            Principal::Agent(agent) => self.agent(agent.as_str()),
            Principal::Tool(tool) => self.line(Role::Tool, tool.as_str()),
            Principal::World => self.line(Role::World, "world"),
            Principal::Runtime => self.line(Role::World, "runtime"),
        };
        let tried = tried(commit.header.command);
        let label = format!("tries to {tried}{}: refused", about(refused));
        self.push(at, StepKind::Refused, (from, vec![from]), &label);
    }

    /// A message goes to each who answers it, and to the people whom it addresses; else to whom it answers; or it stays with
    /// its author.
    fn said(&mut self, commit: &Commit, message: Position, event: &Event) {
        let Event::Talk(TalkEvent::MessageRouted(routed)) = event else {
            return;
        };
        let texts = TextProjection::default().take(commit);
        let Some(text) = texts.into_iter().find(|text| text.at == message) else {
            return;
        };
        let said = commit
            .numbered()
            .find(|(at, _)| *at == message)
            .and_then(|(_, event)| said(event));
        let Some((author, reply_to)) = said else {
            return;
        };
        let from = match author {
            Author::Person(name) => self.line(Role::Person, name.as_str()),
            Author::Service(name) => self.line(Role::Service, name.as_str()),
            Author::Agent(name) => self.agent(name.as_str()),
            Author::World => self.line(Role::World, "world"),
        };
        if self.steps.len() < PICTURE_STEPS_MAX {
            self.said.insert(text.message, from);
        }
        let is_lost = || commit.events.iter().any(is_lost);
        let label = match text.text {
            text if !text.is_empty() => text,
            _ => instead(if is_lost() {
                &Body::Lost
            } else {
                &Body::Erased
            }),
        };
        let mut to: Vec<usize> = routed
            .respond
            .iter()
            .map(|(name, _)| self.agent(name.as_str()))
            .collect();
        to.extend(
            routed
                .people
                .iter()
                .map(|name| self.line(Role::Person, name.as_str()))
                .collect::<Vec<_>>(),
        );
        // All for whom there is no line of their own stand on one.
        to.sort_unstable();
        to.dedup();
        if to.is_empty() {
            to.push(
                reply_to
                    .and_then(|to| self.said.get(&to))
                    .copied()
                    .unwrap_or(from),
            );
        }
        self.push(message, StepKind::Message, (from, to), &label);
    }

    fn asked(&mut self, calls: &Calls, at: Position, event: &Event) {
        if let Event::Call(CallEvent::ApprovalRequested(asked)) = event {
            self.asks(
                at,
                asked.agent.as_str(),
                &format!("may I run {}?", asked.tool),
            );
        } else if let Event::Call(CallEvent::QuestionAsked(asked)) = event {
            self.asks(
                at,
                asked.agent.as_str(),
                &format!("{} asks", calls.tool(asked.call)),
            );
        } else if let Event::Call(CallEvent::OutcomeUnknown(unknown)) = event {
            self.asks(
                at,
                unknown.agent.as_str(),
                &format!("did {} take effect?", calls.tool(unknown.call)),
            );
        } else if let Event::Call(CallEvent::ApprovalDecided(decided)) = event {
            let (kind, word) = match decided.verdict {
                Verdict::Allow => (StepKind::Yes, "allows"),
                Verdict::Deny => (StepKind::No, "denies"),
            };
            self.decides(
                at,
                kind,
                &decided.by,
                (decided.agent.as_str(), decided.request),
                &format!("{word} #{}", decided.request),
            );
        } else if let Event::Call(CallEvent::QuestionAnswered(answered)) = event {
            let request = answered.request;
            self.decides(
                at,
                StepKind::Yes,
                &answered.by,
                (answered.agent.as_str(), request),
                &format!("answers #{request}"),
            );
        } else if let Event::Turn(TurnEvent::Stopped(stopped)) = event {
            let from = self.line(Role::Person, &stopped.by.to_string());
            self.push(
                at,
                StepKind::No,
                (from, vec![from]),
                "stops what is going on",
            );
        } else if let Event::Call(CallEvent::ApprovalExpired(expired)) = event {
            let from = self.agent(expired.agent.as_str());
            self.push(
                at,
                StepKind::No,
                (from, vec![from]),
                "nobody decided in time",
            );
            // A notice tells it.
            if let Some(step) = self.steps.last_mut().filter(|step| step.at == at) {
                step.told_at = None;
            }
        }
    }

    /// The person whom a request is for is known once somebody decides; until then it is for the first person there.
    fn asks(&mut self, at: Position, agent: &str, label: &str) {
        let from = self.agent(agent);
        let first = self
            .lifelines
            .iter()
            .position(|line| line.role == Role::Person);
        self.push(
            at,
            StepKind::Asks,
            (from, vec![first.unwrap_or(from)]),
            label,
        );
    }

    fn decides(
        &mut self,
        at: Position,
        kind: StepKind,
        by: &Party,
        (agent, request): (&str, RequestId),
        label: &str,
    ) {
        let role = match by {
            Party::Person(_) => Role::Person,
            Party::Service { .. } => Role::Service,
        };
        let from = self.line(role, by.display().as_str());
        let to = self.agent(agent);
        for step in self
            .steps
            .iter_mut()
            .filter(|step| step.at == request.0 && step.kind == StepKind::Asks)
        {
            step.to = vec![from];
        }
        self.push(at, kind, (from, vec![to]), label);
    }

    fn push(&mut self, at: Position, kind: StepKind, (from, to): (usize, Vec<usize>), label: &str) {
        if self.steps.len() >= PICTURE_STEPS_MAX {
            self.more += 1;
            return;
        }
        self.steps.push(Step {
            at,
            kind,
            from,
            to,
            label: clip(&one_line(label), LABEL_MAX),
            told_at: Some(at),
        });
    }

    fn agent(&mut self, name: &str) -> usize {
        self.line(Role::Agent, name)
    }

    /// The number of a lifeline; where there are too many, that of the others.
    fn line(&mut self, role: Role, name: &str) -> usize {
        if self.lifelines.len() >= PICTURE_LIFELINES_MAX && !self.has(role, name) {
            return self.other(role, name);
        }
        let found = self
            .lifelines
            .iter()
            .position(|line| line.role == role && line.name == name);
        found.unwrap_or_else(|| self.begin(role, name.to_owned()))
    }

    /// The number of the lifeline of all for whom there is no room.
    fn other(&mut self, role: Role, name: &str) -> usize {
        self.others.insert((role, name.to_owned()));
        let name = format!("{} more", self.others.len());
        let found = self
            .lifelines
            .iter()
            .position(|line| line.role == Role::Others);
        let Some(number) = found else {
            return self.begin(Role::Others, name);
        };
        if let Some(line) = self.lifelines.get_mut(number) {
            line.name = name;
        }
        number
    }

    fn begin(&mut self, role: Role, name: String) -> usize {
        self.lifelines.push(Lifeline { name, role });
        self.lifelines.len().saturating_sub(1)
    }

    fn has(&self, role: Role, name: &str) -> bool {
        self.lifelines
            .iter()
            .any(|line| line.role == role && line.name == name)
    }
}

fn instead(body: &Body) -> String {
    body.instead().unwrap_or_default().to_owned()
}

/// Returns who says the message of an event, and which one it answers.
fn said(event: &Event) -> Option<(Author, Option<MessageId>)> {
    if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
        return Some((posted.author.clone(), posted.reply_to));
    }
    let Event::Talk(TalkEvent::MessageEdited(edited)) = event else {
        return None;
    };
    Some((edited.author.clone(), edited.reply_to))
}
