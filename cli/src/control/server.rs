//! The holder's end of the socket.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use folkmoot::core::ids::{PersonName, ToolName, WorldName};
use folkmoot::life::LifeError;
use folkmoot::{Proof, Runtime, Store};
use futures::TryStreamExt as _;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::{REQUEST_MAX, Response, SOCKET, Way};
use crate::desk::Request;
use crate::desk::decision::{Audience, Decision, Taken, decide};
use crate::desk::erasing::{Erasing, Gone, erase};
use crate::desk::fork::fork;
use crate::desk::life::{Deletion, backup, delete};
use crate::desk::peer::Peer;
use crate::exit::{CliError, INTEGRITY, PENDING, STORE, USAGE};
use crate::person;
use crate::view::query::{Query, answer};

#[cfg(test)]
mod tests;

/// How many people's processes are served at a time; more wait.
const PEERS_MAX: usize = 32;
/// How many others are refused at a time; more are turned away without a word. They take no person's place.
const OTHERS_MAX: usize = 4;
/// How long a peer may be silent before it is let go.
const SILENCE_MAX: Duration = Duration::from_secs(10);
/// How long to wait when nobody can be accepted, e.g. because too many files are open.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// A socket that is served until this is dropped.
#[derive(Debug)]
pub(crate) struct Control {
    path: PathBuf,
    _serving: JoinSet<()>,
}

impl Drop for Control {
    fn drop(&mut self) {
        // A socket that stays behind answers nobody, and the next holder replaces it.
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the control socket was not removed");
        }
    }
}

/// What a peer is served with.
#[derive(Debug, Clone)]
struct Served {
    runtime: Runtime,
    store: Store,
    driven: Arc<Option<WorldName>>,
    /// Held by whoever opens a world for a decision: no second one may open or close it meanwhile.
    opens: Arc<Mutex<()>>,
}

/// Serves the socket in the directory `dir` of `store`, which this process holds.
pub(crate) fn serve(
    dir: &Path,
    runtime: &Runtime,
    store: &Store,
    driven: Option<WorldName>,
) -> Result<Control, CliError> {
    let path = dir.join(SOCKET);
    let failed = |error: io::Error| {
        CliError::other(
            STORE,
            format!("cannot make the control socket {}: {error}", path.display()),
        )
    };
    let listener = listen(dir).map_err(failed)?;
    let served = Served {
        runtime: runtime.clone(),
        store: store.clone(),
        driven: Arc::new(driven),
        opens: Arc::default(),
    };
    let mut serving = JoinSet::new();
    serving.spawn(accept(listener, served));
    Ok(Control {
        path,
        _serving: serving,
    })
}

/// The socket appears under its name only when nobody else can use it any more. A stale one is replaced: whoever calls
/// this holds the store's lock.
fn listen(store: &Path) -> io::Result<UnixListener> {
    let new = format!(".{SOCKET}.new");
    let way = Way::to(store, &new)?;
    match fs::remove_file(store.join(&new)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let listener = UnixListener::bind(&way.path)?;
    fs::set_permissions(store.join(&new), Permissions::from_mode(0o600))?;
    fs::rename(store.join(&new), store.join(SOCKET))?;
    Ok(listener)
}

async fn accept(listener: UnixListener, served: Served) {
    let places = Places::new();
    let mut peers = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let peer = Peer::of(&stream);
                if let Some(place) = places.take(peer).await {
                    let served = served.clone();
                    peers.spawn(async move {
                        if let Err(error) = served.peer(peer, stream).await {
                            tracing::debug!(%error, "a peer of the control socket went away");
                        }
                        drop(place);
                    });
                }
            }
            Err(error) => {
                tracing::warn!(%error, "the control socket accepts nobody");
                tokio::time::sleep(ACCEPT_AGAIN).await;
            }
        }
        while peers.try_join_next().is_some() {}
    }
}

/// Who can be served at a time.
#[derive(Debug)]
struct Places {
    people: Arc<Semaphore>,
    others: Arc<Semaphore>,
}

impl Places {
    fn new() -> Self {
        Self {
            people: Arc::new(Semaphore::new(PEERS_MAX)),
            others: Arc::new(Semaphore::new(OTHERS_MAX)),
        }
    }

