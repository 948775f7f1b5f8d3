//! `folkmoot usage`.

use folkmoot::view::usage::UsageView;

use crate::arguments::{CommonArgs, UsageArgs};
use crate::exit::CliError;
use crate::show::usage::lines;
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::view::query::Query;

/// Shows what the models of a world were asked, and what that cost.
pub(crate) async fn usage(common: &CommonArgs, arguments: UsageArgs) -> Result<(), CliError> {
    let all = StoreSource::look(common)
        .await?
        .ask(Query::Usage(arguments.world))
        .await?
        .all()
        .await?;
    let mut terminal = Terminal::new();
    if common.json {
        return all.iter().try_for_each(|one| terminal.json(one));
    }
    let read = |one| serde_json::from_value(one).map_err(CliError::json);
    let views = all
        .into_iter()
        .map(read)
        .collect::<Result<Vec<UsageView>, _>>()?;
    lines(&views)
        .iter()
        .try_for_each(|line| terminal.line(line))
}
