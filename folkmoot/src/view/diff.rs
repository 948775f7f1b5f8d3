//! Comparison of two worlds: what they have in common, and what happened in each from there on.

use std::collections::BTreeMap;

use folkmoot_agents::fold_world;
use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{CallEvent, Event, TalkEvent, Verdict};
use folkmoot_core::ids::{AgentName, CallId, Position, RequestId, WorldName};
use folkmoot_core::port::{EventLog, StoredCommit};
use folkmoot_core::world::Meter;
use folkmoot_core::world::projection::TextProjection;
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use super::ViewError;
use super::event::EventView;
use super::world::{WorldAt, entry};

/// The most lines of one kind that are kept of a world.
const LINES_MAX: usize = 1_000;

/// A question for the differences of two worlds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffQuery {
    /// The first world, and the event up to which it is looked at.
    pub one: WorldAt,
    /// The second.
    pub other: WorldAt,
}

/// The differences of two worlds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffView {
    /// The last event that both have, the same record by its link; 0 if there is none.
    pub common: Position,
    /// The first.
    pub one: SideView,
    /// The second.
    pub other: SideView,
    /// The first difference, ids left out: of what was said, decided, called and routed. `None` if
    /// there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<RowView>,
    /// Requests decided, and who was to answer what.
    pub decisions: Vec<RowView>,
    /// Calls with their ends.
    pub calls: Vec<RowView>,
    /// The messages.
    pub messages: Vec<RowView>,
}

/// A side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideView {
    /// The world's name.
    pub world: WorldName,
    /// The event up to which it is looked at.
    pub at: Position,
    /// The first event behind what both have; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<EventView>,
    /// The usage of models from the world's beginning on, and its cost.
    pub spent: Meter,
}

/// A row: lines of both worlds that stand side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowView {
    /// The line of the first; `None` if it has none here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one: Option<String>,
    /// The line of the second; `None` if it has none here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
}

impl RowView {
    /// True if both lines are the same.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.one == self.other
    }
}

/// Compares two worlds.
///
/// # Errors
/// [`ViewError::Fold`], and that an event has no record: [`ViewError::Event`],
/// [`ViewError::Json`].
pub async fn diff(log: &dyn EventLog, query: &DiffQuery) -> Result<DiffView, ViewError> {
    let one = WorldReading::of(log, &query.one).await?;
    let other = WorldReading::of(log, &query.other).await?;
    let is_same = |(one, other): &(&StoredCommit, &StoredCommit)| one.link == other.link;
    let shared = one
        .commits
        .iter()
        .zip(&other.commits)
        .take_while(is_same)
        .count();
    let common = shared
        .checked_sub(1)
        .and_then(|last| one.commits.get(last))
        .map_or(Position::ZERO, |last| last.commit.last());
    let ours = WorldStory::of(&one.commits, shared);
    let theirs = WorldStory::of(&other.commits, shared);
    let mut all = rows(&ours.all, &theirs.all).into_iter();
    Ok(DiffView {
        common,
        first: all.find(|row| !row.is_same()),
        decisions: rows(&ours.decisions, &theirs.decisions),
        calls: rows(&ours.calls, &theirs.calls),
        messages: rows(&ours.messages, &theirs.messages),
        one: one.side(shared)?,
        other: other.side(shared)?,
    })
}

fn rows(one: &[String], other: &[String]) -> Vec<RowView> {
    let count = one.len().max(other.len());
    (0..count)
        .map(|n| RowView {
            one: one.get(n).cloned(),
            other: other.get(n).cloned(),
        })
        .collect()
}

/// A world that was read.
struct WorldReading {
    world: WorldName,
    commits: Vec<StoredCommit>,
    spent: Meter,
}

impl WorldReading {
    async fn of(log: &dyn EventLog, wanted: &WorldAt) -> Result<Self, ViewError> {
        let found = entry(log, &wanted.world).await?;
        let spent = fold_world(log, &wanted.world, wanted.at)
            .await?
            .meters()
            .total;
        let until = wanted.at.unwrap_or(found.head);
        let (mut commits, mut stored) =
            (Vec::new(), log.read(found.world, Position::new(1)).await?);
        while let Some(next) = stored
            .try_next()
            .await?
            .filter(|next| next.commit.header.first <= until)
        {
            commits.push(next);
        }
        Ok(Self {
            world: wanted.world.clone(),
            commits,
            spent,
        })
    }

    fn side(&self, shared: usize) -> Result<SideView, ViewError> {
        let next = self
            .commits
            .get(shared)
            .map(|stored| EventView::with_gists(&stored.commit))
            .transpose()?;
        let at = self
            .commits
            .last()
            .map_or(Position::ZERO, |stored| stored.commit.last());
        let next = next.and_then(|events| events.into_iter().next());
        Ok(SideView {
            world: self.world.clone(),
            at,
            next,
            spent: self.spent,
        })
    }
}

