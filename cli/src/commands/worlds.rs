//! `folkmoot worlds`.

use folkmoot::store::Tombstone;
use folkmoot::view::world::WorldView;
use futures::StreamExt as _;
use serde_json::Value;

use crate::arguments::{CommonArgs, WorldsArgs};
use crate::commands::remote;
use crate::exit::CliError;
use crate::remote::Remote;
use crate::show::usage::cost;
use crate::show::{complain, one_line, table, time};
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::view::query::Query;

/// The digits of a root that are shown; `--json` has all of it.
const ROOT_DIGITS: usize = 16;

/// Lists the worlds in the store.
pub(crate) async fn worlds(common: &CommonArgs, arguments: &WorldsArgs) -> Result<(), CliError> {
    if let Some(remote) = Remote::of(common)? {
        return remote::worlds(common, &remote, arguments).await;
    }
    if arguments.deleted {
        return deleted(common).await;
    }
    let labels = arguments.label.iter().cloned().collect();
    let mut answers = StoreSource::look(common)
        .await?
        .ask(Query::Worlds { labels })
        .await?;
    let mut worlds = Vec::new();
    let mut failed = Ok(());
    while let Some(answer) = answers.next().await {
        match answer {
            Ok(world) => worlds.push(world),
            Err(error) => {
                if let Err(before) = std::mem::replace(&mut failed, Err(error)) {
                    complain(&before.to_string());
                }
            }
        }
    }
    // An empty list is no news beside worlds that do not read.
    if worlds.is_empty() && failed.is_err() {
        return failed;
    }
    list(common, arguments, worlds).and(failed)
}

fn list(common: &CommonArgs, arguments: &WorldsArgs, worlds: Vec<Value>) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    if common.json {
        return worlds.iter().try_for_each(|world| terminal.json(world));
    }
    if worlds.is_empty() {
        let what = if arguments.label.is_empty() {
            "in this store"
        } else {
            "with these labels"
        };
        return terminal.line(&format!("There is no world {what}."));
    }
    let rows = worlds.into_iter().map(row).collect::<Result<Vec<_>, _>>()?;
    terminal.line(&table::of(
        &[
            "WORLD",
            "EVENTS",
            "AGENTS",
            "PENDING",
            "COST",
            "STATE",
            "LAST ACTIVITY",
            "LABELS",
        ],
        rows,
    ))
}

/// Lists the worlds that were deleted.
async fn deleted(common: &CommonArgs) -> Result<(), CliError> {
    let tombstones = StoreSource::look(common)
        .await?
        .ask(Query::Deleted)
        .await?
        .all()
        .await?;
    let mut terminal = Terminal::new();
    if common.json {
        return tombstones
            .iter()
            .try_for_each(|tombstone| terminal.json(tombstone));
    }
    if tombstones.is_empty() {
        return terminal.line("No world was deleted from this store.");
    }
    let row = |value| -> Result<Vec<String>, CliError> {
        let Tombstone {
            world,
            name,
            head,
            root,
            at,
            by,
            is_clean,
            ..
        } = serde_json::from_value(value).map_err(CliError::json)?;
        let state = if is_clean {
            "deleted"
        } else {
            "not cleaned yet"
        };
        let root: String = root.to_string().chars().take(ROOT_DIGITS).collect();
        let who = one_line(&by.to_string());
        Ok(vec![
            name.to_string(),
            world.to_string(),
            head.to_string(),
            root,
            time(at),
            who,
            state.to_owned(),
        ])
    };
    let rows = tombstones
        .into_iter()
        .map(row)
        .collect::<Result<Vec<_>, _>>()?;
    terminal.line(&table::of(
        &["WORLD", "ID", "EVENTS", "ROOT", "DELETED", "BY", "STATE"],
        rows,
    ))
}

fn row(world: Value) -> Result<Vec<String>, CliError> {
    let world: WorldView = serde_json::from_value(world).map_err(CliError::json)?;
    let numbers = [
        world.events.to_string(),
        world.agents.to_string(),
        world.pending.to_string(),
    ];
    let state = format!("{:?}", world.activity).to_lowercase();
    let labels: Vec<String> = world
        .labels
        .iter()
        .map(|(key, value)| one_line(&format!("{key}={value}")))
        .collect();
    let last = [
        cost(&world.usage),
        state,
        time(world.last),
        labels.join(" "),
    ];
    Ok([world.name.to_string()]
        .into_iter()
        .chain(numbers)
        .chain(last)
        .collect())
}
