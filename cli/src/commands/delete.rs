//! `folkmoot delete`.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _};
use std::time::Duration;

use folkmoot::FoldError;
use folkmoot::core::ids::{Time, WorldName};
use folkmoot::store::Tombstone;
use folkmoot::view::life::{IdleQuery, IdleView};

use crate::arguments::{CommonArgs, DeleteArgs};
use crate::desk::DeskRequest;
use crate::desk::life::Deletion;
use crate::exit::{CliError, USAGE};
use crate::show::{remark, time};
use crate::source::StoreSource;
use crate::terminal::{Terminal, ask};
use crate::text::counted;
use crate::view::query::Query;

/// Deletes worlds for good: those that are named, or those that nobody used for so long.
pub(crate) async fn delete(common: &CommonArgs, arguments: DeleteArgs) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    let (worlds, idle_since) = match arguments.idle_for {
        None => (arguments.worlds.clone(), None),
        Some(idle_for) => match idle(common, &arguments, idle_for, &mut terminal).await? {
            Some((worlds, since)) => (worlds, Some(since)),
            None => return Ok(()),
        },
    };
    let missing = match missing(common, &worlds).await {
        Err(error) if !arguments.yes => return Err(error),
        // The deletion itself says what keeps the store from being read.
        Err(_told_below) => None,
        Ok(missing) => missing,
    };
    if let Some(missing) = missing {
        // It may have been deleted by a command that broke off: opening the store finishes that.
        let _finished = StoreSource::open_to_erase(common, &[], None).await?;
        return Err(FoldError::NoSuchWorld(missing).into());
    }
    if !arguments.yes {
        confirm(&worlds)?;
    }
    let deletion = Deletion {
        worlds,
        idle_since,
        by: arguments.by,
    };
    let source = StoreSource::open_to_erase(common, &deletion.worlds, None).await?;
    let deleted = source
        .ask(DeskRequest::Delete(deletion))
        .await?
        .all()
        .await?;
    for value in deleted {
        if common.json {
            terminal.json(&value)?;
            continue;
        }
        let Tombstone { name, head, .. } = serde_json::from_value(value).map_err(CliError::json)?;
        terminal.line(&format!(
            "{name} is deleted, with its {}",
            counted(head.get(), "event")
        ))?;
    }
    Ok(())
}

/// The first of `worlds` that is not there; `None` if all are, or if a damaged store does not tell all names.
async fn missing(common: &CommonArgs, worlds: &[WorldName]) -> Result<Option<WorldName>, CliError> {
    let source = StoreSource::look(common).await?;
    if source.survey().is_some() {
        return Ok(None);
    }
    let known = source.ask(Query::Names).await?.all().await?;
    let known: BTreeSet<WorldName> = known
        .into_iter()
        .map(|name| serde_json::from_value(name).map_err(CliError::json))
        .collect::<Result<_, _>>()?;
    Ok(worlds.iter().find(|world| !known.contains(*world)).cloned())
}

/// Lists the idle worlds; gives their names, and since when nobody used them. `None`: there is
/// nothing to do.
async fn idle(
    common: &CommonArgs,
    arguments: &DeleteArgs,
    idle_for: Duration,
    terminal: &mut Terminal,
) -> Result<Option<(Vec<WorldName>, Time)>, CliError> {
    let labels = arguments.label.iter().cloned().collect();
    let values = StoreSource::look(common)
        .await?
        .ask(Query::Idle(IdleQuery { idle_for, labels }))
        .await?
        .all()
        .await?;
    let views = values
        .into_iter()
        .map(|value| serde_json::from_value(value).map_err(CliError::json));
    let views: Vec<IdleView> = views.collect::<Result<_, _>>()?;
    let (simulated, idle): (Vec<&IdleView>, Vec<&IdleView>) =
        views.iter().partition(|view| view.is_simulated);
    if common.json && arguments.dry_run {
        views.iter().try_for_each(|view| terminal.json(view))?;
    } else if !common.json {
        for view in &idle {
            let IdleView {
                name, events, last, ..
            } = view;
            terminal.line(&format!(
                "{name}: {}, the last at {}",
                counted(events.get(), "event"),
                time(*last)
            ))?;
        }
    }
    for view in &simulated {
        remark(&format!(
            "{} is left out: it has a clock of its own",
            view.name
        ));
    }
    let Some(first) = idle.first() else {
        if !common.json {
            terminal.line("No world was idle for so long.")?;
        }
        return Ok(None);
    };
    let since = first.idle_since;
    Ok((!arguments.dry_run).then(|| (idle.iter().map(|view| view.name.clone()).collect(), since)))
}

/// Asks whoever sits at the terminal. Nobody else is deleted for.
fn confirm(worlds: &[WorldName]) -> Result<(), CliError> {
    let names: Vec<&str> = worlds.iter().map(WorldName::as_str).collect();
    let what = format!(
        "delete {} for good, with all events and attachments",
        names.join(", ")
    );
    if !io::stdin().is_terminal() {
        return Err(CliError::other(
            USAGE,
            format!("this would {what}; say --yes"),
        ));
    }
    let line = ask(&format!("This will {what}. Type yes to go on:"))?;
    if line == "yes" {
        Ok(())
    } else {
        Err(CliError::other(USAGE, "nothing was deleted"))
    }
}
