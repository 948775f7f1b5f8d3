//! Gathers what the events of a bundle say about each call.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::facts;
use super::{CallRun, CallStory, Requested, ShownRequest, StoryEntry, digests};
use crate::bundle::event::{ReportedContent, ReportedEvent, time};

/// The most replacements of one call by another that are followed back. A bundle may claim a circle
/// of them.
const REPLACED_MAX: usize = 64;

/// The most messages of a turn that are told.
const TAKEN_UP_MAX: usize = 50;

/// The most bytes of arguments that are told of all calls together. Many calls can stand in one
/// long answer.
const ARGUMENTS_BYTES_MAX: usize = 32 * 1024 * 1024;

/// The stories as far as the events so far tell them.
pub(super) struct Stories<'a> {
    /// The events of the bundle by position.
    events: BTreeMap<u64, &'a ReportedEvent>,
    /// The story of each call so far, by the call's id.
    calls: BTreeMap<String, CallStory>,
    /// The answer that a call stands in, and how it stands there.
    admitted: BTreeMap<String, (u64, facts::AdmittedCall)>,
    /// The arguments that a person wrote, by the call that they decided on.
    edited: BTreeMap<String, String>,
    /// The last request to people about a call, by the call's id.
    asked: BTreeMap<String, facts::ApprovalRequested>,
    /// The calls in the order in which they come up.
    order: Vec<String>,
}

/// Reads the facts of an event.
fn read_facts<T: DeserializeOwned>(event: &ReportedEvent) -> Option<T> {
    T::deserialize(&event.facts).ok()
}

impl<'a> Stories<'a> {
    pub(super) fn new(events: &'a [ReportedEvent]) -> Self {
        let events = events.iter().map(|event| (event.position, event)).collect();
        Self {
            events,
            calls: BTreeMap::new(),
            admitted: BTreeMap::new(),
            edited: BTreeMap::new(),
            asked: BTreeMap::new(),
            order: Vec::new(),
        }
    }

    fn story(&mut self, event: &ReportedEvent, call: &str, agent: &str) -> &mut CallStory {
        if !self.calls.contains_key(call) {
            self.order.push(call.to_owned());
        }
        let id = call.to_owned();
        let agent = agent.to_owned();
        let new = || CallStory {
            call: id,
            agent,
            is_signed: true,
            ..CallStory::default()
        };
        let story = self.calls.entry(call.to_owned()).or_insert_with(new);
        story.events.push(event.position);
        story.is_signed &= event.is_signed;
        story
    }

    /// Takes in what an event says, if it is about a call.
    pub(super) fn take(&mut self, event: &ReportedEvent) {
        if event.name == "CallsAdmitted" {
            return read_facts(event)
                .into_iter()
                .for_each(|admitted| self.admit(event, admitted));
        }
        let Some(facts::OfCall { call, agent }) = read_facts(event) else {
            return;
        };
        let happened = |what: Option<String>| what.map(|what| said(event, what));
        match event.name.as_str() {
            "ApprovalRequested" => self.ask(event, &call),
            "ApprovalDecided" => {
                let decided = self.decide(event, &call);
                self.story(event, &call, &agent)
                    .approvals
                    .extend(happened(decided));
            }
            "ApprovalExpired" | "GrantUsed" | "QuestionAnswered" => {
                let allowed = self.allowed(event);
                self.story(event, &call, &agent)
                    .approvals
                    .extend(happened(allowed));
            }
            "ToolStarted" => {
                let run = read_facts(event).map(|started| run(event, started));
                self.story(event, &call, &agent).runs.extend(run);
            }
            _ => self
                .story(event, &call, &agent)
                .outcomes
                .extend(happened(outcome(event))),
        }
    }

    fn admit(&mut self, event: &ReportedEvent, admitted: facts::CallsAdmitted) {
        let facts::CallsAdmitted {
            agent,
            turn,
            answer,
            calls,
        } = admitted;
        let taken_up: Arc<[String]> = self.taken_up(turn).into();
        for call in calls {
            let requested = Requested {
                at: event.position,
                time: event.time.clone(),
                turn,
                taken_up: Arc::clone(&taken_up),
                answer,
                replaces: call.origin.clone(),
            };
            let story = self.story(event, &call.call, &agent);
            story.tool = call.tool.clone();
            story.requested = Some(requested);
            self.admitted.insert(call.call.clone(), (answer, call));
        }
    }

