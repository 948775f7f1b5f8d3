//! `folkmoot run`.

use folkmoot::core::ids::{Position, WorldName};
use folkmoot::run::{Begin, waiting};
use folkmoot::script::Script;
use folkmoot::store::OpenMode;
use folkmoot::{Runtime, definition_of};

use crate::arguments::{CommonArgs, RunArgs, Spec, quoted};
use crate::exit::{CUT_OFF, CliError, INTERRUPTED, USAGE};
use crate::play::account::{Account, PlayEnd};
use crate::play::{PlayForm, PlayWish, Relay, play, recorded};
use crate::recording::Recording;
use crate::session::Session;
use crate::show::chat::Chat;
use crate::show::stage::{ChatStage, Prompter};
use crate::terminal::Terminal;
use crate::{credentials, interrupt, parts, person, show, signing, source};

mod held;

/// Runs a script, or goes on with it, and shows the chat.
pub(crate) async fn run(common: &CommonArgs, arguments: &RunArgs) -> Result<(), CliError> {
    let script = match Script::load(&arguments.script) {
        Ok(script) => script,
        Err(error) => return Err(or_a_world(common, arguments, error.into()).await),
    };
    // Faults of the script are told before a store is made for it.
    let definition = definition_of(&script, &script.spec)?;
    credentials::check_unless_held(&definition, &common.store).await?;
    // A store that is there says first what is wrong with it.
    let new_store = common.store.as_folder().filter(|store| !store.exists());
    parts::check(&definition, &script.base, new_store)?;
    let signer = signing::signer(common)?;
    let recording = Recording::begin(&arguments.recording, Some(&definition))?;
    let name = arguments
        .world
        .clone()
        .unwrap_or_else(|| script.world.clone());
    let session = Session::open_or_find(
        (&common.store, Some(&script.base)),
        OpenMode::Create,
        name,
        &recording,
        signer,
    )
    .await?;
    match session {
        Ok(session) => {
            let result = Box::pin(drive(common, arguments, &script, &session)).await;
            recording.end(session.end(result).await)
        }
        Err(in_use) => {
            recording.refuse_held(&in_use)?;
            Box::pin(held::run(common, arguments, &script)).await
        }
    }
}

/// The error of a script that cannot be read; one about a world whose name was typed in the place of
/// a file says how to go on with that.
async fn or_a_world(common: &CommonArgs, arguments: &RunArgs, error: CliError) -> CliError {
    let file = &arguments.script;
    let name = file.to_str().and_then(|name| WorldName::new(name).ok());
    match name.filter(|_| !file.exists()) {
        Some(name) if source::has_world(common, &name).await => CliError::other(
            USAGE,
            format!(
                "{name} is a world, not a script: `folkmoot chat {name}` talks in it, and \
                 `folkmoot resume {name}` goes on with it"
            ),
        ),
        Some(_) | None => error,
    }
}

async fn drive(
    common: &CommonArgs,
    arguments: &RunArgs,
    script: &Script,
    session: &Session,
) -> Result<(), CliError> {
    let runtime = session.desk.runtime();
    let wish = wish(common, arguments);
    let name = wish.name_in(runtime, script).await?;
    let options = wish.options(name.clone(), person::proof(None));
    let before = recorded(runtime, &name).await?;
    let chat = Chat::new(name.as_str(), &before, Some(script));
    let mut prompter = ChatStage::new(common, runtime, chat, &names(script), &before).begin();
    let mut relay = Relay::new(prompter.cues(), &wish, runtime, script, &name);
    let outcome = tokio::select! {
        outcome = Box::pin(play(runtime, script, &options, &mut relay)) => Ok(outcome),
        error = prompter.ended() => Err(error),
        () = interrupt::first() => {
            let on = on(common, arguments, script, &name);
            return interrupted(common, runtime, &name, &on, prompter).await;
        }
    };
    match outcome {
        Ok(outcome) => {
            finish(runtime, &name, prompter).await?;
            let account = Account::of(runtime, script, &name, outcome).await?;
            conclude(common, arguments, script, &account)
        }
        Err(CliError::Closed) => Err(CliError::Said(CUT_OFF)),
        Err(error) => Err(error),
    }
}

