//! `folkmoot serve`.

use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use folkmoot::Runtime;
use folkmoot::core::port::causes::with_causes;
use folkmoot::file::absolute_folder;
use folkmoot_server::{
    DiskReserve, Drain, Hosts, Jwt, Listening, LocalUser, Rooms, Server, ServerLimits, Sessions,
    Several, Templates, Tokens, serve as listen,
};

use crate::arguments::{CommonArgs, NodeArgs, STORE_DEFAULT, ServeArgs, StorePlace};
use crate::desk::login::LoginDesk;
use crate::exit::{CliError, STORE, USAGE};
use crate::interrupt::Ended;
use crate::otlp::{self, Collector};
use crate::session::{Premises, Reach, Session};
use crate::source::database::{NodeWish, offer_of};
use crate::terminal::Terminal;
use crate::{person, signing};

/// The file in the store for the sessions of browsers.
const SESSIONS: &str = "sessions.jsonl";

/// Serves the rooms of the store until a signal ends it.
pub(crate) async fn serve(common: &CommonArgs, arguments: &ServeArgs) -> Result<(), CliError> {
    refuse_strangers(arguments)?;
    let templates = templates(arguments.templates.as_deref())?;
    let collector = arguments.otlp.as_ref();
    let collector = collector.map(|given| otlp::collector(given.as_deref()));
    let collector = collector.transpose()?;
    let signer = signing::signer(common)?;
    let wish = node(
        &common.store,
        &arguments.node,
        arguments.templates.as_deref(),
    )?;
    let session = Session::serving(&common.store, wish, signer, premises(arguments)).await?;
    let result = listen_at(arguments, templates, collector, &session, &common.store).await;
    session.end(result).await
}

/// The node that a server is, if its store is in a database. Rooms of its templates need their folder.
fn node(
    place: &StorePlace,
    arguments: &NodeArgs,
    templates: Option<&Path>,
) -> Result<NodeWish, CliError> {
    let folder = place.as_folder();
    if folder.is_some() && (!arguments.offer.is_empty() || arguments.advertise.is_some()) {
        let what = "--offer and --advertise are for a store in a database: add --store postgres://…, or leave them out";
        return Err(CliError::other(USAGE, what));
    }
    let templates = templates.map(absolute_folder).transpose();
    let templates = templates.map_err(|error| CliError::other(STORE, error.to_string()))?;
    let folders = templates.as_deref().map(offer_of);
    Ok(NodeWish {
        name: None,
        offers: arguments.offer.iter().cloned().chain(folders).collect(),
        room: arguments.room,
        advertise: arguments.advertise.clone(),
    })
}

/// A runtime that leaves the reserve of a disk free. The disk of a database is its own.
pub(super) fn reserving(runtime: &Runtime, place: &StorePlace, limits: &ServerLimits) -> Runtime {
    match place.as_folder() {
        Some(folder) => {
            let reserve = DiskReserve::of(folder, limits.disk_free_min);
            runtime.through(Arc::new(reserve))
        }
        None => runtime.clone(),
    }
}

/// The surroundings of the rooms: a public address says that others reach a server that listens here.
fn premises(arguments: &ServeArgs) -> Premises {
    let is_here = arguments.listen.ip().is_loopback() && arguments.public_url.is_none();
    let known = arguments.tokens.iter().chain(&arguments.jwt);
    Premises {
        reach: if is_here {
            Reach::Machine
        } else {
            Reach::Elsewhere
        },
        unwritten: known.chain(&arguments.templates).cloned().collect(),
    }
}

/// Refuses to listen where others can reach a server that knows nobody.
fn refuse_strangers(arguments: &ServeArgs) -> Result<(), CliError> {
    let knows_somebody = arguments.tokens.is_some() || !arguments.jwt.is_empty();
    if arguments.listen.ip().is_loopback() || knows_somebody {
        return Ok(());
    }
    let why = format!(
        "other machines could reach {}, and nobody is known: make a token with `folkmoot token new \
         --as NAME --tokens FILE` and add `--tokens FILE`, or add `--jwt FILE`, or listen at \
         127.0.0.1 only",
        arguments.listen
    );
    Err(CliError::other(STORE, why))
}

/// The templates; a folder that cannot be read is a slip that rooms would show much later.
pub(super) fn templates(folder: Option<&Path>) -> Result<Templates, CliError> {
    let Some(folder) = folder else {
        return Ok(Templates::default());
    };
    let templates = Templates::of(folder);
    templates.names().map_err(|error| {
        let why = format!("--templates {}: {}", folder.display(), with_causes(&error));
        CliError::other(STORE, why)
    })?;
    Ok(templates)
}