    /// The messages that a turn took up, in words.
    fn taken_up(&self, turn: u64) -> Vec<String> {
        let opened: Option<facts::TurnOpened> = self.named(turn, "TurnOpened");
        let message = |at: u64| match self.named(at, "MessagePosted") {
            Some(facts::MessagePosted { author }) => {
                format!("message {at} of {}", author_told(&author))
            }
            None => format!("message {at}"),
        };
        opened
            .map(|opened| {
                opened
                    .news
                    .into_iter()
                    .take(TAKEN_UP_MAX)
                    .map(message)
                    .collect()
            })
            .unwrap_or_default()
    }

    fn named<T: DeserializeOwned>(&self, at: u64, name: &str) -> Option<T> {
        self.events
            .get(&at)
            .filter(|event| event.name == name)
            .and_then(|event| read_facts(event))
    }

    fn ask(&mut self, event: &ReportedEvent, call: &str) {
        let Some(asked) = read_facts::<facts::ApprovalRequested>(event) else {
            return;
        };
        let shown = ShownRequest {
            at: event.position,
            time: event.time.clone(),
            digest: asked.shown.clone(),
            text: None,
            is_recorded: None,
            expires: time(asked.expires_at),
        };
        let story = self.story(event, call, &asked.agent);
        story.tool = Some(asked.tool.clone());
        story.shown = Some(shown);
        self.asked.insert(call.to_owned(), asked);
    }

    fn decide(&mut self, event: &ReportedEvent, call: &str) -> Option<String> {
        let facts::ApprovalDecided {
            request,
            verdict,
            scope,
            is_edited,
            shown,
            by,
        } = read_facts(event)?;
        let text: facts::DecisionText = event
            .shown()
            .and_then(|text| serde_json::from_value(text.clone()).ok())
            .unwrap_or_default();
        let confirmed = match shown {
            Some(shown) => format!("confirmed the digest {shown} of what was shown"),
            None => "did not confirm the digest of what was shown".to_owned(),
        };
        let edited = if is_edited {
            ", with other arguments"
        } else {
            ""
        };
        let reason = text
            .reason
            .map(|reason| format!(", because: {reason}"))
            .unwrap_or_default();
        if let Some(arguments) = text.arguments.filter(|_| is_edited) {
            self.edited.insert(call.to_owned(), arguments);
        }
        let scope = scope
            .as_str()
            .map_or_else(|| scope.to_string(), str::to_owned);
        Some(format!(
            "{verdict} ({scope}{edited}) for request {request} by {}; {confirmed}{reason}",
            by.told()
        ))
    }

    /// Says what else than a decision lets a call go on, or ends its waiting.
    fn allowed(&self, event: &ReportedEvent) -> Option<String> {
        if event.name == "ApprovalExpired" {
            return Some("nobody decided in time".to_owned());
        }
        if event.name == "QuestionAnswered" {
            return read_facts(event).map(|facts::QuestionAnswered { by }| {
                format!("a question of the tool was answered by {}", by.told())
            });
        }
        let facts::GrantUsed { grant } = read_facts(event)?;
        let by = self
            .named(grant, "GrantGiven")
            .map(|facts::GrantGiven { by }| format!(", which was given by {}", by.told()));
        Some(format!(
            "allowed by the grant at {grant}{}",
            by.unwrap_or_default()
        ))
    }

    /// The arguments of a call, if they are in the bundle: in the answer, or in the decision that
    /// changed them.
    fn arguments(&self, call: &str) -> Option<String> {
        let mut call = call;
        for _ in 0..REPLACED_MAX {
            let (answer, admitted) = self.admitted.get(call)?;
            let Some(origin) = &admitted.origin else {
                return in_answer(self.events.get(answer)?, admitted.ordinal);
            };
            if let Some(arguments) = self.edited.get(origin) {
                return Some(arguments.clone());
            }
            // The words of the decision that changed them are not here.
            if self
                .admitted
                .get(origin)
                .is_none_or(|(_, before)| before.arguments != admitted.arguments)
            {
                return None;
            }
            call = origin;
        }
        None
    }

