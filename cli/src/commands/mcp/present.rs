//! `folkmoot mcp`.

use std::sync::Arc;

use folkmoot::core::ids::principal::Person;
use folkmoot::core::port::causes::with_causes;
use folkmoot::file::absolute_folder;
use folkmoot::store::{OpenError, OpenMode};
use folkmoot::{PersonName, Proof};
use folkmoot_server::{
    Caller, Drain, Hosts, LocalHost, Rooms, Server, ServerLimits, Several, Templates,
};

use super::super::serve::{reserving, templates};
use super::offers;
use crate::arguments::{CommonArgs, McpArgs, McpCommand, StorePlace};
use crate::exit::{CliError, STORE, USAGE};
use crate::interrupt::Ended;
use crate::session::{Premises, Session};
use crate::show::request::quoted;
use crate::source::database::{Database, NodeWish};
use crate::source::members::offer_of;
use crate::{person, signing};

/// Serves a host over standard input and output until it closes them, or a signal ends the process; or asks servers.
pub(crate) async fn mcp(common: &CommonArgs, arguments: &McpArgs) -> Result<(), CliError> {
    match &arguments.command {
        Some(McpCommand::Tools(arguments)) => offers::tools(common, arguments).await,
        None => serve(common, arguments).await,
    }
}

async fn serve(common: &CommonArgs, arguments: &McpArgs) -> Result<(), CliError> {
    let host = host(&arguments.name)?;
    let templates = templates(arguments.templates.as_deref())?;
    let signer = signing::signer(common)?;
    let premises = Premises {
        unwritten: arguments.templates.clone().into_iter().collect(),
        ..Premises::default()
    };
    let session = match &common.store {
        StorePlace::Folder(dir) => match Session::serving_or_find(dir, signer, premises).await? {
            Ok(session) => session,
            Err(error) => return Err(in_use(&error, arguments)),
        },
        StorePlace::Database(url) => {
            let database = Database::reach(url, OpenMode::Create).await?;
            let mut session = Session::join(&database, node(arguments)?, signer, premises).await?;
            session.take_part();
            session
        }
    };
    let result = attend(common, &session, templates, host).await;
    session.end(result).await
}

/// Says that another process has the store open, and how it can be asked.
fn in_use(error: &OpenError, arguments: &McpArgs) -> CliError {
    let name = quoted(arguments.name.as_str());
    let what = format!(
        "if that process is a server, give the host its address with /mcp behind it, and a token of the file that the server \
         has as --tokens, e.g. of `folkmoot token new --as {name} --service --tokens tokens`; else end it first"
    );
    CliError::other(STORE, format!("{error} ({what})"))
}

/// The node that it is for a store in a database: it takes the rooms that the host asks for, and no others.
fn node(arguments: &McpArgs) -> Result<NodeWish, CliError> {
    let templates = arguments.templates.as_deref().map(absolute_folder);
    let templates = templates.transpose();
    let templates = templates.map_err(|error| CliError::other(STORE, error.to_string()))?;
    Ok(NodeWish {
        offers: templates.as_deref().map(offer_of).into_iter().collect(),
        ..NodeWish::default()
    })
}

/// The host: a program of this machine's user, who owns the rooms that it opens.
fn host(name: &PersonName) -> Result<LocalHost, CliError> {
    let user = person::proof(None)
        .ok_or_else(|| CliError::other(USAGE, "this user has no usable name: set USER to one"))?;
    let program = Proof::by(Person::LOCAL).service(format!("uid={}", person::uid()));
    Ok(LocalHost {
        program: Caller::of(program.called(name.clone())),
        user: Caller::of(user),
    })
}

async fn attend(
    common: &CommonArgs,
    session: &Session,
    templates: Templates,
    host: LocalHost,
) -> Result<(), CliError> {
    let drain = Drain::new();
    let limits = ServerLimits::default();
    let server = Server::new(Rooms {
        runtime: reserving(session.desk.runtime(), &common.store, &limits),
        store: session.desk.store().clone(),
        templates,
        // Nobody else is served, and nobody over HTTP.
        sessions: None,
        authenticate: Arc::new(Several::default()),
        hosts: Hosts::any(),
        limits,
        drain: drain.clone(),
    });
    let ended = Ended::default();
    let ending = drain.clone();
    ended.then(move || ending.begin());
    let (attended, (), reopened) = tokio::join!(
        async {
            let attended = server
                .attend(host, tokio::io::stdin(), tokio::io::stdout())
                .await;
            drain.begin();
            attended
        },
        server.tend(),
        server.reopen()
    );
    attended.map_err(|error| CliError::other(STORE, with_causes(&error)))?;
    reopened.map_err(|error| CliError::other(STORE, with_causes(&error)))?;
    ended.result()
}