async fn listen_at(
    arguments: &ServeArgs,
    templates: Templates,
    collector: Option<Collector>,
    session: &Session,
    place: &StorePlace,
) -> Result<(), CliError> {
    let drain = Drain::new();
    let identity = identity(arguments, place)?;
    let limits = ServerLimits::default();
    let listening = listening_at(arguments.listen).await?;
    let hosts = hosts(arguments, &listening)?;
    if let Some(sessions) = identity.sessions.clone() {
        let login = LoginDesk {
            sessions,
            hosts: hosts.clone(),
        };
        greet(&listening, &identity, &login).await?;
        session.desk.sign_in_with(login);
    }
    let rooms = Rooms {
        runtime: reserving(session.desk.runtime(), place, &limits),
        store: session.desk.store().clone(),
        templates,
        sessions: identity.sessions.clone(),
        authenticate: Arc::new(identity),
        hosts,
        limits: limits.clone(),
        drain: drain.clone(),
    };
    let ended = Ended::default();
    let ending = drain.clone();
    ended.then(move || ending.begin());
    let server = Server::new(rooms);
    let router = server.router();
    let metrics = match arguments.metrics_listen {
        Some(address) => Some(listening_at(address).await?),
        None => None,
    };
    // What goes on while connections end has spans as well.
    let end = Drain::new();
    let listen = async {
        let drained = listen(listening, router, drain.clone(), &limits).await;
        end.begin();
        drained
    };
    let (drained, (), (), (), reopened) = tokio::join!(
        listen,
        serve_metrics(metrics, &server, drain.clone(), &limits),
        server.tend(),
        otlp::trace(&server, collector, &end),
        server.reopen()
    );
    Terminal::new().line(&drained.to_string())?;
    reopened.map_err(|error| CliError::other(STORE, with_causes(&error)))?;
    ended.result()
}

async fn listening_at(address: SocketAddr) -> Result<Listening, CliError> {
    Listening::at(address)
        .await
        .map_err(|error| CliError::other(STORE, format!("cannot listen at {address}: {error}")))
}

/// Serves the metrics at their own address, if they have one.
async fn serve_metrics(
    listening: Option<Listening>,
    server: &Server,
    drain: Drain,
    limits: &ServerLimits,
) {
    if let Some(listening) = listening {
        let drained = listen(listening, server.metrics(), drain, limits).await;
        tracing::debug!(%drained, "metrics are no longer served");
    }
}

/// The ways in which callers are known.
fn identity(arguments: &ServeArgs, place: &StorePlace) -> Result<Several, CliError> {
    let failed = |error: &dyn std::error::Error| CliError::other(STORE, with_causes(error));
    let tokens = match &arguments.tokens {
        Some(file) if !file.exists() => {
            let file = file.display();
            let why = format!(
                "there is no file {file}: make the first token with `folkmoot token new --as NAME --tokens {file}`"
            );
            return Err(CliError::other(STORE, why));
        }
        Some(file) => Some(Tokens::open(file).map_err(|error| failed(&error))?),
        None => None,
    };
    let issuers: Result<Vec<_>, _> = arguments.jwt.iter().map(Jwt::open).collect();
    let display = person::login();
    let display = display
        .ok_or_else(|| CliError::other(STORE, "this user has no usable name: set USER to one"))?;
    let user = LocalUser {
        uid: person::uid(),
        display,
    };
    let folder = place.as_folder().unwrap_or(Path::new(STORE_DEFAULT));
    let sessions = Sessions::open(folder.join(SESSIONS), user, tokens.clone());
    Ok(Several {
        sessions: Some(sessions.map_err(|error| failed(&error))?),
        tokens,
        issuers: issuers.map_err(|error| failed(&error))?,
    })
}

fn hosts(arguments: &ServeArgs, listening: &Listening) -> Result<Hosts, CliError> {
    let hosts = Hosts::listening_at(listening.address());
    let hosts = match &arguments.public_url {
        Some(url) => hosts.and_public(url),
        None => Ok(hosts),
    };
    let mut allowed = arguments.allow_origin.iter();
    let hosts =
        hosts.and_then(|hosts| allowed.try_fold(hosts, |hosts, origin| hosts.allowing(origin)));
    hosts.map_err(|error| CliError::other(STORE, error.to_string()))
}

/// Says where the server listens, and how the user of this machine signs in.
async fn greet(
    listening: &Listening,
    identity: &Several,
    login: &LoginDesk,
) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    let knows_others = identity.tokens.is_some() || !identity.issuers.is_empty();
    if io::stdout().is_terminal() {
        let link = login.link().await?;
        terminal.whole(&format!("sign in: {}", link.link))?;
        terminal.line("It works once and for 10 minutes; `folkmoot login` makes another one.")?;
    } else if !knows_others {
        // A link has no place in a file.
        terminal.line("sign in: `folkmoot login` makes a link")?;
    }
    terminal.line(&format!("listening at http://{}", listening.address()))
}
