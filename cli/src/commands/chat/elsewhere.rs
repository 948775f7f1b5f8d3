//! `folkmoot chat` in a room of a server elsewhere.

use std::time::Duration;

use folkmoot::core::ids::{AgentName, PersonName, Position, WorldName};
use folkmoot::core::world::Doing;
use folkmoot::{FeedBody, ItemId};
use folkmoot_client::{Feed, FeedEvent, ItemId as Place, NewMessage, Start};
use serde_json::Value;
use tokio::sync::watch;

use super::reach::{ReachedDesk, RoomReach};
use super::{is_script, names, part, sit};
use crate::arguments::{ChatArgs, CommonArgs};
use crate::commands::remote as commands;
use crate::desk::deed::Deed;
use crate::desk::room::{RoomState, RoomWish};
use crate::desk::ruling::Matter;
use crate::exit::{CliError, STORE, USAGE};
use crate::remote::{self, Remote};
use crate::show::feed::lines;
use crate::show::news::ShownCommit;
use crate::show::stage::{ChatStage, Cues, StageNews};

/// The time for which a server that went away is waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time between two looks at a room in which something goes on.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// The time in which the feed tells what a look has found.
const FEED_WITHIN: Duration = Duration::from_secs(1);

/// Talks in a room of `remote`.
pub(super) async fn talk(
    common: &CommonArgs,
    arguments: &ChatArgs,
    remote: Remote,
    by: PersonName,
) -> Result<(), CliError> {
    remote::check_options(arguments.by.as_ref(), false)?;
    let ChatArgs {
        world,
        room_of,
        recording,
        ..
    } = arguments;
    if world.is_some() || room_of.spec.is_some() || room_of.revise || recording.record.is_some() {
        let why = "a server opens its rooms from templates: --world, --spec, --revise and --record are for a store";
        return Err(CliError::other(USAGE, why));
    }
    if is_script(&arguments.room) {
        let why =
            "a server has rooms, and reads no scripts: `folkmoot worlds --server URL` lists them";
        return Err(CliError::other(USAGE, why));
    }
    let world = WorldName::new(&arguments.room)
        .map_err(|error| CliError::other(USAGE, error.to_string()))?;
    let (heard, told) = watch::channel(Position::ZERO);
    let desk = ReachedDesk::Elsewhere(Elsewhere {
        remote: remote.clone(),
        told,
    });
    let reach = RoomReach::new(desk, world.clone(), by.clone());
    let state = reach.state(RoomWish::State).await?;
    heard.send_replace(state.head);
    let start = Start::After(Place::new(state.head.to_string()));
    let client = remote.client().clone().patient_for(PATIENCE);
    let feed = client.feed(world.as_str(), start);
    let mut prompter = ChatStage::told_of(common, &names(&state, &by), state.head).begin();
    let cues = prompter.cues();
    cues.tell(StageNews::Waits(state.waiting.clone())).await;
    tokio::select! {
        biased;
        end = sit(common, &reach, &state, &mut prompter) => {
            let end = end?;
            prompter.finish(Position::ZERO).await?;
            part(common, &reach, end).await
        }
        error = pass_on(feed, &remote, &world, &heard, &cues) => {
            prompter.finish(Position::ZERO).await?;
            Err(error)
        }
    }
}

/// Passes the feed on to the stage, until it ends for good.
async fn pass_on(
    mut feed: Feed,
    remote: &Remote,
    world: &WorldName,
    heard: &watch::Sender<Position>,
    cues: &Cues,
) -> CliError {
    loop {
        let item = match remote.told(feed.next().await) {
            Ok(FeedEvent::Item(item)) => item,
            // Replies are shown when they are whole.
            Ok(FeedEvent::Draft(_) | FeedEvent::DraftEnd(_)) => continue,
            Err(error) => return error,
        };
        let Ok(id) = item.id().as_str().parse::<ItemId>() else {
            let what = format!("the feed has an item without a position: {}", item.id());
            return CliError::other(STORE, what);
        };
        // A newer server may tell of things that this program does not know.
        let body: Option<FeedBody> = serde_json::from_value(readable(item.value())).ok();
        let lines = body.as_ref().map(|body| lines(world, item.value(), body));
        let commit = ShownCommit {
            last: id.at,
            begun: Vec::new(),
            ended: Vec::new(),
            lines: lines.unwrap_or_default(),
        };
        cues.tell(StageNews::Commit(commit)).await;
        if matches!(item.kind(), "request" | "decision" | "call_finished") {
            match commands::waiting(remote, world).await {
                Ok(waiting) => cues.tell(StageNews::Waits(waiting)).await,
                Err(error) => return error,
            }
        }
        heard.send_replace(id.at);
    }
}

/// An item with its times as this program reads them.
fn readable(item: &Value) -> Value {
    let mut item = item.clone();
    remote::read_time(&mut item, "/request/asks/expires_at");
    item
}

/// The way to a room of a server elsewhere.
#[derive(Debug)]
pub(super) struct Elsewhere {
    remote: Remote,
    /// The position up to which the feed has told what happened.
    told: watch::Receiver<Position>,
}

impl Elsewhere {
    /// Returns how the room stands, now or once nothing goes on in it.
    pub(super) async fn state(
        &self,
        world: &WorldName,
        wants: &RoomWish,
    ) -> Result<RoomState, CliError> {
        let client = self.remote.client();
        let room = loop {
            let room = self.remote.told(client.room(world.as_str()).await)?;
            if *wants != RoomWish::Rest || room.activity != "running" {
                break room;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        };
        let mut head = Position::new(room.head);
        if *wants == RoomWish::Rest {
            let mut told = self.told.clone();
            // Not each event is an item: a head that is none is never told of.
            let _in_time = tokio::time::timeout(FEED_WITHIN, told.wait_for(|at| *at >= head)).await;
            head = *self.told.borrow();
        }
        let agents = room.agents.iter().map(AgentName::new);
        let agents = agents.filter_map(Result::ok);
        let activity = serde_json::from_value(Value::from(room.activity));
        Ok(RoomState {
            head,
            activity: activity.map_err(CliError::json)?,
            agents: agents.map(|agent| (agent, Doing::Nothing)).collect(),
            people: Vec::new(),
            waiting: commands::waiting(&self.remote, world).await?,
            grants: Vec::new(),
            name_fault: None,
        })
    }

    /// Does something in the room.
    pub(super) async fn act(&self, world: &WorldName, deed: Deed) -> Result<(), CliError> {
        let client = self.remote.client();
        match deed {
            Deed::Say { text, .. } => {
                let posted = client.post(world.as_str(), &NewMessage::text(text)).await;
                self.remote.told(posted).map(|_| ())
            }
            Deed::Stop => self.remote.told(client.stop(world.as_str()).await),
            Deed::Edit { .. }
            | Deed::Retract(_)
            | Deed::Regenerate(_)
            | Deed::Join
            | Deed::Leave => Err(not_here()),
        }
    }

    /// Rules on a request.
    pub(super) async fn rule(
        &self,
        common: &CommonArgs,
        world: &WorldName,
        matter: Matter,
    ) -> Result<(), CliError> {
        match matter {
            Matter::Request {
                request,
                resolution,
                ..
            } => {
                let resolved =
                    commands::resolved(common, &self.remote, world, request, resolution).await;
                resolved.map(|_| ())
            }
            Matter::Grant(_) => Err(not_here()),
        }
    }
}

/// The refusal of what a chat elsewhere cannot do.
pub(super) fn not_here() -> CliError {
    CliError::other(
        USAGE,
        "this is not possible from here: do it where the store of the server is",
    )
}
