//! `folkmoot why`.

use folkmoot::view::why::{WhyQuery, WhyView};

use crate::arguments::{CommonArgs, WhyArgs};
use crate::commands::place;
use crate::exit::CliError;
use crate::show::why::lines;
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::view::query::Query;

/// Shows why an event is there.
pub(crate) async fn why(common: &CommonArgs, arguments: WhyArgs) -> Result<(), CliError> {
    let at = place::needed(&arguments.world, arguments.at.as_deref(), "event")?;
    let query = WhyQuery {
        world: arguments.world.world,
        at,
    };
    let source = StoreSource::look(common).await?;
    let mut view: WhyView = source.ask(Query::Why(query)).await?.first().await?;
    let mut terminal = Terminal::new();
    if common.json {
        view.nodes
            .iter_mut()
            .for_each(|node| (node.actor.clear(), node.gist.clear()).0);
        return terminal.document(&view);
    }
    lines(&view).iter().try_for_each(|line| terminal.line(line))
}
