//! `folkmoot approvals`.

use crate::arguments::{Approvals, Common};
use crate::exit::CliError;
use crate::show::request::Form;
use crate::source::Source;
use crate::terminal::Terminal;
use crate::view::query::Query;
use crate::{person, show};
use folkmoot::run::Waiting;

/// Shows what waits for people, with the commands that answer it.
pub(crate) async fn approvals(common: &Common, arguments: Approvals) -> Result<(), CliError> {
    let world = arguments.world;
    let waiting = Source::open(common).await?.ask_all(Query::Approvals(world.clone())).await?;
    let mut terminal = Terminal::new();
    if common.json {
        return waiting.iter().try_for_each(|request| terminal.json(request));
    }
    if waiting.is_empty() {
        return terminal.line(&format!("Nothing waits for a person in {world}."));
    }
    let by = person::login();
    for request in waiting {
        let request: Waiting = serde_json::from_value(request).map_err(CliError::json)?;
        for line in show::request::block(&request.name, &show::request::asked(&request)) {
            terminal.line(&line)?;
        }
        for command in show::request::commands(common, &request, by.as_ref()) {
            terminal.line(&format!("  {command}"))?;
        }
        for line in show::request::reaches(&request, Form::Options) {
            terminal.line(&format!("    {line}"))?;
        }
    }
    Ok(())
}
