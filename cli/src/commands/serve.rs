//! `folkmoot serve`.

use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use folkmoot::Runtime;
use folkmoot::core::port::causes::with_causes;
use folkmoot_server::{
    DiskReserve, Drain, Hosts, Listening, Rooms, Server, ServerLimits, Several, Templates,
    serve as listen,
};

use crate::arguments::{CommonArgs, ServeArgs, StorePlace};
use crate::desk::login::LoginDesk;
use crate::exit::{CliError, STORE};
use crate::interrupt::Ended;
use crate::otlp::{self, Collector};
use crate::session::{Premises, Reach, Session};
use crate::signing;
use crate::terminal::Terminal;

mod house;

use house::House;

/// Serves the rooms of the store until a signal ends it.
pub(crate) async fn serve(common: &CommonArgs, arguments: &ServeArgs) -> Result<(), CliError> {
    refuse_strangers(&common.store, arguments)?;
    let templates = templates(arguments.templates.as_deref())?;
    let collector = arguments.otlp.as_ref();
    let collector = collector.map(|given| otlp::collector(given.as_deref()));
    let collector = collector.transpose()?;
    let signer = signing::signer(common)?;
    let house = House::of(&common.store, arguments, &templates).await?;
    let mut session = house.open(signer, premises(arguments)).await?;
    let served = async {
        house.check(&session).await?;
        session.take_part();
        listen_at(arguments, (templates, collector), &session, &house).await
    };
    let result = Box::pin(served).await;
    session.end(result).await
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
        ..Premises::default()
    }
}

/// Refuses to listen where others can reach a server that knows nobody.
fn refuse_strangers(place: &StorePlace, arguments: &ServeArgs) -> Result<(), CliError> {
    // The tokens of a database are for all of its servers.
    let is_shared = place.as_folder().is_none();
    let knows_somebody = is_shared || arguments.tokens.is_some() || !arguments.jwt.is_empty();
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
    (templates, collector): (Templates, Option<Collector>),
    session: &Session,
    house: &House<'_>,
) -> Result<(), CliError> {
    let drain = Drain::new();
    let identity = house.identity(arguments).await?;
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
        runtime: reserving(session.desk.runtime(), house.place, &limits),
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
    let node = session.node().cloned();
    ended.then(move || {
        ending.begin();
        if let Some(node) = node {
            node.drain();
        }
    });
    let server = Server::new(rooms);
    let router = match house.peers() {
        Some(peers) => server.router_among(peers),
        None => server.router(),
    };
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
