//! What the tools do: each is one call on the same functions as a route.

use std::collections::BTreeSet;

use folkmoot::core::command::TalkAction;
use folkmoot::core::port::{Clock as _, Labels};
use folkmoot::core::world::projection::TranscriptEntry;
use folkmoot::run::Asks;
use folkmoot::view::request::RequestView;
use folkmoot::view::why::{WhyQuery, WhyView, why_for_people};
use folkmoot::words;
use folkmoot::{
    EpisodeId, FeedBody, Position, Right, Rights, SystemClock, WorldName, fold_world_from,
    read_transcript,
};

use super::LocalHost;
use super::answers::{Kind, Opened, Request, Room, Rooms, State, Stopped, Transcript, Waiting};
use super::talk::{Speaker, Utterance};
use super::tools::{ListWorlds, OpenWorld, PendingRequests, ReadTranscript, Stop, Why};
use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::request::{PAGE, RequestKey, page_limit};
use crate::rooms::Lobby;
use crate::routes::opening::{Ownership, begin};
use crate::routes::templates::blocking;
use crate::routes::worlds::NewWorld;
use crate::wire::time;

/// The route that opens a world, so that a key means the same here and there.
const OPENING: &str = "POST /v1/worlds";

/// Lists the worlds that the caller may read, and the templates.
pub(super) async fn list_worlds(
    lobby: &Lobby,
    caller: &Caller,
    wish: ListWorlds,
) -> Result<Rooms, Problem> {
    let after = wish.after.map(WorldName::new).transpose().map_err(|_| {
        let why = "this is no `next` that a page gave";
        Problem::new(ProblemCode::Invalid, why).about("after")
    })?;
    let part = wish.query.map(|part| part.to_lowercase());
    let mut worlds: Vec<Room> = Vec::new();
    let mut has_more = false;
    let take = |_, summary: std::sync::Arc<folkmoot::view::summary::WorldSummary>| {
        let room = Room {
            name: summary.name.to_string(),
            title: summary.title.clone(),
            state: State::of(summary.activity),
            waiting: summary.waiting,
            last: time(summary.time),
        };
        if !part.as_ref().is_none_or(|part| room.has(part)) {
            return false;
        }
        has_more = worlds.len() == PAGE;
        if !has_more {
            worlds.push(room);
        }
        has_more
    };
    lobby.readable(caller, &Labels::new(), after, take).await?;
    let templates = lobby.rooms.templates.clone();
    let next = worlds.last().filter(|_| has_more);
    Ok(Rooms {
        next: next.map(|room| room.name.clone()),
        templates: blocking(move || templates.names()).await??,
        worlds,
    })
}

impl Room {
    fn has(&self, part: &str) -> bool {
        let titles = self.title.iter().map(|title| title.to_lowercase());
        std::iter::once(self.name.to_lowercase())
            .chain(titles)
            .any(|text| text.contains(part))
    }
}

/// The key of a command that the route `route` would take as well.
pub(super) fn key(route: &str, key: Option<&str>) -> Result<RequestKey, Problem> {
    match key {
        Some(key) => RequestKey::of_route(route, key),
        None => Ok(RequestKey::none(route)),
    }
}

/// Opens a world from a template.
pub(super) async fn open_world(
    lobby: &Lobby,
    caller: &Caller,
    local: Option<&LocalHost>,
    wish: OpenWorld,
) -> Result<Opened, Problem> {
    let key = key(OPENING, wish.key.as_deref())?;
    let new = NewWorld {
        template: wish.template,
        title: wish.title,
        labels: Labels::new(),
        name: None,
    };
    // Whoever runs the host owns the room and decides in it; the host itself may not.
    let host = Rights(BTreeSet::from([Right::Read, Right::Post, Right::Operate]));
    let ownership = match local {
        Some(local) => Ownership::Of(&local.user, &host),
        None => Ownership::Own,
    };
    let world = begin(lobby, caller, new, &key, ownership).await?;
    Ok(Opened {
        world: world.to_string(),
    })
}

