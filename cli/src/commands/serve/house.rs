//! The store of a server, with what it knows there of callers and of the other servers.

use std::path::Path;

use folkmoot::core::port::Offer;
use folkmoot::core::port::causes::with_causes;
use folkmoot::file::absolute_folder;
use folkmoot::store::OpenMode;
use folkmoot_server::{
    HostError, Hosts, Jwt, Peers, Sessions, Several, TemplateDigests, Templates, Tokens,
};

use crate::arguments::{NodeArgs, ServeArgs, StorePlace};
use crate::exit::{CliError, STORE, USAGE};
use crate::person;
use crate::session::{Premises, Session};
use crate::signing::Signing;
use crate::source::database::{Database, NodeWish};
use crate::source::members::offer_of;

/// The file in the folder of a store for the sessions of browsers.
const SESSIONS: &str = "sessions.jsonl";

/// The store of a server.
pub(super) struct House<'a> {
    pub(super) place: &'a StorePlace,
    shared: Option<Shared>,
}

/// A database, with what all of its servers share.
struct Shared {
    /// The node that the server is.
    wish: NodeWish,
    database: Database,
    templates: TemplateDigests,
    peers: Peers,
}

fn failed(error: &dyn std::error::Error) -> CliError {
    CliError::other(STORE, with_causes(error))
}

impl<'a> House<'a> {
    /// The store at `place`, for a server with these templates.
    pub(super) async fn of(
        place: &'a StorePlace,
        arguments: &ServeArgs,
        templates: &Templates,
    ) -> Result<Self, CliError> {
        let node = &arguments.node;
        let StorePlace::Database(url) = place else {
            refuse_options(node)?;
            let shared = None;
            return Ok(Self { place, shared });
        };
        if arguments.tokens.is_some() {
            let what = "--tokens is for a store in a folder: the tokens of a database stand in it, where `folkmoot token new --as NAME` \
                        with the same --store makes one; leave --tokens out";
            return Err(CliError::other(USAGE, what));
        }
        let database = Database::reach(url, OpenMode::Create).await?;
        let records = database.records();
        let digests = templates.digests().map_err(|error| failed(&error))?;
        let offer = digests.announce(&*records).await;
        let offer = offer.map_err(|error| failed(&error))?;
        let peers = Peers::meet(&*records, database.members()).await;
        let peers = peers.map_err(|error| failed(&error))?;
        let folder = arguments.templates.as_deref().map(absolute_folder);
        let folder = folder.transpose().map_err(|error| failed(&error))?;
        let folder = folder.as_deref().map(offer_of);
        if let Some(url) = &node.advertise {
            let wrong = |error: HostError| CliError::other(USAGE, format!("--advertise: {error}"));
            Hosts::any().and_public(url).map_err(wrong)?;
        }
        let public = arguments.public_url.as_deref();
        let public = public.map(|url| Offer::Public(url).to_string());
        let given = node.offer.iter().cloned().chain(public);
        let wish = NodeWish {
            offers: given.chain(folder).chain([offer]).collect(),
            room: node.room,
            advertise: node.advertise.clone(),
        };
        let shared = Some(Shared {
            wish,
            database,
            templates: digests,
            peers,
        });
        Ok(Self { place, shared })
    }

    /// Opens it to serve its rooms.
    pub(super) async fn open(
        &self,
        signer: Signing,
        premises: Premises,
    ) -> Result<Session, CliError> {
        match &self.shared {
            Some(shared) => {
                let premises = Premises {
                    drafts: Some(shared.peers.drafts()),
                    ..premises
                };
                Session::join(&shared.database, shared.wish.clone(), signer, premises).await
            }
            None => Session::serving(self.place.folder()?, signer, premises).await,
        }
    }

    /// Checks that the servers of the store that live have the same templates.
    pub(super) async fn check(&self, session: &Session) -> Result<(), CliError> {
        let (Some(shared), Some(node)) = (&self.shared, session.node()) else {
            return Ok(());
        };
        let Shared {
            database,
            templates,
            ..
        } = shared;
        let (members, records) = (database.members(), database.records());
        let checked = templates.check(node.id(), &*members, &*records).await;
        checked.map_err(|error| failed(&error))
    }

    /// The ways in which callers are known.
    pub(super) async fn identity(&self, arguments: &ServeArgs) -> Result<Several, CliError> {
        let issuers: Result<Vec<_>, _> = arguments.jwt.iter().map(Jwt::open).collect();
        let issuers = issuers.map_err(|error| failed(&error))?;
        let user = person::local_user()?;
        let (tokens, sessions) = match &self.shared {
            Some(Shared { database, .. }) => {
                let tokens = Tokens::shared(database.records()).await;
                let tokens = tokens.map_err(|error| failed(&error))?;
                let sessions = Sessions::shared(database.records(), user, Some(tokens.clone()));
                (
                    Some(tokens),
                    sessions.await.map_err(|error| failed(&error))?,
                )
            }
            None => {
                let tokens = arguments.tokens.as_deref().map(tokens).transpose()?;
                let folder = self.place.folder()?;
                let sessions = Sessions::open(folder.join(SESSIONS), user, tokens.clone());
                (tokens, sessions.map_err(|error| failed(&error))?)
            }
        };
        Ok(Several {
            sessions: Some(sessions),
            tokens,
            issuers,
        })
    }

    /// The other servers of its store, if there can be any.
    pub(super) fn peers(&self) -> Option<&Peers> {
        self.shared.as_ref().map(|shared| &shared.peers)
    }
}

/// Refuses options of a node for a store in a folder.
fn refuse_options(node: &NodeArgs) -> Result<(), CliError> {
    if node.offer.is_empty() && node.advertise.is_none() {
        return Ok(());
    }
    let what = "--offer and --advertise are for a store in a database: add --store postgres://…, or leave them out";
    Err(CliError::other(USAGE, what))
}

/// The tokens in a file.
fn tokens(file: &Path) -> Result<Tokens, CliError> {
    if !file.exists() {
        let file = file.display();
        let why = format!(
            "there is no file {file}: make the first token with `folkmoot token new --as NAME --tokens {file}`"
        );
        return Err(CliError::other(STORE, why));
    }
    Tokens::open(file).map_err(|error| failed(&error))
}
