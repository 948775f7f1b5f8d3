//! `folkmoot run` in a store that another process holds.

use folkmoot::core::ids::{Position, WorldName};
use folkmoot::script::Script;
use futures::StreamExt as _;

use super::{conclude, names, on, wish};
use crate::arguments::{CommonArgs, RunArgs};
use crate::control::client::Client;
use crate::desk::DeskRequest;
use crate::desk::deed::{Deed, PersonDeed};
use crate::desk::run::{PlayNews, ToldFault};
use crate::exit::{CUT_OFF, CliError, INTERRUPTED, STORE, USAGE};
use crate::play::account::Account;
use crate::show::stage::{ChatStage, Cues, Hints, StageNews};
use crate::view::answer::ValueStream;
use crate::{interrupt, person, show};

/// Has the process that holds the store play the script, and shows what comes of it.
pub(super) async fn run(
    common: &CommonArgs,
    arguments: &RunArgs,
    script: &Script,
) -> Result<(), CliError> {
    let mut wish = wish(common, arguments);
    wish.script = std::path::absolute(&arguments.script).map_err(|error| {
        let file = arguments.script.display();
        CliError::other(USAGE, format!("cannot find {file}: {error}"))
    })?;
    let mut news = ask(common, DeskRequest::Play(Box::new(wish))).await?;
    let Some(PlayNews::Begun { world, head }) = next(&mut news).await? else {
        return Err(unanswered());
    };
    let mut prompter = ChatStage::told_of(common, &names(script), head).begin();
    let cues = prompter.cues();
    let outcome = tokio::select! {
        outcome = follow(&mut news, &cues) => outcome,
        error = prompter.ended() => {
            return Err(if matches!(error, CliError::Closed) { CliError::Said(CUT_OFF) } else { error });
        }
        () = interrupt::first() => Err(CliError::Said(INTERRUPTED)),
    };
    prompter.finish(Position::ZERO).await?;
    match outcome {
        Ok(Played::Ended(account)) => conclude(common, arguments, script, &account),
        Ok(Played::Failed(fault)) => Err(fault.into_error(script, &arguments.script)),
        Err(CliError::Said(INTERRUPTED)) => {
            // Whoever asked for the play has gone, and so it ends there.
            drop(news);
            stop(common, &world).await;
            let on = on(common, arguments, script, &world);
            show::complain(&format!(
                "interrupted: what was going on is stopped, and recorded; go on with: {on}"
            ));
            Err(CliError::Said(INTERRUPTED))
        }
        Err(error) => Err(error),
    }
}

/// The end of a play.
enum Played {
    /// It came as far as it could.
    Ended(Box<Account>),
    /// A step failed, or the script cannot be played.
    Failed(ToldFault),
}

/// Passes the news of a play on to the stage, until it ends.
async fn follow(news: &mut ValueStream, cues: &Cues) -> Result<Played, CliError> {
    while let Some(told) = next(news).await? {
        let told = match told {
            PlayNews::Begun { .. } => continue,
            PlayNews::Commit(commit) => StageNews::Commit(commit),
            PlayNews::Events { events, last } => StageNews::Events(events, last),
            PlayNews::Stir(stir) => StageNews::Stir(stir),
            PlayNews::Waits(waiting) => StageNews::Waits(waiting),
            PlayNews::Shown(line) => StageNews::Show(line),
            PlayNews::Hints { commands: true } => StageNews::Hints(Hints::Commands),
            PlayNews::Hints { commands: false } => StageNews::Hints(Hints::None),
            PlayNews::Ended(account) => return Ok(Played::Ended(account)),
            PlayNews::Failed(fault) => return Ok(Played::Failed(fault)),
        };
        cues.tell(told).await;
    }
    Err(unanswered())
}

async fn next(news: &mut ValueStream) -> Result<Option<PlayNews>, CliError> {
    let value = news.next().await.transpose()?;
    let told = value.map(serde_json::from_value).transpose();
    told.map_err(CliError::json)
}

async fn ask(common: &CommonArgs, request: DeskRequest) -> Result<ValueStream, CliError> {
    let gone = |error| {
        let what = format!("the process that holds the store went away: {error}");
        CliError::other(STORE, what)
    };
    let client = Client::connect(common.store.folder()?)
        .await
        .map_err(gone)?;
    client.ask(&request).await
}

/// Stops what goes on in the world, so that this is recorded.
async fn stop(common: &CommonArgs, world: &WorldName) {
    let wish = PersonDeed {
        world: world.clone(),
        by: person::login(),
        deed: Deed::Stop,
    };
    let stopped = async {
        ask(common, DeskRequest::Act(wish)).await?.all().await?;
        Ok::<(), CliError>(())
    };
    // Refused if nothing goes on: then there is nothing to stop.
    if let Err(error) = stopped.await {
        tracing::debug!(%error, "nothing was stopped");
    }
}

fn unanswered() -> CliError {
    CliError::other(STORE, "the process that holds the store gave no answer")
}
