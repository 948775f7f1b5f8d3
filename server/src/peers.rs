//! What the servers of one shared store show one another: the replies that are being written.
//!
//! They know each other by a secret that stands in the store. Whoever reads it there may read and write all rooms anyway.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use folkmoot::core::ids::WorldId;
use folkmoot::core::port::Members;
use folkmoot::core::port::causes::with_causes;
use folkmoot::store::{LedgerError, SharedRecord, SharedRecords};
use folkmoot::{DraftPiece, DraftPieces, DraftSource, Runtime, WorldName};
use futures::stream::{StreamExt as _, unfold};
use reqwest::{Client, StatusCode, Url, redirect};
use tokio::time::timeout;

use crate::identity::{RandomnessError, Secret, SecretKind, bearer};
use crate::problem::Problem;
use crate::request::InPath;
use crate::rooms::Drain;

/// The kind of the shared record that has the secret of the nodes, and its key.
const KIND: &str = "node-secret";
const KEY: &[u8] = b"drafts";

/// The path of the drafts of a world, before its name.
const PATH: &str = "/node/drafts/";

/// How long another server may take to answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);
/// How often a stream says something, so that a dead connection is noticed.
const SPEAKS_EVERY: Duration = Duration::from_secs(10);
/// How long a stream may be silent.
const SILENT_MOST: Duration = Duration::from_secs(25);
/// The most bytes of a line: a draft that is kept whole, escaped.
const LINE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The servers of a shared store, as each of them knows the others.
#[derive(Debug, Clone)]
pub struct Peers {
    secret: Secret,
    members: Arc<dyn Members>,
    client: Client,
}

/// The reason that a server cannot know the others.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeersError {
    /// The secret of the nodes cannot be read or made.
    #[error("the secret of the nodes cannot be used in the store")]
    Store(#[from] LedgerError),
    /// There is no secret to be had.
    #[error(transparent)]
    Randomness(#[from] RandomnessError),
    /// Other servers cannot be asked.
    #[error("other servers cannot be asked")]
    Client(#[from] reqwest::Error),
}

impl Peers {
    /// Reads the secret that all servers of the store have, or makes it.
    ///
    /// # Errors
    /// [`PeersError`].
    pub async fn meet(
        records: &dyn SharedRecords,
        members: Arc<dyn Members>,
    ) -> Result<Self, PeersError> {
        // An error says that another part of the program has installed one, which is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let client = Client::builder()
            .connect_timeout(ANSWERS_WITHIN)
            .redirect(redirect::Policy::none()) // the secret goes where the store says, and nowhere else
            .no_proxy()
            .user_agent(concat!("folkmoot/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self {
            secret: secret(records).await?,
            members,
            client,
        })
    }

    /// The way to the drafts of worlds that others hold, for the runtime of this server.
    #[must_use]
    pub fn drafts(&self) -> Arc<dyn DraftSource> {
        Arc::new(self.clone())
    }

    /// The routes on which others ask this server. They stand beside all resources, and are none.
    pub(crate) fn routes(&self, runtime: Runtime, drain: Drain) -> Router {
        let shown = Shown {
            secret: self.secret.clone(),
            runtime,
            drain,
        };
        Router::new()
            .route(&format!("{PATH}{{world}}"), get(show))
            .with_state(shown)
    }

    async fn ask(&self, advertised: &str, name: &WorldName) -> Result<reqwest::Response, String> {
        let url = Url::parse(advertised).and_then(|url| url.join(&format!("{PATH}{name}")));
        let url = url.map_err(|error| format!("its node advertises {advertised:?}: {error}"))?;
        let request = self.client.get(url).bearer_auth(self.secret.expose());
        let answer = timeout(ANSWERS_WITHIN, request.send()).await;
        let answer = answer.map_err(|_| "no answer in time".to_owned())?;
        answer.map_err(|error| with_causes(&error))
    }
}

#[async_trait]
impl DraftSource for Peers {
    async fn follow(&self, world: WorldId, name: &WorldName) -> Option<DraftPieces> {
        let holder = match self.members.holder(world).await {
            Ok(holder) => holder?,
            Err(error) => {
                tracing::debug!(%name, error = with_causes(&error), "nobody says who holds a world");
                return None;
            }
        };
        let advertised = holder.advertise?;
        match self.ask(&advertised, name).await {
            Ok(answer) if answer.status() == StatusCode::OK => Some(pieces(answer)),
            Ok(answer) => {
                let status = answer.status();
                tracing::debug!(%name, %advertised, %status, "another server shows no drafts of a world");
                None
            }
            Err(why) => {
                tracing::debug!(%name, %advertised, why, "another server cannot be asked for drafts");
                None
            }
        }
    }
}

/// The secret of all nodes; the first one makes it.
async fn secret(records: &dyn SharedRecords) -> Result<Secret, PeersError> {
    let kept = match records.shared(KIND, KEY).await? {
        Some(kept) => kept,
        None => made(records).await?,
    };
    let kept = String::from_utf8(kept);
    let kept =
        kept.map_err(|error| LedgerError::Damaged(format!("the secret of the nodes: {error}")))?;
    Ok(Secret::new(kept))
}

/// The secret, made now. Of several that make one at once, the first one's stands.
async fn made(records: &dyn SharedRecords) -> Result<Vec<u8>, PeersError> {
    let new = Secret::random(SecretKind::Node)?;
    let record = SharedRecord {
        kind: KIND.to_owned(),
        key: KEY.to_vec(),
        value: new.expose().as_bytes().to_vec(),
    };
    if records.put_shared(&record, None).await? {
        return Ok(record.value);
    }
    let gone = || LedgerError::Damaged("the secret of the nodes was removed".to_owned());
    Ok(records.shared(KIND, KEY).await?.ok_or_else(gone)?)
}

/// What a server shows the others.
#[derive(Clone)]
struct Shown {
    secret: Secret,
    runtime: Runtime,
    drain: Drain,
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shown").finish_non_exhaustive()
    }
}

/// Another server of the store.
struct Peer;

impl FromRequestParts<Shown> for Peer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, shown: &Shown) -> Result<Self, Problem> {
        let known = bearer(parts)?;
        // Both are hashed: how long it takes to compare hashes says nothing of the secret.
        if known.hash() == shown.secret.hash() {
            Ok(Self)
        } else {
            Err(Problem::not_found())
        }
    }
}

