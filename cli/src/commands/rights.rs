//! `folkmoot rights`.

use folkmoot::view::rights::RightsView;
use serde_json::Value;

use crate::arguments::{CommonArgs, RightsArgs};
use crate::exit::CliError;
use crate::show::{one_line, table};
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::view::query::Query;

/// Shows who may do what in a world.
pub(crate) async fn rights(common: &CommonArgs, arguments: RightsArgs) -> Result<(), CliError> {
    let all = StoreSource::look(common)
        .await?
        .ask(Query::Rights(arguments.world))
        .await?
        .all()
        .await?;
    let mut terminal = Terminal::new();
    if common.json {
        return all.iter().try_for_each(|one| terminal.json(one));
    }
    let rows = all.into_iter().map(row).collect::<Result<Vec<_>, _>>()?;
    terminal.line(&table::of(&["PERSON", "RIGHTS"], rows))
}

fn row(one: Value) -> Result<Vec<String>, CliError> {
    let RightsView { person, rights } = serde_json::from_value(one).map_err(CliError::json)?;
    let words: Vec<String> = rights
        .0
        .iter()
        .map(|right| format!("{right:?}").to_lowercase())
        .collect();
    let words = if words.is_empty() {
        "none".to_owned()
    } else {
        words.join(", ")
    };
    Ok(vec![
        person.map_or_else(|| "everyone else".to_owned(), |person| one_line(&person)),
        words,
    ])
}
