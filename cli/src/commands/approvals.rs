//! `folkmoot approvals`.

use folkmoot::core::ids::WorldName;
use folkmoot::view::waiting::{DoubtView, WaitingView};
use serde_json::json;

use crate::arguments::{ApprovalsArgs, CommonArgs};
use crate::commands::remote;
use crate::exit::CliError;
use crate::remote::Remote;
use crate::show::request::DecisionForm;
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::view::query::Query;
use crate::{person, show};

/// Shows the requests that wait for people, with the commands that answer them, and the calls that
/// a crash left in doubt: of one world, or of all.
pub(crate) async fn approvals(
    common: &CommonArgs,
    arguments: ApprovalsArgs,
) -> Result<(), CliError> {
    if let Some(remote) = Remote::of(common)? {
        return remote::approvals(common, &remote, &arguments).await;
    }
    let source = StoreSource::look(common).await?;
    let mut terminal = Terminal::new();
    if let Some(world) = arguments.world {
        let is_quiet = of_world(common, &mut terminal, source, &world).await?;
        if is_quiet && !common.json {
            terminal.line(&format!("Nothing waits for a person in {world}."))?;
        }
        return Ok(());
    }
    let names = source
        .another(common)
        .await?
        .ask(Query::Names)
        .await?
        .all()
        .await?;
    let mut is_quiet = true;
    for name in names {
        let world: WorldName = serde_json::from_value(name).map_err(CliError::json)?;
        let source = source.another(common).await?;
        is_quiet &= of_world(common, &mut terminal, source, &world).await?;
    }
    if is_quiet && !common.json {
        terminal.line("Nothing waits for a person in this store.")?;
    }
    Ok(())
}

/// Shows those of a world; returns true if there are none.
async fn of_world(
    common: &CommonArgs,
    terminal: &mut Terminal,
    source: StoreSource,
    world: &WorldName,
) -> Result<bool, CliError> {
    let is_held = source.is_held();
    let other = source.another(common).await?;
    let waiting = source
        .ask(Query::Approvals(world.clone()))
        .await?
        .all()
        .await?;
    let doubts = other.ask(Query::Doubts(world.clone())).await?.all().await?;
    let doubts: Vec<DoubtView> = doubts
        .into_iter()
        .map(serde_json::from_value)
        .collect::<Result<_, _>>()
        .map_err(CliError::json)?;
    // A call may be running in the process that has the world open.
    let doubts: Vec<DoubtView> = doubts
        .into_iter()
        .filter(|doubt| !(is_held && doubt.is_running))
        .collect();
    if common.json {
        waiting
            .iter()
            .try_for_each(|request| terminal.json(request))?;
        doubts
            .iter()
            .try_for_each(|doubt| terminal.json(&in_doubt(world, doubt)))?;
    } else {
        for request in &waiting {
            let request: WaitingView =
                serde_json::from_value(request.clone()).map_err(CliError::json)?;
            show(common, terminal, &request)?;
        }
        doubts
            .iter()
            .try_for_each(|doubt| tell(common, terminal, world, doubt))?;
    }
    Ok(waiting.is_empty() && doubts.is_empty())
}

/// A call in doubt as `--json` gives it.
fn in_doubt(world: &WorldName, doubt: &DoubtView) -> serde_json::Value {
    let DoubtView {
        agent,
        tool,
        arguments,
        ..
    } = doubt;
    json!({ "world": world, "agent": agent, "tool": tool, "arguments": arguments, "asks": { "kind": "in_doubt" } })
}

fn show(common: &CommonArgs, terminal: &mut Terminal, view: &WaitingView) -> Result<(), CliError> {
    let request = &view.waiting;
    for line in show::request::block(&request.name, &show::request::asked(request)) {
        terminal.line(&line)?;
    }
    if view.is_expired {
        return terminal
            .line("  Its time is over. It can be decided no more; the next opening of the room records that.");
    }
    for command in show::request::commands(common, request, person::login().as_ref()) {
        terminal.whole(&format!("  {command}"))?;
    }
    for line in show::request::reaches(request, DecisionForm::Options) {
        terminal.whole(&format!("    {line}"))?;
    }
    Ok(())
}

fn tell(
    common: &CommonArgs,
    terminal: &mut Terminal,
    world: &WorldName,
    doubt: &DoubtView,
) -> Result<(), CliError> {
    let tool = doubt
        .tool
        .as_ref()
        .map_or_else(|| "a tool".to_owned(), ToString::to_string);
    let lines = [
        format!(
            "whether {tool} of {} took effect is not known: the process that ran it died",
            doubt.agent
        ),
        format!(
            "it was called with {}",
            doubt.arguments.as_deref().unwrap_or("[erased]")
        ),
    ];
    for line in show::request::block(&format!("{world}: a call in doubt"), &lines) {
        terminal.line(&line)?;
    }
    terminal.line("  The next opening of the room asks its tool, or people, what became of it:")?;
    terminal.whole(&format!("  {} resume {world}", common.program()))
}