    /// The calls, with their arguments and what people were shown.
    pub(super) fn end(mut self) -> Vec<CallStory> {
        let mut stories = Vec::new();
        let mut left = ARGUMENTS_BYTES_MAX;
        for call in std::mem::take(&mut self.order) {
            let Some(mut story) = self.calls.remove(&call) else {
                continue;
            };
            if let Some(arguments) = self.arguments(&call)
                // The same long answer may hold the arguments of many calls, and the report repeats
                // them.
                && let Some(rest) = left.checked_sub(arguments.len())
            {
                left = rest;
                self.compare(&mut story, &arguments);
                story.arguments = Some(arguments);
            }
            stories.push(story);
        }
        stories
    }

    /// Compares arguments with what was recorded of them.
    fn compare(&self, story: &mut CallStory, arguments: &str) {
        let asked = self.asked.get(&story.call);
        let found = digests::of_arguments(arguments);
        let admitted = self
            .admitted
            .get(&story.call)
            .map(|(_, admitted)| &admitted.arguments);
        let mut recorded = admitted
            .into_iter()
            .chain(asked.map(|asked| &asked.arguments));
        story.arguments_are_recorded = Some(recorded.all(|recorded| *recorded == found));
        if let (Some(shown), Some(asked)) = (&mut story.shown, asked) {
            let (text, digest) = digests::of_shown(asked, arguments);
            shown.is_recorded = Some(digest == shown.digest);
            shown.text = Some(text);
        }
    }
}

fn said(event: &ReportedEvent, what: String) -> StoryEntry {
    StoryEntry {
        at: event.position,
        time: event.time.clone(),
        what,
    }
}

fn run(
    event: &ReportedEvent,
    facts::ToolStarted {
        attempt,
        incarnation,
        effect,
    }: facts::ToolStarted,
) -> CallRun {
    CallRun {
        at: event.position,
        time: event.time.clone(),
        attempt,
        effect,
        incarnation,
    }
}

/// Says what came of a call, by the events that tell it.
fn outcome(event: &ReportedEvent) -> Option<String> {
    match event.name.as_str() {
        "ToolFinished" => {
            let facts::ToolFinished {
                status,
                attempt,
                memo,
            } = read_facts(event)?;
            let status = status
                .as_str()
                .map_or_else(|| status.to_string(), str::to_owned);
            let attempt = attempt.map_or_else(
                || " without a run".to_owned(),
                |attempt| format!(" by attempt {attempt}"),
            );
            let memo = memo
                .map(|memo| format!(", with the result of event {memo}"))
                .unwrap_or_default();
            Some(format!("{status}{attempt}{memo}{}", result(event)))
        }
        "OutcomeUnknown" => read_facts(event).map(|facts::OutcomeUnknown { cause }| {
            format!("nobody knows whether it took effect: {cause}")
        }),
        "OutcomeSettled" => {
            let facts::OutcomeSettled { how, by } = read_facts(event)?;
            Some(format!(
                "settled as {how} by {}{}",
                by.told(),
                result(event)
            ))
        }
        "Reconciled" => read_facts(event).map(|facts::Reconciled { how }| {
            format!("the tool said of a lost run: {how}{}", result(event))
        }),
        "CallReplaced" => read_facts(event)
            .map(|facts::CallReplaced { by }| format!("closed in favour of call {by}")),
        _ => None,
    }
}

fn result(event: &ReportedEvent) -> String {
    match &event.content {
        ReportedContent::None => String::new(),
        ReportedContent::Shown(Value::Null) => ", no result".to_owned(),
        ReportedContent::Shown(value) => format!(", result: {value}"),
        ReportedContent::Withheld => ", the result is withheld".to_owned(),
        ReportedContent::Erased => ", the result was erased".to_owned(),
    }
}

fn author_told(author: &Value) -> String {
    let named = |kind: &str| author.get(kind).and_then(Value::as_str);
    match (named("person"), named("agent")) {
        (Some(person), _) => person.to_owned(),
        (None, Some(agent)) => format!("the agent {agent}"),
        (None, None) => "the world".to_owned(),
    }
}

/// The arguments of the call that stands at `ordinal` among an answer's calls.
fn in_answer(answer: &ReportedEvent, ordinal: u32) -> Option<String> {
    let content = answer.shown()?;
    // An agent in code reacts with an answer of the same form.
    let response = content.pointer("/answer/response").unwrap_or(content);
    let reply = response.as_object()?.values().next()?;
    let mut calls = reply
        .get("parts")?
        .as_array()?
        .iter()
        .filter_map(|part| part.get("call"));
    let call = calls.nth(usize::try_from(ordinal).ok()?)?;
    call.get("arguments")?.as_str().map(str::to_owned)
}