    /// A place for `peer`; `None` for one that is turned away.
    async fn take(&self, peer: Peer) -> Option<OwnedSemaphorePermit> {
        match peer {
            Peer::Person(_) => Arc::clone(&self.people).acquire_owned().await.ok(),
            Peer::OfTool | Peer::Stranger => Arc::clone(&self.others).try_acquire_owned().ok(),
        }
    }
}

impl Served {
    async fn peer(&self, peer: Peer, stream: UnixStream) -> io::Result<()> {
        let (input, mut output) = stream.into_split();
        let mut input = BufReader::new(input);
        loop {
            let mut line = Vec::new();
            let mut request = (&mut input).take(REQUEST_MAX);
            let read =
                tokio::time::timeout(SILENCE_MAX, request.read_until(b'\n', &mut line)).await??;
            if read == 0 {
                return Ok(());
            }
            if line.last() != Some(&b'\n') {
                let error = CliError::other(
                    USAGE,
                    format!("a request is one line of at most {REQUEST_MAX} bytes"),
                );
                return send(&mut output, &error_line(&error)).await;
            }
            // A peer that goes away while it is answered needs no answer.
            let result = tokio::select! {
                result = self.request(peer, &line, &mut output) => result?,
                gone = wait_until_gone(&mut input) => return gone,
            };
            let last = result.map_or_else(|error| error_line(&error), |()| Response::Done);
            send(&mut output, &last).await?;
        }
    }

    async fn request(
        &self,
        peer: Peer,
        line: &[u8],
        output: &mut OwnedWriteHalf,
    ) -> io::Result<Result<(), CliError>> {
        let request: Request = match serde_json::from_slice(line) {
            Ok(request) => request,
            Err(error) => {
                return Ok(Err(CliError::other(
                    USAGE,
                    format!("this is no request: {error}"),
                )));
            }
        };
        match (peer, request) {
            (Peer::Stranger, _) => Ok(Err(refused("only the user who holds the store is served"))),
            (
                Peer::OfTool,
                Request::Query(_) | Request::Delete(_) | Request::Backup(_) | Request::Fork(_),
            ) => Ok(Err(refused("a program that a tool runs is not served"))),
            (Peer::Person(uid), Request::Fork(wish)) => {
                let forked = match proof(uid, None) {
                    Ok(by) => fork(&self.runtime, by, &wish).await,
                    Err(error) => Err(error),
                };
                match forked.and_then(|view| serde_json::to_value(view).map_err(CliError::json)) {
                    Ok(value) => send(output, &Response::Value(value)).await.map(Ok),
                    Err(error) => Ok(Err(error)),
                }
            }
            (Peer::OfTool, Request::Decide(decision)) => {
                self.record_attempt(&decision).await;
                Ok(Err(refused(
                    "a program that a tool runs cannot decide; where the world is open, the attempt is recorded",
                )))
            }
            (Peer::OfTool, Request::Erase(_)) => {
                Ok(Err(refused("a program that a tool runs cannot erase")))
            }
            (Peer::Person(uid), Request::Erase(erasing)) => {
                let gone = self.erase(uid, &erasing).await;
                match gone.and_then(|gone| serde_json::to_value(gone).map_err(CliError::json)) {
                    Ok(value) => send(output, &Response::Value(value)).await.map(Ok),
                    Err(error) => Ok(Err(error)),
                }
            }
            (Peer::Person(_), Request::Query(query)) => self.query(&query, output).await,
            (Peer::Person(uid), Request::Delete(deletion)) => {
                send_all(output, self.delete(uid, &deletion).await).await
            }
            (Peer::Person(_), Request::Backup(dir)) => {
                send_all(output, self.backup(dir).await).await
            }
            (Peer::Person(uid), Request::Decide(decision)) => {
                let taken = self.decide(uid, &decision).await;
                match taken.and_then(|taken| serde_json::to_value(taken).map_err(CliError::json)) {
                    Ok(value) => send(output, &Response::Value(value)).await.map(Ok),
                    Err(error) => Ok(Err(error)),
                }
            }
        }
    }

