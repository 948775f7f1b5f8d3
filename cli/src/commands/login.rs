//! `folkmoot login`.

use crate::arguments::CommonArgs;
use crate::control::client::Client;
use crate::desk::DeskRequest;
use crate::desk::login::LoginLink;
use crate::exit::{CliError, STORE};
use crate::terminal::Terminal;

/// Asks the server that holds the store for a login link, and prints it.
pub(crate) async fn login(common: &CommonArgs) -> Result<(), CliError> {
    let client = Client::connect(common.store.folder()?)
        .await
        .map_err(|error| {
            let store = &common.store;
            let why = format!("no server holds {store}: start `folkmoot serve` ({error})");
            CliError::other(STORE, why)
        })?;
    let made: LoginLink = client.ask(&DeskRequest::Login).await?.first().await?;
    let mut terminal = Terminal::new();
    if common.json {
        return terminal.document(&made);
    }
    terminal.whole(&made.link)?;
    if !common.quiet {
        let minutes = made.minutes;
        crate::show::remark(&format!(
            "it works once and for {minutes} minutes; whoever opens it is you"
        ));
    }
    Ok(())
}
