//! Events as `log` shows them.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Event, EventKind, StoredContent, TalkEvent};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{AgentName, Digest, Position, RequestId, Time, WorldName};
use folkmoot_core::port::{CommitStream, EventLog, ReadError, StoredCommit};
use futures::stream::{self, BoxStream};
use futures::{StreamExt as _, TryStreamExt as _};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ViewError;
use super::gist;
use super::outline::{self, CallKey, Lane, Mark, OutlineEntry};
use super::roster::check_agent;
use super::world::entry;
use crate::export::event_lines;

#[cfg(test)]
mod tests;

/// A question for events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogQuery {
    /// The world.
    pub world: WorldName,
    /// From which on.
    pub from: Position,
    /// True if the answer waits for more events.
    pub follow: bool,
    /// Only this kind.
    pub kind: Option<String>,
    /// Only those about this agent.
    pub agent: Option<AgentName>,
    /// Only those about this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallKey>,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventView {
    /// The number of the event in the world's log.
    pub position: Position,
    /// The time at which it was recorded, in milliseconds since 1970.
    pub time: Time,
    /// The kind of event, by name.
    pub kind: String,
    /// The principal who gave the command that it answers.
    pub principal: Principal,
    /// The event that made that command necessary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Position>,
    /// The facts: the part that decisions read.
    pub facts: Value,
    /// The content: the part that people, models and tools wrote. Left out if this kind has none,
    /// `{"erased": POSITION}` if it is gone, `{"lost": true}` if nobody asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    /// A line for people. Not part of `--json`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub gist: String,
}

/// Reads the events that a question asks for, each with its line for people.
///
/// # Errors
/// [`ViewError::NoSuchKind`], [`ViewError::NoSuchAgent`], and [`ViewError::Fold`] at once; in the
/// stream, that the log does not read on or an event has no JSON form.
pub async fn events(
    log: &dyn EventLog,
    query: &LogQuery,
) -> Result<BoxStream<'static, Result<EventView, ViewError>>, ViewError> {
    let (commits, wanted) = read(log, query).await?;
    Ok(each(commits, move |stored| {
        let views = EventView::with_gists(&stored.commit)?;
        let pairs = views.into_iter().zip(&stored.commit.events);
        let is_wanted = |(view, event): &(EventView, &Event)| {
            wanted.has(view.position, event, || view.agent().map(str::to_owned))
        };
        Ok(pairs.filter(is_wanted).map(|(view, _)| view).collect())
    }))
}

/// What `of_commit` gives for each commit, one after another.
fn each<T: Send + 'static>(
    commits: CommitStream,
    of_commit: impl Fn(&StoredCommit) -> Result<Vec<T>, ViewError> + Send + 'static,
) -> BoxStream<'static, Result<T, ViewError>> {
    let all = move |stored: Result<StoredCommit, ReadError>| {
        let found = stored.map_err(ViewError::from);
        match found.and_then(|stored| of_commit(&stored)) {
            Ok(found) => found.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        }
    };
    let each = commits.flat_map(move |stored| stream::iter(all(stored)));
    each.boxed()
}

/// Reads the events that a question asks for in short. No state is folded for it, so that a page of
/// a long log costs what it gives: an agent whom the world never had has no events here.
///
/// # Errors
/// [`ViewError::NoSuchKind`] and [`ViewError::Fold`] at once; in the stream, that the log does not
/// read on.
pub async fn outline(
    log: &dyn EventLog,
    query: &LogQuery,
) -> Result<BoxStream<'static, Result<OutlineEntry, ViewError>>, ViewError> {
    let (commits, wanted) = begin(log, query).await?;
    Ok(each(commits, move |stored| {
        let commit = &stored.commit;
        let agent = |event: &Event| outline::agent(event).map(ToString::to_string);
        let is_wanted = |(at, event): &(Position, &Event)| wanted.has(*at, event, || agent(event));
        let entry = |(at, event)| OutlineEntry::of(commit, at, event);
        Ok(commit.numbered().filter(is_wanted).map(entry).collect())
    }))
}

/// Reads the events that a question asks for, each as a line of `export --format jsonl` has it: see
/// `docs/export.md`. An answer of which something was withheld from people has no `content` here,
/// but `withheld`, as `{"by": N}`: the event that says so.
///
/// # Errors
/// Those of [`events`], and [`ViewError::Export`] in the stream.
pub async fn exported(
    log: &dyn EventLog,
    query: &LogQuery,
) -> Result<BoxStream<'static, Result<Value, ViewError>>, ViewError> {
    let (commits, wanted) = read(log, query).await?;
    Ok(each(commits, move |stored| exported_of(stored, &wanted)))
}

