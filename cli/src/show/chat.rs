//! From commits to the lines of a chat.

use std::collections::BTreeMap;
use std::sync::Arc;

use folkmoot::core::audit::why::routing_of;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{
    AdmittedCall, Author, CallEvent, CallStatus, Event, MessageBody, MessagePosted, Notice,
    SpecRevised, TalkEvent, ToolFinished, WorldEvent, WorldOpened,
};
use folkmoot::core::ids::{AgentName, CallId, MessageId, Position};
use folkmoot::core::model::response::LLMResponse;
use folkmoot::core::spec::rules::Rules;
use folkmoot::core::tool::View;
use folkmoot::core::world::World;
use folkmoot::script::{Script, Step, Verb};
use folkmoot::view::forbidden::by_rule;
use folkmoot::view::transcript::ArtifactKinds;
use serde::{Deserialize, Serialize};

use super::words;
use super::{clip, one_line};

/// The longest arguments and results that are shown in a line, in characters.
const GIST_MAX: usize = 100;
/// The most calls that are known, so that their ends can be told. Of an older one only the end is
/// told, and no tool.
const CALLS_MAX: usize = 1_024;

/// A line of a chat, or several that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ChatLine {
    /// A message.
    Said {
        /// The message.
        message: MessageId,
        /// The name of the speaker.
        from: String,
        /// True if a person speaks.
        is_person: bool,
        /// The text.
        text: String,
    },
    /// An agent does something: a quiet line under its name.
    Does {
        /// The name of the agent.
        from: String,
        /// The thing that it does, with its arguments or its result.
        what: String,
    },
    /// A tool shows people something.
    Shows {
        /// The views.
        views: Vec<View>,
        /// The kinds of the artifacts among them, as far as the room knows them.
        kinds: ArtifactKinds,
        /// The command that shows all of them.
        all: String,
    },
    /// Something that happened, quietly.
    Quiet(String),
    /// A good end.
    Good(String),
    /// A bad one, or a refusal.
    Bad(String),
    /// A request to people: its name, and what is asked.
    Asks(String, Vec<String>),
    /// The keys that decide a request from here on, behind what is asked, if that is shown again.
    Keys {
        /// The request.
        name: String,
        /// The lines of the question.
        again: Option<Vec<String>>,
        /// The keys.
        keys: String,
    },
    /// A note of the script.
    Note(String),
    /// A line of ours.
    Plain(String),
    /// A command to type: one line, however narrow the terminal is, because it is copied (decision
    /// 0031).
    ToType(String),
}

impl ChatLine {
    /// Returns the bytes of the texts in it.
    pub(super) fn bytes(&self) -> usize {
        let all = |lines: &[String]| lines.iter().map(String::len).sum();
        match self {
            Self::Said { from, text, .. } => from.len() + text.len(),
            Self::Does { from, what } => from.len() + what.len(),
            Self::Shows { views, .. } => views.iter().map(|view| view.to_string().len()).sum(),
            Self::Asks(name, lines) => name.len() + all(lines),
            Self::Keys { name, again, keys } => {
                name.len() + keys.len() + again.as_deref().map_or(0, all)
            }
            Self::Quiet(text)
            | Self::Good(text)
            | Self::Bad(text)
            | Self::Note(text)
            | Self::Plain(text)
            | Self::ToType(text) => text.len(),
        }
    }
}

/// The tool and the arguments of a call.
#[derive(Debug, Clone)]
pub(crate) struct KnownCall {
    /// The tool, as the agent named it.
    pub(crate) tool: String,
    /// The arguments, as JSON; empty if they were erased.
    pub(crate) arguments: String,
}

/// An answer with its position: what the events behind it refer to.
type Answer = (Position, LLMResponse);

/// Turns commits into lines. Knows the calls that are open, so that their ends can be told.
#[derive(Debug, Default)]
pub(crate) struct Chat {
    /// The world's name.
    pub(crate) world: String,
    /// The calls that are open, and those that ended since this began; of many, the newest.
    pub(crate) calls: BTreeMap<CallId, KnownCall>,
    /// The beginning of a command to type: the program, and the store if that is not the usual one.
    pub(crate) program: String,
    /// The rules in force, which say how artifacts are shown.
    rules: Arc<Rules>,
    /// The steps of the script; empty if there is none.
    steps: Vec<Step>,
    /// True if the world was opened since this began: the next opening is a new one.
    has_opened: bool,
}

