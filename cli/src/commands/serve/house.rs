//! The store of a server, with what it knows there of callers and of the other servers.

use std::path::Path;
use std::sync::Arc;

use folkmoot::core::port::Members;
use folkmoot::core::port::causes::with_causes;
use folkmoot::file::absolute_folder;
use folkmoot::store::{OpenMode, SharedRecords};
use folkmoot_server::{Jwt, Peers, Sessions, Several, TemplateDigests, Templates, Tokens};

use crate::arguments::{NodeArgs, ServeArgs, StorePlace};
use crate::exit::{CliError, STORE, USAGE};
use crate::person;
use crate::session::Session;
use crate::source::database::{self, NodeWish, offer_of};

/// The file in the folder of a store for the sessions of browsers.
const SESSIONS: &str = "sessions.jsonl";

/// The store of a server.
pub(super) struct House<'a> {
    pub(super) place: &'a StorePlace,
    /// The node that the server is, if its store is in a database.
    pub(super) wish: NodeWish,
    shared: Option<Shared>,
}

/// What all servers of a database share.
struct Shared {
    records: Arc<dyn SharedRecords>,
    members: Arc<dyn Members>,
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
            return Ok(Self {
                place,
                wish: NodeWish::default(),
                shared: None,
            });
        };
        if arguments.tokens.is_some() {
            let what = "--tokens is for a store in a folder: the tokens of a database stand in it, where `folkmoot token new --as NAME` \
                        with the same --store makes one; leave --tokens out";
            return Err(CliError::other(USAGE, what));
        }
        let (records, members) = database::reach(url, OpenMode::Create).await?;
        let digests = templates.digests().map_err(|error| failed(&error))?;
        let offer = digests.announce(&*records).await;
        let offer = offer.map_err(|error| failed(&error))?;
        let peers = Peers::meet(&*records, Arc::clone(&members)).await;
        let peers = peers.map_err(|error| failed(&error))?;
        let folder = arguments.templates.as_deref().map(absolute_folder);
        let folder = folder.transpose().map_err(|error| failed(&error))?;
        let folder = folder.as_deref().map(offer_of);
        let given = node.offer.iter().cloned();
        let wish = NodeWish {
            name: None,
            offers: given.chain(folder).chain([offer]).collect(),
            room: node.room,
            advertise: node
                .advertise
                .clone()
                .or_else(|| arguments.public_url.clone()),
            drafts: Some(peers.drafts()),
        };
        let shared = Shared {
            records,
            members,
            templates: digests,
            peers,
        };
        Ok(Self {
            place,
            wish,
            shared: Some(shared),
        })
    }

    /// Checks that the servers of the store that live have the same templates.
    pub(super) async fn check(&self, session: &Session) -> Result<(), CliError> {
        let (Some(shared), Some(node)) = (&self.shared, session.node()) else {
            return Ok(());
        };
        let Shared {
            records,
            members,
            templates,
            ..
        } = shared;
        let checked = templates.check(node, &**members, &**records).await;
        checked.map_err(|error| failed(&error))
    }

    /// The ways in which callers are known.
    pub(super) async fn identity(&self, arguments: &ServeArgs) -> Result<Several, CliError> {
        let issuers: Result<Vec<_>, _> = arguments.jwt.iter().map(Jwt::open).collect();
        let issuers = issuers.map_err(|error| failed(&error))?;
        let user = person::local_user()?;
        let (tokens, sessions) = match (&self.shared, self.place.as_folder()) {
            (Some(Shared { records, .. }), _) => {
                let tokens = Tokens::shared(Arc::clone(records)).await;
                let tokens = tokens.map_err(|error| failed(&error))?;
                let sessions = Sessions::shared(Arc::clone(records), user, Some(tokens.clone()));
                (
                    Some(tokens),
                    sessions.await.map_err(|error| failed(&error))?,
                )
            }
            (None, folder) => {
                let tokens = arguments.tokens.as_deref().map(tokens).transpose()?;
                let folder = folder.unwrap_or(Path::new("."));
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