/// Reads a page of a transcript.
pub(super) async fn transcript(
    lobby: &Lobby,
    caller: &Caller,
    wish: ReadTranscript,
) -> Result<Transcript, Problem> {
    let limit = page_limit(wish.limit.or(Some(PAGE)))?;
    let room = lobby.room(caller, &wish.world).await?;
    let before = wish.before.map(Position::new);
    let page = read_transcript(&lobby.rooms.store, &room.entry.name, before, limit).await?;
    Ok(Transcript {
        world: wish.world,
        entries: page.entries.into_iter().map(utterance).collect(),
        next: page.next.map(Position::get),
    })
}

/// An entry of a transcript, with the name of whoever speaks.
fn utterance(entry: TranscriptEntry) -> Utterance {
    let at = entry.at().get();
    let shown = entry.to_string();
    match entry {
        TranscriptEntry::Message(said) => Utterance {
            at,
            from: said.author.to_string(),
            speaker: Speaker::of(&said.author),
            text: said.text,
            reply_to: said.reply_to.map(|message| message.0.get()),
            message: Some(said.message.0.get()),
            files: said.attachments.into_iter().map(|file| file.name).collect(),
        },
        TranscriptEntry::Notice(told) => {
            let (notice, to) = (told.notice, told.to);
            let text = words::item(&FeedBody::Notice { notice, to }, None);
            Utterance::of_world(at, text)
        }
        TranscriptEntry::Shown(tool) => Utterance {
            from: tool.agent.to_string(),
            speaker: Speaker::Agent,
            ..Utterance::of_world(at, Some(shown))
        },
    }
}

/// Lists the requests of a world that wait for people.
pub(super) async fn pending(
    lobby: &Lobby,
    caller: &Caller,
    wish: PendingRequests,
) -> Result<Waiting, Problem> {
    let name = lobby.room(caller, &wish.world).await?.entry.name;
    let waits = waits(lobby, &name).await?;
    let world = wish.world;
    Ok(Waiting { world, waits })
}

/// The requests that wait in the world called `name`, oldest first.
pub(super) async fn waits(lobby: &Lobby, name: &WorldName) -> Result<Vec<Request>, Problem> {
    let store = &lobby.rooms.store;
    let world = fold_world_from(store, store, name, None).await?;
    let requests = RequestView::all(&world, SystemClock.now());
    let open = requests.into_iter().filter(|one| !one.waiting.is_expired);
    Ok(open.map(Request::from).collect())
}

impl From<RequestView> for Request {
    fn from(view: RequestView) -> Self {
        let waiting = view.waiting.waiting;
        Self {
            name: waiting.name,
            agent: waiting.agent.to_string(),
            kind: match waiting.asks {
                Asks::Approval { .. } => Kind::Approval,
                Asks::Question { .. } => Kind::Question,
                Asks::Outcome { .. } => Kind::Outcome,
            },
            words: view.words,
            warnings: view.warnings,
            deciders: view.deciders.people,
            others_may_decide: view.deciders.others,
        }
    }
}

/// Explains an event.
pub(super) async fn why(lobby: &Lobby, caller: &Caller, wish: Why) -> Result<WhyView, Problem> {
    let world = lobby.allowed(caller, &wish.world, Right::Read).await?;
    let at = Position::new(wish.at);
    let query = WhyQuery { world, at };
    // As over the route: nothing that was withheld from people.
    Ok(why_for_people(&lobby.rooms.store, &query).await?)
}

/// Stops the work of a message, or all.
pub(super) async fn stop(lobby: &Lobby, caller: &Caller, wish: Stop) -> Result<Stopped, Problem> {
    let episode = wish.message.map(|at| EpisodeId(Position::new(at)));
    let action = TalkAction::Stop { episode };
    let accepted = lobby.give(caller, &wish.world, action, None).await?;
    Ok(Stopped {
        world: wish.world,
        at: accepted.last.map(Position::get),
    })
}