impl Chat {
    /// Begins behind the head of `world`, which may have no event yet. `script` tells what its
    /// steps mean.
    pub(crate) fn new(name: &str, world: &World, script: Option<&Script>) -> Self {
        let rules = Arc::clone(world.rules());
        let mut chat = Self {
            world: name.to_owned(),
            program: "folkmoot".to_owned(),
            rules,
            ..Self::default()
        };
        chat.steps = script
            .map(|script| script.steps.clone())
            .unwrap_or_default();
        for agent in &world.rules().spec().agents {
            let open = world
                .memory(&agent.name)
                .into_iter()
                .flat_map(|memory| &memory.open_calls);
            chat.calls.extend(open.map(|(id, call)| {
                let tool = call
                    .tool
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                (
                    *id,
                    KnownCall {
                        tool,
                        arguments: call.arguments.present().cloned().unwrap_or_default(),
                    },
                )
            }));
        }
        chat
    }

    /// The lines of a commit.
    pub(crate) fn take(&mut self, commit: &Commit) -> Vec<ChatLine> {
        let mut lines = Vec::new();
        let mut answer = None;
        for (at, event) in commit.numbered() {
            self.event(at, event, commit, &mut answer, &mut lines);
        }
        if let Some(step) = words::step_of(commit) {
            lines.extend(self.step_line(step));
        }
        lines
    }

    fn event(
        &mut self,
        at: Position,
        event: &Event,
        commit: &Commit,
        answer: &mut Option<Answer>,
        lines: &mut Vec<ChatLine>,
    ) {
        if let Some(response) = event.response() {
            *answer = Some((at, response.clone()));
        }
        if let Event::World(WorldEvent::WorldOpened(WorldOpened { spec, .. }))
        | Event::World(WorldEvent::SpecRevised(SpecRevised { spec, .. })) = event
        {
            self.rules = Arc::new(Rules::from((**spec).clone()));
        }
        if let Event::Talk(TalkEvent::NoticePosted(posted)) = event
            && let Notice::Undeliverable {
                message,
                nearest,
                named,
            } = &posted.notice
        {
            let unknown = unknown(commit, *message);
            let line = words::undeliverable(unknown, nearest, named);
            lines.push(ChatLine::Quiet(line));
            return;
        }
        lines.extend(words::line(self, at, event));
        if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
            lines.push(said(posted, answer.as_ref()));
        }
        if let Event::Call(CallEvent::CallsAdmitted(admitted)) = event {
            for call in &admitted.calls {
                lines.push(self.admit(&admitted.agent, call, answer.as_ref(), commit));
            }
        }
        if let Event::World(WorldEvent::PersonJoined(joined)) = event
            && !speaks(commit)
        {
            let line = format!("{} joined", joined.person.display);
            lines.push(ChatLine::Quiet(line));
        }
        if matches!(event, Event::World(WorldEvent::Opened(_)))
            && std::mem::replace(&mut self.has_opened, true)
        {
            let line = "the room was opened again, from its log".to_owned();
            lines.push(ChatLine::Quiet(line));
        }
        if let Event::Call(CallEvent::ToolFinished(finished)) = event {
            lines.extend(self.shows(at, finished));
            lines.extend(self.forbidden(finished));
        }
    }

    /// Says which rule forbids a call; `None` if none does.
    fn forbidden(&self, finished: &ToolFinished) -> Option<ChatLine> {
        if finished.status != CallStatus::Forbidden {
            return None;
        }
        let call = self.calls.get(&finished.call)?;
        let rule = by_rule(&self.rules, &call.tool, &call.arguments)?;
        Some(ChatLine::Quiet(one_line(&rule)))
    }

    /// Returns the views that a call shows people; `None` if there are none.
    fn shows(&self, at: Position, finished: &ToolFinished) -> Option<ChatLine> {
        let views: Vec<View> = finished.views().cloned().collect();
        if views.is_empty() {
            return None;
        }
        let mut kinds = self.rules.spec().kinds();
        kinds.retain(|kind, _| {
            views
                .iter()
                .any(|view| matches!(view, View::Artifact(artifact) if artifact.kind == *kind))
        });
        let all = format!("{} log {} --from {at} --json", self.program, self.world);
        Some(ChatLine::Shows { views, kinds, all })
    }

    fn admit(
        &mut self,
        agent: &AgentName,
        call: &AdmittedCall,
        answer: Option<&Answer>,
        commit: &Commit,
    ) -> ChatLine {
        let ordinal = usize::try_from(call.ordinal).unwrap_or(usize::MAX);
        let part = answer.and_then(|(_, response)| response.reply().calls().nth(ordinal));
        let origin = call
            .origin
            .and_then(|origin| self.calls.get(&origin).cloned());
        let origin = origin.map(|origin| match edited(commit) {
            Some(arguments) => KnownCall {
                arguments: arguments.clone(),
                ..origin
            },
            None => origin,
        });
        let known = part.map(|part| KnownCall {
            tool: part.tool.clone(),
            arguments: part.arguments.clone(),
        });
        let named = KnownCall {
            tool: call
                .tool
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            arguments: String::new(),
        };
        let known = if call.origin.is_some() { origin } else { known }.unwrap_or(named);
        let what = format!(
            "→ {} {}",
            one_line(&known.tool),
            clip(&one_line(&known.arguments), GIST_MAX)
        );
        self.calls.insert(call.call, known);
        while self.calls.len() > CALLS_MAX {
            self.calls.pop_first();
        }
        ChatLine::Does {
            from: agent.to_string(),
            what,
        }
    }

    /// The tool of a call, as people know it.
    pub(crate) fn tool(&self, call: CallId) -> String {
        self.calls
            .get(&call)
            .map_or_else(|| "a tool".to_owned(), |call| one_line(&call.tool))
    }

    /// A request's name.
    pub(crate) fn request(&self, at: impl std::fmt::Display) -> String {
        format!("{}#{at}", self.world)
    }

    fn step_line(&self, index: u32) -> Option<ChatLine> {
        let step = self.steps.get(usize::try_from(index).ok()?)?;
        if step.within.is_some() {
            // Whoever runs the script tells of its branches.
            return None;
        }
        match &step.verb {
            Verb::Note(text) => Some(ChatLine::Note(text.clone())),
            Verb::Expect(_) => Some(ChatLine::Good("as expected".to_owned())),
            Verb::Restart => Some(ChatLine::Quiet(
                "everything in memory is dropped".to_owned(),
            )),
            Verb::Crash => Some(ChatLine::Quiet(
                "the runtime will die at its next append".to_owned(),
            )),
            Verb::Fork(fork) => Some(ChatLine::Quiet(format!("{} is branched off", fork.name))),
            Verb::Advance(by) => Some(ChatLine::Quiet(format!("the clock moves on by {by:?}"))),
            _ if step.refused.is_some() => Some(ChatLine::Good("refused, as expected".to_owned())),
            Verb::Say(_)
            | Verb::Decide(..)
            | Verb::Revoke(_)
            | Verb::Stop
            | Verb::Amend(..)
            | Verb::Join(_)
            | Verb::Leave(_)
            | Verb::Rights(..)
            | Verb::Observe(..)
            | Verb::Revise(_)
            | Verb::Idle => None,
        }
    }
}

