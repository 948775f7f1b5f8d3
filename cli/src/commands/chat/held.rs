//! `folkmoot chat` in a room that another process holds.

use folkmoot::core::ids::{PersonName, Position, WorldName};
use futures::TryStreamExt as _;

use super::reach::{ReachedDesk, RoomReach};
use super::{names, part, sit};
use crate::arguments::CommonArgs;
use crate::desk::entrance::Entrance;
use crate::desk::room::{RoomNews, RoomState};
use crate::exit::{CliError, STORE, USAGE};
use crate::show::news::Stir;
use crate::show::stage::{ChatStage, Cues, StageNews};
use crate::view::answer::ValueStream;

/// Talks in the room `world`, through the process that holds the store. With an `entrance` it opens
/// the room of a script first.
pub(super) async fn talk(
    common: &CommonArgs,
    world: &WorldName,
    entrance: Option<Entrance>,
    by: PersonName,
) -> Result<(), CliError> {
    let desk = ReachedDesk::Held(common.store.folder()?.to_owned());
    let reach = RoomReach::new(desk, world.clone(), by.clone());
    if let Some(entrance) = entrance {
        reach.enter(entrance).await?;
    }
    let mut news = reach.news(common.program()).await?;
    let state = begun(&mut news).await?;
    if let Some(why) = state.name_fault {
        return Err(CliError::other(USAGE, why));
    }
    let stage = ChatStage::told_of(common, &names(&state, &by), state.head);
    let mut prompter = stage.begin();
    let cues = prompter.cues();
    tokio::select! {
        // The stage has to know how requests are answered before it hears of some.
        biased;
        end = sit(common, &reach, &state, &mut prompter) => {
            // A question may be cut off before the news are.
            let end = end.map_err(|error| gone(common, world, error))?;
            prompter.finish(Position::ZERO).await?;
            part(common, &reach, end).await
        }
        ended = pass_on(news, &state, &cues) => {
            prompter.finish(Position::ZERO).await?;
            Err(ended.map_or_else(|| closed(common, world), |error| gone(common, world, error)))
        }
    }
}

/// The end of a terminal whose room was closed by the process that held it.
fn closed(common: &CommonArgs, world: &WorldName) -> CliError {
    let next = format!("go on with: {} chat {world}", common.program());
    let what = format!("the process that held the room has closed it; {next}");
    CliError::other(STORE, what)
}

/// The end of a terminal because of `error`: a holder that was cut off has closed the room as well.
fn gone(common: &CommonArgs, world: &WorldName, error: CliError) -> CliError {
    if matches!(error, CliError::HolderLost(_)) {
        return closed(common, world);
    }
    error
}

/// The state that the news begin with.
async fn begun(news: &mut ValueStream) -> Result<RoomState, CliError> {
    match next(news).await? {
        Some(RoomNews::Begun(state)) => Ok(*state),
        Some(RoomNews::Commit(_) | RoomNews::Stir(_) | RoomNews::Waits(_)) | None => {
            Err(CliError::other(STORE, "the holder gave no answer"))
        }
    }
}

async fn next(news: &mut ValueStream) -> Result<Option<RoomNews>, CliError> {
    let value = news.try_next().await?;
    let news = value.map(serde_json::from_value).transpose();
    news.map_err(CliError::json)
}

/// Passes news on to the stage until the room is closed, or an error keeps them from coming.
async fn pass_on(mut news: ValueStream, state: &RoomState, cues: &Cues) -> Option<CliError> {
    for (agent, doing) in state.agents.clone() {
        cues.tell(StageNews::Stir(Stir::Agent { agent, doing }))
            .await;
    }
    cues.tell(StageNews::Waits(state.waiting.clone())).await;
    loop {
        let told = match next(&mut news).await {
            Ok(Some(RoomNews::Begun(_))) => continue,
            Ok(Some(RoomNews::Commit(commit))) => StageNews::Commit(commit),
            Ok(Some(RoomNews::Stir(stir))) => StageNews::Stir(stir),
            Ok(Some(RoomNews::Waits(waiting))) => StageNews::Waits(waiting),
            Ok(None) => return None,
            Err(error) => return Some(error),
        };
        cues.tell(told).await;
    }
}
