//! `folkmoot run`.

use folkmoot::core::ids::{Position, WorldName};
use folkmoot::core::world::{Activity, World};
use folkmoot::run::{
    Begin, FailedTurn, Outcome, Report, RunError, RunOptions, Watch, failed_turns, fresh_name,
    run_script, waiting,
};
use folkmoot::script::{Script, Step, Verb};
use folkmoot::store::OpenMode;
use folkmoot::{FoldError, Perform, Runtime, WorldHandle, definition_of, fold_world};

use tokio::runtime::Handle;

use crate::arguments::{CommonArgs, RunArgs, Spec, quoted};
use crate::commands::resume::settled;
use crate::exit::{CUT_OFF, CliError, FAILED, INTERRUPTED, PENDING, USAGE};
use crate::recording::Recording;
use crate::session::Session;
use crate::show::chat::{Chat, ChatLine};
use crate::show::stage::{ChatStage, Cues, Hints, Prompter, StageNews, opened};
use crate::terminal::Terminal;
use crate::text::counted;
use crate::{credentials, interrupt, parts, person, show, signing, source};

mod branches;

use branches::Branches;

/// Runs a script, or goes on with it, and shows the chat.
pub(crate) async fn run(common: &CommonArgs, arguments: &RunArgs) -> Result<(), CliError> {
    let script = match Script::load(&arguments.script) {
        Ok(script) => script,
        Err(error) => return Err(or_a_world(common, arguments, error.into()).await),
    };
    // Faults of the script are told before a store is made for it.
    let definition = definition_of(&script, &script.spec)?;
    credentials::check(&definition)?;
    // A store that is there says first what is wrong with it.
    let new_store = Some(common.store.as_path()).filter(|store| !store.exists());
    parts::check(&definition, &script.base, new_store)?;
    let signer = signing::signer(common)?;
    let recording = Recording::begin(&arguments.recording, Some(&definition))?;
    let name = arguments
        .world
        .clone()
        .unwrap_or_else(|| script.world.clone());
    let session = Session::open(&common.store, OpenMode::Create, name, &recording, signer).await?;
    let result = Box::pin(drive(common, arguments, &script, &session)).await;
    recording.end(session.end(result).await)
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
    let world = match &arguments.world {
        None if arguments.fresh => Some(fresh_name(runtime, script).await?),
        world => world.clone(),
    };
    let options = RunOptions {
        world,
        begin: match (arguments.again, arguments.fresh) {
            (true, _) => Begin::Again,
            (false, true) => Begin::Fresh,
            (false, false) => Begin::GoOn,
        },
        wait: arguments.wait,
        keep_spec: arguments.room_of.spec == Some(Spec::Keep),
        revise: arguments.room_of.revise,
        by: person::proof(None),
        clock: arguments.clock.map(|clock| clock.0),
        perform: Perform::AsItComes,
        base: None,
    };
    let name = options
        .world
        .clone()
        .unwrap_or_else(|| script.world.clone());
    let before = recorded(runtime, &name).await?;
    let chat = Chat::new(name.as_str(), &before, Some(script));
    let mut prompter = ChatStage::new(common, runtime, chat, &names(script), &before).begin();
    let mut relay = Relay {
        cues: prompter.cues(),
        waits: options.wait,
        branches: (!common.json).then(|| Branches::new(runtime, script, &name)),
    };
    let outcome = tokio::select! {
        outcome = Box::pin(perform(runtime, script, &options, &mut relay)) => Ok(outcome),
        error = prompter.ended() => Err(error),
        () = interrupt::first() => {
            let on = on(common, arguments, script, &name);
            return interrupted(common, runtime, &name, &on, prompter).await;
        }
    };
    match outcome {
        Ok(outcome) => {
            finish(runtime, &name, prompter).await?;
            if let Ok(report) = &outcome
                && script.steps.is_empty()
                && !common.json
            {
                nothing_to_play(common, arguments, script, report)?;
            }
            conclude(common, runtime, script, &name, outcome).await
        }
        Err(CliError::Closed) => Err(CliError::Said(CUT_OFF)),
        Err(error) => Err(error),
    }
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

/// Says how to talk in a room whose script only describes it.
fn nothing_to_play(
    common: &CommonArgs,
    arguments: &RunArgs,
    script: &Script,
    report: &Report,
) -> Result<(), CliError> {
    let file = arguments.script.display();
    let room = room(arguments, script, &report.world);
    Terminal::new().line(&format!(
        "{file} has no steps; talk in it: {} chat {room}",
        common.program()
    ))
}

/// Runs the script; told to wait, it stays until nothing waits any more.
async fn perform(
    runtime: &Runtime,
    script: &Script,
    options: &RunOptions,
    relay: &mut Relay<'_>,
) -> Result<Report, RunError> {
    let mut report = Box::pin(run_script(runtime, script, options, relay)).await?;
    if options.wait
        && report.activity == Activity::Parked
        && let Some(world) = runtime.world(&report.world)
    {
        relay.cues.tell(StageNews::Hints(Hints::Commands)).await;
        report.activity = settled(&world, true).await?;
        report.waiting = world.operator().read(waiting).await?;
    }
    Ok(report)
}

/// The world as it is recorded; one that is not begins empty.
async fn recorded(runtime: &Runtime, name: &WorldName) -> Result<World, CliError> {
    match fold_world(&**runtime.log(), name, None).await {
        Ok(world) => Ok(world),
        Err(FoldError::NoSuchWorld(_)) => Ok(World::default()),
        Err(error) => Err(error.into()),
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

async fn conclude(
    common: &CommonArgs,
    runtime: &Runtime,
    script: &Script,
    name: &WorldName,
    outcome: Result<Report, RunError>,
) -> Result<(), CliError> {
    match outcome {
        Ok(report) => {
            let failed = failed_turns(runtime, script, name).await?;
            if common.json {
                Terminal::new().json(&report_json(&report, &failed))?;
            } else {
                farewell(common, runtime, name, &report).await?;
            }
            let waits = report.activity == Activity::Parked || !report.waiting.is_empty();
            end(&failed, waits)
        }
        Err(RunError::Parked(waiting)) => {
            let failed = failed_turns(runtime, script, name).await?;
            let mut terminal = Terminal::new();
            if common.json {
                terminal.json(
                    &serde_json::json!({ "world": name, "waiting": waiting, "failed": failed }),
                )?;
            } else {
                show::request::pending(&mut terminal, common, name, &waiting)?;
            }
            end(&failed, true)
        }
        Err(error) => Err(error.into()),
    }
}

/// The end of a run that did all its steps, or came as far as it could: a turn that failed, and
/// that nobody expected, counts for more than what waits for people.
fn end(failed: &[FailedTurn], waits: bool) -> Result<(), CliError> {
    for FailedTurn { agent, at, branch } in failed {
        let of = branch
            .as_ref()
            .map(|branch| format!(" of {branch}"))
            .unwrap_or_default();
        show::complain(&format!(
            "a turn of {agent} failed for good at event {at}{of}, and no step expects that"
        ));
    }
    match (failed.is_empty(), waits) {
        (false, _) => Err(CliError::Said(FAILED)),
        (true, true) => Err(CliError::Said(PENDING)),
        (true, false) => Ok(()),
    }
}

fn report_json(report: &Report, failed: &[FailedTurn]) -> serde_json::Value {
    serde_json::json!({
        "world": report.world,
        "run": report.run,
        "done": report.done,
        "done_before": report.done_before,
        "activity": report.activity,
        "waiting": report.waiting,
        "failed": failed,
    })
}

/// Says what was kept where, and what can be done with it.
async fn farewell(
    common: &CommonArgs,
    runtime: &Runtime,
    name: &WorldName,
    report: &Report,
) -> Result<(), CliError> {
    let events = runtime
        .log()
        .find(name)
        .await?
        .map_or(0, |entry| entry.head.get());
    let mut terminal = Terminal::new();
    let steps = report.done.saturating_add(report.done_before);
    let played = match (steps, report.done) {
        (0, _) => String::new(),
        (_, 0) => format!("{}, checked again, all as before. ", counted(steps, "step")),
        (_, _) => format!("{}, all as the script says. ", counted(steps, "step")),
    };
    let program = common.program();
    terminal.line("")?;
    terminal.line(&format!(
        "Run {} of {name}: {played}{} are kept in {}.",
        report.run,
        counted(events, "event"),
        common.store.display()
    ))?;
    terminal.line(&format!("See the events:    {program} log {name}"))?;
    terminal.line(&format!("See how it stands: {program} replay {name}"))?;
    if !report.waiting.is_empty() {
        show::request::pending(&mut terminal, common, name, &report.waiting)?;
    }
    Ok(())
}

/// Passes on to the stage what the run does.
struct Relay<'s> {
    /// The way to the stage.
    cues: Cues,
    /// True if the run stays while requests wait for people.
    waits: bool,
    /// The worlds that the script branches off; `None` if none is shown.
    branches: Option<Branches<'s>>,
}

impl Relay<'_> {
    /// Shows the events of the branch that a step was about, before the run goes on.
    fn tell_of_branch(&mut self, step: &Step, outcome: &Outcome) {
        let Some(branches) = &mut self.branches else {
            return;
        };
        let cues = &self.cues;
        let told = tokio::task::block_in_place(|| {
            Handle::current().block_on(branches.tell(step, outcome, cues))
        });
        if let Err(error) = told {
            tracing::warn!(%error, "a branch is not shown");
        }
    }
}

impl Watch for Relay<'_> {
    fn opened(&mut self, world: &WorldHandle) {
        if let Some(branches) = &mut self.branches
            && branches.home == *world.name()
        {
            branches.world = Some(world.clone());
        }
        if let Some(news) = opened(world) {
            self.cues.tell_blocking(news);
        }
    }

    fn begins(&mut self, _index: usize, step: &Step) {
        // Other steps decide by themselves, or end the run.
        let is_last = self.waits && matches!(step.verb, Verb::Idle);
        self.cues.tell_blocking(StageNews::Hints(if is_last {
            Hints::Commands
        } else {
            Hints::None
        }));
    }

    fn ended(&mut self, index: usize, step: &Step, outcome: &Outcome) {
        let what = format!("step {} ({})", index + 1, step.verb.word());
        match outcome {
            Outcome::Done => {}
            Outcome::DoneBefore => {
                self.cues
                    .tell_blocking(StageNews::Show(ChatLine::Quiet(format!(
                        "{what} was done before"
                    ))))
            }
            Outcome::HeldBefore => {
                self.cues
                    .tell_blocking(StageNews::Show(ChatLine::Good(format!(
                        "{what} still holds"
                    ))))
            }
        }
        self.tell_of_branch(step, outcome);
    }
}
