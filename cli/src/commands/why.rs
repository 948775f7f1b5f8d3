//! `folkmoot why`.

use crate::arguments::{Common, Why};
use crate::commands::place;
use crate::exit::{CliError, STORE};
use crate::show::why::lines;
use crate::source::Source;
use crate::terminal::Terminal;
use crate::view::query::Query;
use crate::view::why::{WhyQuery, WhyView};

/// Shows why an event is there.
pub(crate) async fn why(common: &Common, arguments: Why) -> Result<(), CliError> {
    let at = place::of(&arguments.world, &arguments.at, "event")?;
    let query = WhyQuery {
        world: arguments.world,
        at,
    };
    let answer = Source::look(common)
        .await?
        .ask_all(Query::Why(query))
        .await?;
    let value = answer
        .into_iter()
        .next()
        .ok_or_else(|| CliError::other(STORE, "the holder gave no answer"))?;
    let mut view: WhyView = serde_json::from_value(value).map_err(CliError::json)?;
    let mut terminal = Terminal::new();
    if common.json {
        view.nodes
            .iter_mut()
            .for_each(|node| (node.actor.clear(), node.gist.clear()).0);
        return terminal.document(&view);
    }
    lines(&view).iter().try_for_each(|line| terminal.line(line))
}