/// Reads one event, as [`exported`] gives it, with what stands around it.
///
/// # Errors
/// [`ViewError::NoSuchEvent`], [`ViewError::Fold`], and that the event has no JSON form.
pub async fn one(
    log: &dyn EventLog,
    world: &WorldName,
    at: Position,
) -> Result<EventDetail, ViewError> {
    let entry = entry(log, world).await?;
    let head = entry.head;
    if at == Position::ZERO || at > head {
        let world = world.clone();
        return Err(ViewError::NoSuchEvent { world, at, head });
    }
    let mut commits = log.read(entry.world, at).await?;
    let stored = commits.try_next().await?.ok_or(ViewError::NoCommit(at))?;
    let first = stored.commit.header.first;
    let before = log.read_back(entry.world, first, 1).await?;
    let previous = before.first().map(|before| before.link);
    EventDetail::of(&stored, at, previous)
}

/// An event with what stands around it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventDetail {
    /// The event, as it is exported.
    #[serde(flatten)]
    pub event: Value,
    /// A line for people.
    pub words: String,
    /// Whose doing it is.
    pub lane: Lane,
    /// The call that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<CallKey>,
    /// The request that it opens or decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestId>,
    /// Why it stands out, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// The event that made its command necessary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Position>,
    /// The first and the last event of its commit.
    pub within: (Position, Position),
    /// The link that chains its commit to the one before.
    pub link: Digest,
    /// The link of the commit before; `None` if it is the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<Digest>,
    /// SHA-256 of its content as JSON; `None` if it has none that people may read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_digest: Option<Digest>,
}

impl EventDetail {
    fn of(
        stored: &StoredCommit,
        at: Position,
        previous: Option<Digest>,
    ) -> Result<Self, ViewError> {
        let commit = &stored.commit;
        let mut numbered = commit.numbered();
        let found = numbered.find(|(here, _)| *here == at);
        let (_, event) = found.ok_or(ViewError::NoCommit(at))?;
        let is_withheld = withheld_in(commit).contains_key(&at);
        let words = if is_withheld {
            gist::for_people(event, commit, &BTreeSet::new())
        } else {
            gist::of(event, commit)
        };
        let entry = OutlineEntry::of(commit, at, event);
        Ok(Self {
            event: exported_at(stored, at)?,
            words,
            lane: entry.lane,
            call: entry.call,
            request: entry.request,
            mark: entry.mark,
            cause: commit.header.cause,
            within: (commit.header.first, commit.last()),
            link: stored.link,
            previous,
            content_digest: digest(event, at)?.filter(|_| !is_withheld),
        })
    }
}

/// SHA-256 of what was written in an event.
fn digest(event: &Event, at: Position) -> Result<Option<Digest>, ViewError> {
    let record = event.to_record();
    let record = record.map_err(|source| ViewError::Event { at, source })?;
    Ok(match record.content {
        StoredContent::Present(bytes) => Some(Digest::sha256(&bytes)),
        StoredContent::None | StoredContent::Erased { .. } => None,
    })
}

/// The event of a commit at `at`, as [`exported`] gives it.
fn exported_at(stored: &StoredCommit, at: Position) -> Result<Value, ViewError> {
    let all = WantedEvents {
        from: at,
        kind: None,
        agent: None,
        call: None,
    };
    let mut values = exported_of(stored, &all)?.into_iter();
    values.next().ok_or(ViewError::NoCommit(at))
}

fn exported_of(stored: &StoredCommit, wanted: &WantedEvents) -> Result<Vec<Value>, ViewError> {
    let withheld = withheld_in(&stored.commit);
    let mut values = Vec::new();
    let events = stored.commit.numbered().zip(event_lines(stored)?);
    for ((at, event), line) in events {
        let mut value: Value = serde_json::from_str(&line)?;
        let agent = || value.get("facts").and_then(agent_in).map(str::to_owned);
        if !wanted.has(at, event, agent) {
            continue;
        }
        if let (Some(by), Some(fields)) = (withheld.get(&at), value.as_object_mut())
            && fields.remove("content").is_some()
        {
            fields.insert("withheld".to_owned(), json!({ "by": by }));
        }
        values.push(value);
    }
    Ok(values)
}

/// The answers of a commit of which something was withheld, and the event that says so. It is
/// recorded together with the answer.
fn withheld_in(commit: &Commit) -> BTreeMap<Position, Position> {
    let kept = commit.numbered().filter_map(|(at, event)| {
        if let Event::Talk(TalkEvent::ArtifactWithheld(kept)) = event {
            Some((kept.answer, at))
        } else {
            None
        }
    });
    kept.collect()
}

