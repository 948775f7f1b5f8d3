//! `folkmoot resume`.

use folkmoot::core::event::ForkEffects;
use folkmoot::core::ids::WorldName;
use folkmoot::core::spec::Definition;
use folkmoot::core::world::{Activity, World};
use folkmoot::store::OpenMode;
use folkmoot::{Opening, WorldHandle, fold_world};

use crate::arguments::{CommonArgs, ResumeArgs};
use crate::commands::run::{finish, interrupted};
use crate::exit::{CUT_OFF, CliError, PENDING};
use crate::play::settled;
use crate::recording::Recording;
use crate::session::Session;
use crate::show::chat::Chat;
use crate::show::stage::{ChatStage, Hints, Prompter, StageNews};
use crate::terminal::Terminal;
use crate::text::counted;
use crate::{credentials, interrupt, show, signing};
use folkmoot::run::waiting;

/// Opens a recorded world and goes on with it, until it is idle or waits for people.
pub(crate) async fn resume(common: &CommonArgs, arguments: &ResumeArgs) -> Result<(), CliError> {
    let name = arguments.world.clone();
    let recording = Recording::default();
    let signer = signing::signer(common)?;
    let session = Session::open(
        (&common.store, None),
        OpenMode::Existing,
        name,
        &recording,
        signer,
    )
    .await?;
    let result = Box::pin(drive(common, arguments, &session)).await;
    session.end(result).await
}

async fn drive(
    common: &CommonArgs,
    arguments: &ResumeArgs,
    session: &Session,
) -> Result<(), CliError> {
    let runtime = session.desk.runtime();
    let name = &arguments.world;
    let before = fold_world(&**runtime.log(), name, None).await?;
    if before.effects() == ForkEffects::Live {
        credentials::check(&definition(&before))?;
    }
    let names: Vec<String> = before
        .rules()
        .spec()
        .agents
        .iter()
        .map(|agent| agent.name.to_string())
        .collect();
    let chat = Chat::new(name.as_str(), &before, None);
    let base = arguments.base.as_ref().map(std::path::absolute).transpose();
    let base =
        base.map_err(|error| CliError::other(crate::exit::STORE, format!("--base: {error}")))?;
    let world = runtime
        .open(Opening {
            base,
            ..Opening::recorded(name.clone())
        })
        .await?;
    let mut prompter = ChatStage::new(common, runtime, chat, &names, &before).begin();
    prompter.opened(&world).await;
    let hints = if arguments.wait {
        Hints::Commands
    } else {
        Hints::None
    };
    prompter.tell(StageNews::Hints(hints)).await;
    let activity = tokio::select! {
        activity = settled(&world, arguments.wait) => activity?,
        error = prompter.ended() => {
            return Err(if matches!(error, CliError::Closed) { CliError::Said(CUT_OFF) } else { error });
        }
        () = interrupt::first() => {
            let on = format!("{} resume {name}", common.program());
            return interrupted(common, runtime, name, &on, prompter).await;
        }
    };
    conclude(common, session, &world, activity, prompter).await
}

/// The definition that is recorded.
pub(crate) fn definition(world: &World) -> Definition {
    world.definition()
}

async fn conclude(
    common: &CommonArgs,
    session: &Session,
    world: &WorldHandle,
    activity: Activity,
    prompter: Prompter,
) -> Result<(), CliError> {
    let name: &WorldName = world.name();
    let waiting = world.operator().read(waiting).await?;
    finish(session.desk.runtime(), name, prompter).await?;
    let mut terminal = Terminal::new();
    if common.json {
        terminal.json(
            &serde_json::json!({ "world": name, "activity": activity, "waiting": waiting }),
        )?;
    } else if waiting.is_empty() {
        let events = world.operator().read(|world| world.head()).await?;
        terminal.line(&format!(
            "{name} is idle. Its log in {} has {}.",
            common.store,
            counted(events.get(), "event")
        ))?;
    } else {
        show::request::pending(&mut terminal, common, name, &waiting)?;
    }
    // A world may be idle and people asked all the same: about a call whose outcome is unknown.
    let is_asked = activity == Activity::Parked || !waiting.is_empty();
    if is_asked {
        Err(CliError::Said(PENDING))
    } else {
        Ok(())
    }
}