    async fn query(
        &self,
        query: &Query,
        output: &mut OwnedWriteHalf,
    ) -> io::Result<Result<(), CliError>> {
        let store = self.store.passing_over_loss();
        let mut values = match answer(&store, query).await {
            Ok(values) => values,
            Err(error) => return Ok(Err(error)),
        };
        loop {
            match values.try_next().await {
                Ok(Some(value)) => send(output, &Response::Value(value)).await?,
                Ok(None) => return Ok(lost_of(&store)),
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    async fn delete(&self, uid: u32, deletion: &Deletion) -> Result<Vec<Value>, CliError> {
        let _only = self.opens.lock().await;
        if let Some(driven) = self
            .driven
            .as_ref()
            .as_ref()
            .filter(|driven| deletion.worlds.contains(driven))
        {
            return Err(LifeError::Open(driven.clone()).into());
        }
        let store = self.store.passing_over_loss();
        let deleted = delete(
            &self.runtime,
            &store,
            &proof(uid, deletion.by.clone())?,
            deletion,
        )
        .await?;
        deleted
            .iter()
            .map(|tombstone| serde_json::to_value(tombstone).map_err(CliError::json))
            .collect()
    }

    async fn backup(&self, dir: PathBuf) -> Result<Vec<Value>, CliError> {
        let copied = backup(&self.store, dir).await?;
        Ok(vec![serde_json::to_value(copied).map_err(CliError::json)?])
    }

    async fn decide(&self, uid: u32, decision: &Decision) -> Result<Taken, CliError> {
        let proof = proof(uid, decision.by.clone())?;
        self.take(proof, decision).await
    }

    async fn erase(&self, uid: u32, erasing: &Erasing) -> Result<Gone, CliError> {
        let proof = proof(uid, erasing.by.clone())?;
        let driven = self.driven.as_ref().as_ref();
        let _only = if driven == Some(&erasing.world) {
            None
        } else {
            Some(self.opens.lock().await)
        };
        erase(&self.runtime, proof, erasing, driven).await
    }

    async fn take(&self, proof: Proof, decision: &Decision) -> Result<Taken, CliError> {
        let driven = self.driven.as_ref().as_ref();
        let _only = if driven == Some(&decision.world) {
            None
        } else {
            Some(self.opens.lock().await)
        };
        decide(&self.runtime, proof, decision, Audience::Peer, driven).await
    }

    /// Lets the world refuse the attempt, so that it is in the log. A world that nobody has open is left alone: else a tool
    /// could have its log grow.
    async fn record_attempt(&self, decision: &Decision) {
        let is_driven = self.driven.as_ref().as_ref() == Some(&decision.world);
        if !is_driven && self.runtime.world(&decision.world).is_none() {
            return;
        }
        let Ok(tool) = ToolName::new("process-of-a-tool") else {
            return;
        };
        match self.take(Proof::tool(tool), decision).await {
            Ok(_) => tracing::error!("a tool's decision was accepted"),
            Err(error) => tracing::debug!(%error, "a program that a tool runs tried to decide"),
        }
    }
}

fn proof(uid: u32, by: Option<PersonName>) -> Result<Proof, CliError> {
    let display = by.or_else(person::login);
    display
        .map(|display| Proof::local(uid, display))
        .ok_or_else(|| CliError::other(USAGE, "say who decides: --as NAME"))
}

fn refused(why: &str) -> CliError {
    CliError::other(PENDING, format!("refused: {why}"))
}

/// Says which content of what was read is lost: the peer has seen everything else.
fn lost_of(store: &Store) -> Result<(), CliError> {
    let lost = store.lost_content().to_lines();
    if lost.is_empty() {
        Ok(())
    } else {
        Err(CliError::other(INTEGRITY, lost.join("\n")))
    }
}

fn error_line(error: &CliError) -> Response {
    Response::Error {
        code: error.code(),
        message: error.to_string(),
    }
}

async fn send_all(
    output: &mut OwnedWriteHalf,
    values: Result<Vec<Value>, CliError>,
) -> io::Result<Result<(), CliError>> {
    match values {
        Ok(values) => {
            for value in values {
                send(output, &Response::Value(value)).await?;
            }
            Ok(Ok(()))
        }
        Err(error) => Ok(Err(error)),
    }
}

async fn send(output: &mut OwnedWriteHalf, response: &Response) -> io::Result<()> {
    let mut line = serde_json::to_vec(response)?;
    line.push(b'\n');
    output.write_all(&line).await
}

/// Waits until the peer closes its end. What it sends meanwhile stays to be read.
async fn wait_until_gone(input: &mut BufReader<tokio::net::unix::OwnedReadHalf>) -> io::Result<()> {
    if input.fill_buf().await?.is_empty() {
        Ok(())
    } else {
        std::future::pending().await
    }
}
