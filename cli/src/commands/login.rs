//! `folkmoot login`.

use std::collections::BTreeSet;

use crate::arguments::{CommonArgs, StorePlace};
use crate::control::client::Client;
use crate::desk::DeskRequest;
use crate::desk::login::LoginLink;
use crate::exit::{CliError, STORE};
use crate::person;
use crate::source::database::{Database, DatabaseUrl};
use crate::terminal::Terminal;
use folkmoot::core::port::causes::with_causes;
use folkmoot::core::port::{Members, Offer};
use folkmoot::store::OpenMode;
use folkmoot_server::login_code;

/// Makes a login link, and prints it: the server that holds the store makes it, or this process for all nodes of a database.
pub(crate) async fn login(common: &CommonArgs) -> Result<(), CliError> {
    let links = match &common.store {
        StorePlace::Folder(_) => vec![of_holder(common).await?],
        StorePlace::Database(url) => of_nodes(url).await?,
    };
    let mut terminal = Terminal::new();
    if common.json {
        return links.iter().try_for_each(|link| terminal.document(link));
    }
    for link in &links {
        terminal.whole(&link.link)?;
    }
    if let Some(LoginLink { minutes, .. }) = links.first().filter(|_| !common.quiet) {
        let which = if links.len() == 1 {
            "it works"
        } else {
            "one of them works, whichever you reach,"
        };
        crate::show::remark(&format!(
            "{which} once and for {minutes} minutes; whoever opens it is you"
        ));
    }
    Ok(())
}

/// Asks the server that holds the store for a link.
async fn of_holder(common: &CommonArgs) -> Result<LoginLink, CliError> {
    let client = Client::connect(common.store.folder()?)
        .await
        .map_err(|error| {
            let store = &common.store;
            let why = format!("no server holds {store}: start `folkmoot serve` ({error})");
            CliError::other(STORE, why)
        })?;
    client.ask(&DeskRequest::Login).await?.first().await
}

/// Makes a code that all nodes of a database take; gives a link to each address at which browsers find them.
async fn of_nodes(url: &DatabaseUrl) -> Result<Vec<LoginLink>, CliError> {
    // The tool of an agent could make itself a person.
    person::refuse_tools()?;
    let user = person::local_user()?;
    let database = Database::reach(url, OpenMode::Existing).await?;
    let (records, members) = (database.records(), database.members());
    let addresses = addresses(&*members, url).await?;
    let code = login_code(&*records, &user).await;
    let code = code.map_err(|error| CliError::other(STORE, with_causes(&error)))?;
    let link = |address: &String| LoginLink::of(address, &code);
    Ok(addresses.iter().map(link).collect())
}

/// The addresses at which browsers find the living nodes, each once: those that are public, else those at which nodes reach
/// one another.
async fn addresses(members: &dyn Members, url: &DatabaseUrl) -> Result<BTreeSet<String>, CliError> {
    let nodes = members.nodes().await;
    let nodes = nodes.map_err(|error| CliError::other(STORE, with_causes(&error)))?;
    let cards = nodes.iter().filter(|node| node.goes_on());
    let cards = cards.map(|state| &state.card);
    let public = cards.clone().flat_map(|card| &card.offers);
    let public = public.filter_map(|offer| match Offer::read(offer)? {
        Offer::Public(url) => Some(url.to_owned()),
        Offer::Base(_) | Offer::Templates(_) => None,
    });
    let public: BTreeSet<_> = public.collect();
    let addresses = if public.is_empty() {
        cards.filter_map(|card| card.advertise.clone()).collect()
    } else {
        public
    };
    if !addresses.is_empty() {
        return Ok(addresses);
    }
    let why = if !nodes.is_empty() && nodes.iter().all(|state| state.is_late) {
        format!("no node of {url} has renewed just now; try again in some seconds")
    } else if nodes
        .iter()
        .any(|state| state.goes_on() && state.card.room > 0)
    {
        format!(
            "no node of {url} says at which address browsers find it: start `folkmoot serve` with `--advertise URL` or \
             `--public-url URL`"
        )
    } else {
        format!("no node of {url} serves: start `folkmoot serve --advertise URL` with that store")
    };
    Err(CliError::other(STORE, why))
}