/// The script's play, as it was asked for.
fn wish(common: &CommonArgs, arguments: &RunArgs) -> PlayWish {
    PlayWish {
        script: arguments.script.clone(),
        world: arguments.world.clone(),
        begin: match (arguments.again, arguments.fresh) {
            (true, _) => Begin::Again,
            (false, true) => Begin::Fresh,
            (false, false) => Begin::GoOn,
        },
        waits: arguments.wait,
        keeps: arguments.room_of.spec == Some(Spec::Keep),
        revises: arguments.room_of.revise,
        clock: arguments.clock.map(|clock| clock.0),
        by: person::login(),
        shows: if common.json {
            PlayForm::Json
        } else {
            PlayForm::Lines(common.program())
        },
    }
}

/// Says how the play ended, and how to talk in a room whose script only describes it.
fn conclude(
    common: &CommonArgs,
    arguments: &RunArgs,
    script: &Script,
    account: &Account,
) -> Result<(), CliError> {
    let is_over = matches!(account.end, PlayEnd::Over(_));
    if is_over && script.steps.is_empty() && !common.json {
        let file = arguments.script.display();
        let room = room(arguments, script, &account.world);
        let program = common.program();
        let how = format!("{file} has no steps; talk in it: {program} chat {room}");
        Terminal::new().line(&how)?;
    }
    account.conclude(common)
}

/// The command that plays the steps of the script that were not done yet.
fn on(common: &CommonArgs, arguments: &RunArgs, script: &Script, name: &WorldName) -> String {
    format!("{} run {}", common.program(), room(arguments, script, name))
}

/// The script as the commands about rooms take it, and the world's name if it is not the script's.
fn room(arguments: &RunArgs, script: &Script, name: &WorldName) -> String {
    let file = quoted(&arguments.script);
    if *name == script.world {
        file
    } else {
        format!("{file} --world {name}")
    }
}

fn names(script: &Script) -> Vec<String> {
    let agents = script
        .spec
        .agents
        .iter()
        .map(|agent| agent.spec.name.to_string());
    agents
        .chain(script.steps.iter().map(|step| step.by.to_string()))
        .collect()
}

/// Shows everything that is recorded.
pub(crate) async fn finish(
    runtime: &Runtime,
    name: &WorldName,
    prompter: Prompter,
) -> Result<(), CliError> {
    let entry = runtime.log().find(name).await?;
    let result = prompter
        .finish(entry.map_or(Position::ZERO, |entry| entry.head))
        .await;
    result.map_err(|error| {
        if matches!(error, CliError::Closed) {
            CliError::Said(CUT_OFF)
        } else {
            error
        }
    })
}

/// Stops what goes on in a world, shows the rest, and says what people are asked about it. `on` is
/// the command that goes on with it.
pub(crate) async fn interrupted(
    common: &CommonArgs,
    runtime: &Runtime,
    name: &WorldName,
    on: &str,
    prompter: Prompter,
) -> Result<(), CliError> {
    stop(runtime, name).await;
    finish(runtime, name, prompter).await?;
    if let Some(world) = runtime.world(name).filter(|_| !common.json) {
        let asked = world.operator().read(waiting).await?;
        if !asked.is_empty() {
            show::request::pending(&mut Terminal::new(), common, name, &asked)?;
        }
    }
    show::complain(&format!(
        "interrupted: what was going on is stopped, and recorded; go on with: {on}"
    ));
    Err(CliError::Said(INTERRUPTED))
}

/// Stops what goes on in a world, so that this is recorded.
async fn stop(runtime: &Runtime, name: &WorldName) {
    let (Some(world), Some(proof)) = (runtime.world(name), person::proof(None)) else {
        return;
    };
    // Refused if nothing goes on: then there is nothing to stop.
    if let Err(error) = world.as_principal(proof).stop(None, None).await {
        tracing::debug!(%error, "nothing was stopped");
    }
    if let Err(error) = world.quiet().await {
        tracing::debug!(%error, "the world ended");
    }
}