/// The drafts of a world that this server holds, each piece a line of JSON.
async fn show(
    _: Peer,
    State(shown): State<Shown>,
    InPath(world): InPath<String>,
) -> Result<Response, Problem> {
    let name = WorldName::new(world).map_err(|_| Problem::not_found())?;
    let world = shown.runtime.world(&name).ok_or_else(Problem::not_found)?;
    let pieces = world.draft_pieces()?.ok_or_else(Problem::not_found)?;
    let drain = shown.drain;
    let lines = unfold((pieces, drain), |(mut pieces, drain)| async {
        tokio::select! {
            biased;
            () = drain.begun() => None,
            piece = timeout(SPEAKS_EVERY, pieces.next()) => {
                let line = match piece {
                    Ok(piece) => line(&piece?),
                    Err(_silent) => Ok(Bytes::from_static(b"\n")),
                };
                Some((line, (pieces, drain)))
            }
        }
    });
    let kind = [(CONTENT_TYPE, "application/x-ndjson")];
    Ok((kind, Body::from_stream(lines)).into_response())
}

fn line(piece: &DraftPiece) -> Result<Bytes, serde_json::Error> {
    let mut line = serde_json::to_vec(piece)?;
    line.push(b'\n');
    Ok(line.into())
}

/// The pieces that another server shows, until it ends, falls silent or says what does not read.
fn pieces(answer: reqwest::Response) -> DraftPieces {
    let pieces = unfold((answer, Vec::new()), |(mut answer, mut bytes)| async move {
        loop {
            if let Some(end) = end_of_line(&bytes) {
                let line: Vec<u8> = bytes.drain(..=end).collect();
                if line.trim_ascii().is_empty() {
                    continue;
                }
                let piece = serde_json::from_slice::<DraftPiece>(&line).ok()?;
                return Some((piece, (answer, bytes)));
            }
            let chunk = timeout(SILENT_MOST, answer.chunk()).await.ok()?.ok()??;
            if bytes.len() + chunk.len() > LINE_BYTES_MAX {
                return None;
            }
            bytes.extend_from_slice(&chunk);
        }
    });
    pieces.boxed()
}

/// The place of the first end of a line.
fn end_of_line(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| *byte == b'\n')
}