fn said(posted: &MessagePosted, answer: Option<&Answer>) -> ChatLine {
    let erased = || "[erased]".to_owned();
    let text = match &posted.answer {
        Some(place) => {
            answer.map_or_else(erased, |(_, response)| response.spoken_without(&place.cut))
        }
        None => posted.body.present().map_or_else(erased, written),
    };
    let (from, is_person) = match &posted.author {
        Author::Person(person) => (person.to_string(), true),
        Author::Service(_) => (posted.author.to_string(), false),
        Author::Agent(agent) => (agent.to_string(), false),
        Author::World => ("world".to_owned(), false),
    };
    ChatLine::Said {
        message: posted.message,
        from,
        is_person,
        text,
    }
}

/// True if somebody says something in a commit: then it is seen that they joined.
fn speaks(commit: &Commit) -> bool {
    let is_message = |event: &Event| matches!(event, Event::Talk(TalkEvent::MessagePosted(_)));
    commit.events.iter().any(is_message)
}

/// A text, and below it what is attached.
fn written(body: &MessageBody) -> String {
    let text = Some(body.text.clone()).filter(|text| !text.is_empty());
    let files = body.attachments.iter().map(ToString::to_string);
    text.into_iter().chain(files).collect::<Vec<_>>().join("\n")
}

/// The arguments that a person put in the place of a call's own.
fn edited(commit: &Commit) -> Option<&String> {
    commit.events.iter().find_map(|event| {
        if let Event::Call(CallEvent::ApprovalDecided(decided)) = event {
            decided.text.present()?.arguments.as_ref()
        } else {
            None
        }
    })
}

/// The names in the message at `message` that nobody has.
fn unknown(commit: &Commit, message: Position) -> &[String] {
    let routed = routing_of(commit, message);
    routed
        .and_then(|routed| routed.unknown.present())
        .map(Vec::as_slice)
        .unwrap_or_default()
}
