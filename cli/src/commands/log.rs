//! `folkmoot log`.

use folkmoot::core::ids::Position;
use folkmoot::view::event::EventView;
use folkmoot::view::event::LogQuery;
use folkmoot::view::withholding::{WithheldQuery, WithheldView};
use futures::TryStreamExt as _;

use crate::arguments::{CommonArgs, LogArgs};
use crate::exit::CliError;
use crate::show::{self, remark};
use crate::source::StoreSource;
use crate::terminal::{self, Terminal};
use crate::view::query::Query;

mod row;

use row::Rows;

/// Shows the events of a world, one a line.
pub(crate) async fn log(common: &CommonArgs, arguments: LogArgs) -> Result<(), CliError> {
    if arguments.withheld {
        return withheld(common, arguments).await;
    }
    let LogArgs {
        world,
        from,
        follow,
        kind,
        agent,
        ..
    } = arguments;
    let source = StoreSource::look(common).await?;
    if follow && !source.is_held() {
        // Following what only this process could write would keep the store from everybody else.
        remark("no process holds the store, so nothing more will come; this is the log as it is");
    }
    let query = LogQuery {
        world,
        from: Position::new(from),
        follow: follow && source.is_held(),
        kind,
        agent,
        call: None,
    };
    let mut events = source.ask(Query::Log(query)).await?;
    let mut terminal = Terminal::new();
    let mut rows = Rows::new(terminal::width());
    while let Some(event) = events.try_next().await? {
        let mut event: EventView = serde_json::from_value(event).map_err(CliError::json)?;
        if common.json {
            event.gist.clear();
            terminal.json(&event)?;
        } else {
            for line in rows.of(&event) {
                terminal.whole(&line)?;
            }
        }
    }
    Ok(())
}

/// Shows what was kept from people, with its exact text.
async fn withheld(common: &CommonArgs, arguments: LogArgs) -> Result<(), CliError> {
    let LogArgs {
        world, from, agent, ..
    } = arguments;
    let query = WithheldQuery {
        world,
        from: Position::new(from),
        agent,
    };
    let mut answers = StoreSource::look(common)
        .await?
        .ask(Query::Withheld(query))
        .await?;
    let mut terminal = Terminal::new();
    while let Some(answer) = answers.try_next().await? {
        if common.json {
            terminal.json(&answer)?;
            continue;
        }
        let answer: WithheldView = serde_json::from_value(answer).map_err(CliError::json)?;
        for line in show::withholding::block(&answer) {
            terminal.line(&line)?;
        }
    }
    Ok(())
}
