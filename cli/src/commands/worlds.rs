//! `folkmoot worlds`.

use serde_json::Value;

use crate::arguments::Common;
use crate::exit::CliError;
use crate::show::{table, time};
use crate::source::Source;
use crate::terminal::Terminal;
use crate::view::query::Query;
use crate::view::world::WorldView;

/// Lists the worlds in the store.
pub(crate) async fn worlds(common: &Common) -> Result<(), CliError> {
    let worlds = Source::open(common).await?.ask_all(Query::Worlds).await?;
    let mut terminal = Terminal::new();
    if common.json {
        return worlds.iter().try_for_each(|world| terminal.json(world));
    }
    if worlds.is_empty() {
        return terminal.line("There is no world in this store.");
    }
    let rows = worlds.into_iter().map(row).collect::<Result<Vec<_>, _>>()?;
    terminal.line(&table::of(&["WORLD", "EVENTS", "AGENTS", "PENDING", "STATE", "LAST ACTIVITY"], rows))
}

fn row(world: Value) -> Result<Vec<String>, CliError> {
    let world: WorldView = serde_json::from_value(world).map_err(CliError::json)?;
    let numbers = [world.events.to_string(), world.agents.to_string(), world.pending.to_string()];
    let state = format!("{:?}", world.activity).to_lowercase();
    Ok([world.name.to_string()].into_iter().chain(numbers).chain([state, time(world.last)]).collect())
}
