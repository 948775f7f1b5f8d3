//! `folkmoot grants`.

use folkmoot::run::{OutdatedRule, Standing};

use crate::arguments::{CommonArgs, GrantsArgs};
use crate::exit::CliError;
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::view::query::Query;
use crate::{person, show};

/// Shows which calls are allowed to come without asking, with the commands that end that.
pub(crate) async fn grants(common: &CommonArgs, arguments: GrantsArgs) -> Result<(), CliError> {
    let world = arguments.world;
    let standing = StoreSource::look(common)
        .await?
        .ask(Query::Grants(world.clone()))
        .await?
        .all()
        .await?;
    let outdated = StoreSource::look(common)
        .await?
        .ask(Query::OutdatedRules(world.clone()))
        .await?
        .all()
        .await?;
    let mut terminal = Terminal::new();
    if common.json {
        return standing
            .iter()
            .chain(&outdated)
            .try_for_each(|one| terminal.json(one));
    }
    for rule in outdated {
        let rule: OutdatedRule = serde_json::from_value(rule).map_err(CliError::json)?;
        for line in show::grant::outdated(&rule) {
            terminal.line(&line)?;
        }
    }
    if standing.is_empty() {
        return terminal.line(&format!("No call is allowed in advance in {world}."));
    }
    let by = person::login();
    for grant in standing {
        let grant: Standing = serde_json::from_value(grant).map_err(CliError::json)?;
        for line in show::request::block(&grant.name, &show::grant::lines(&grant)) {
            terminal.line(&line)?;
        }
        terminal.line(&format!(
            "  {}",
            show::grant::command(common, &grant, by.as_ref())
        ))?;
    }
    Ok(())
}