/// The events that a question asks for.
struct WantedEvents {
    from: Position,
    kind: Option<EventKind>,
    agent: Option<AgentName>,
    call: Option<CallKey>,
}

impl WantedEvents {
    /// Tells whether the event at `at` is asked for. `agent` is asked only if that matters.
    fn has(&self, at: Position, event: &Event, agent: impl FnOnce() -> Option<String>) -> bool {
        let is_about = |wanted: &AgentName| agent().as_deref() == Some(wanted.as_str());
        at >= self.from
            && self.kind.is_none_or(|wanted| event.kind() == wanted)
            && self.call.is_none_or(|call| outline::is_about(event, call))
            && self.agent.as_ref().is_none_or(is_about)
    }
}

async fn read(
    log: &dyn EventLog,
    query: &LogQuery,
) -> Result<(CommitStream, WantedEvents), ViewError> {
    if let Some(agent) = &query.agent {
        check_agent(log, &query.world, agent).await?;
    }
    begin(log, query).await
}

async fn begin(
    log: &dyn EventLog,
    query: &LogQuery,
) -> Result<(CommitStream, WantedEvents), ViewError> {
    let kind = query.kind.as_deref().map(kind).transpose()?;
    let id = entry(log, &query.world).await?.world;
    let from = query.from.max(Position::new(1));
    let commits = if query.follow {
        log.subscribe(id, from).await?
    } else {
        log.read(id, from).await?
    };
    let wanted = WantedEvents {
        from,
        kind,
        agent: query.agent.clone(),
        call: query.call,
    };
    Ok((commits, wanted))
}

fn agent_in(facts: &Value) -> Option<&str> {
    facts
        .get("agent")
        .or_else(|| facts.get("author")?.get("agent"))?
        .as_str()
}

/// The kind of event that `name` means: `ToolStarted`, `toolstarted` and `tool_started` are one.
///
/// # Errors
/// [`ViewError::NoSuchKind`].
pub fn kind(name: &str) -> Result<EventKind, ViewError> {
    let folded = |name: &str| name.replace('_', "").to_lowercase();
    let wanted = folded(name);
    let found = EventKind::ALL
        .iter()
        .find(|(kind, _)| folded(kind.name()) == wanted);
    found
        .map(|(kind, _)| *kind)
        .ok_or_else(|| ViewError::NoSuchKind {
            name: name.to_owned(),
        })
}

impl EventView {
    /// The events of a commit.
    ///
    /// # Errors
    /// [`ViewError::Event`], [`ViewError::Json`].
    pub fn of(commit: &Commit) -> Result<Vec<Self>, ViewError> {
        commit
            .numbered()
            .map(|(at, event)| Self::one(commit, at, event))
            .collect()
    }

    /// The same, each with its line for people.
    ///
    /// # Errors
    /// [`ViewError::Event`], [`ViewError::Json`].
    pub fn with_gists(commit: &Commit) -> Result<Vec<Self>, ViewError> {
        let mut views = Self::of(commit)?;
        for (view, event) in views.iter_mut().zip(&commit.events) {
            view.gist = gist::of(event, commit);
        }
        Ok(views)
    }

    fn one(commit: &Commit, position: Position, event: &Event) -> Result<Self, ViewError> {
        let record = event.to_record().map_err(|source| ViewError::Event {
            at: position,
            source,
        })?;
        let read = |bytes: &[u8]| serde_json::from_slice(bytes);
        let content = match &record.content {
            StoredContent::None => None,
            StoredContent::Present(bytes) => Some(read(bytes)?),
            StoredContent::Erased { by: None } => Some(json!({ "lost": true })),
            StoredContent::Erased { by: Some(by) } => Some(json!({ "erased": by })),
        };
        Ok(Self {
            position,
            time: commit.header.stamp.time,
            kind: event.kind().name().to_owned(),
            principal: commit.header.principal.clone(),
            cause: commit.header.cause,
            facts: read(&record.facts)?,
            content,
            gist: String::new(),
        })
    }

    /// Returns the name of whoever acts in it: the person who gave the command, else the agent it
    /// is about.
    #[must_use]
    pub fn actor(&self) -> String {
        let agent = self.agent().filter(|_| self.principal.person().is_none());
        agent.map_or_else(|| self.principal.to_string(), str::to_owned)
    }

    /// The agent that it is about, or that speaks in it.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        agent_in(&self.facts)
    }
}