/// The events of a world, told without its ids.
#[derive(Debug, Default)]
struct WorldStory {
    all: Vec<String>,
    decisions: Vec<String>,
    calls: Vec<String>,
    messages: Vec<String>,
    tools: BTreeMap<CallId, String>,
    requests: BTreeMap<RequestId, String>,
}

impl WorldStory {
    /// The story of what stands behind the first `shared` commits.
    fn of(commits: &[StoredCommit], shared: usize) -> Self {
        let mut story = Self::default();
        let mut texts = TextProjection::default();
        for (n, stored) in commits.iter().enumerate() {
            for (at, event) in stored.commit.numbered() {
                story.learn(at, event);
                if n >= shared {
                    story.tell(event);
                }
            }
            if n >= shared {
                story.say(&mut texts, &stored.commit);
            }
        }
        story
    }

    /// Learns what calls and requests are about.
    fn learn(&mut self, at: Position, event: &Event) {
        if let Event::Call(CallEvent::CallsAdmitted(admitted)) = event {
            for call in &admitted.calls {
                let tool = call
                    .tool
                    .as_ref()
                    .map_or_else(|| "?".to_owned(), ToString::to_string);
                self.tools.insert(
                    call.call,
                    format!("{} {tool} {}", admitted.agent, call.arguments.short()),
                );
            }
        } else if let Event::Call(CallEvent::ApprovalRequested(asked)) = event {
            self.requests
                .insert(RequestId(at), self.call(&asked.agent, asked.call));
        } else if let Event::Call(CallEvent::QuestionAsked(asked)) = event {
            self.requests
                .insert(RequestId(at), self.call(&asked.agent, asked.call));
        } else if let Event::Call(CallEvent::OutcomeUnknown(unknown)) = event {
            self.requests
                .insert(RequestId(at), self.call(&unknown.agent, unknown.call));
        }
    }

    fn call(&self, agent: &AgentName, call: CallId) -> String {
        self.tools
            .get(&call)
            .cloned()
            .unwrap_or_else(|| agent.to_string())
    }

    fn request(&self, request: RequestId) -> String {
        self.requests
            .get(&request)
            .cloned()
            .unwrap_or_else(|| "a request".to_owned())
    }

    fn tell(&mut self, event: &Event) {
        if let Event::Call(CallEvent::ApprovalDecided(decided)) = event {
            let how = match decided.verdict {
                Verdict::Allow => "allowed",
                Verdict::Deny => "denied",
            };
            self.decided(&format!(
                "{} {how}: {}",
                decided.by,
                self.request(decided.request)
            ));
        } else if let Event::Call(CallEvent::ApprovalExpired(expired)) = event {
            self.decided(&format!("expired: {}", self.request(expired.request)));
        } else if let Event::Call(CallEvent::QuestionAnswered(answered)) = event {
            self.decided(&format!(
                "{} answered: {}",
                answered.by,
                self.request(answered.request)
            ));
        } else if let Event::Call(CallEvent::OutcomeSettled(settled)) = event {
            self.decided(&format!(
                "settled as {}: {}",
                word(&settled.how),
                self.request(settled.request)
            ));
        } else if let Event::Talk(TalkEvent::MessageRouted(routed)) = event {
            let names: Vec<String> = routed
                .respond
                .iter()
                .map(|(name, _)| name.to_string())
                .collect();
            let to = if names.is_empty() {
                "nobody".to_owned()
            } else {
                names.join(", ")
            };
            self.decided(&format!("routed to {to}"));
        } else if let Event::Call(CallEvent::ToolFinished(finished)) = event {
            let line = format!(
                "{}: {}",
                self.call(&finished.agent, finished.call),
                word(&finished.status)
            );
            keep(&mut self.all, &line);
            keep(&mut self.calls, &line);
        }
    }

    fn decided(&mut self, line: &str) {
        keep(&mut self.all, line);
        keep(&mut self.decisions, line);
    }

    fn say(&mut self, texts: &mut TextProjection, commit: &Commit) {
        for message in texts.take(commit) {
            let line = format!("{}: {}", message.from, message.text);
            keep(&mut self.all, &line);
            keep(&mut self.messages, &line);
        }
    }
}

fn keep(lines: &mut Vec<String>, line: &str) {
    if lines.len() < LINES_MAX {
        lines.push(line.to_owned());
    }
}

/// The word of a value without a form of its own for people.
fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().map_or_else(
        || {
            value
                .to_string()
                .replace(['{', '}', '"'], "")
                .replace(':', " ")
        },
        str::to_owned,
    )
}
