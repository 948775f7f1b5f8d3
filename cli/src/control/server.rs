//! The holder's end of the socket.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::TryStreamExt as _;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::{REQUEST_MAX, Response, SOCKET, Way};
use crate::desk::peer::Peer;
use crate::desk::{Desk, DeskRequest};
use crate::exit::{CliError, STORE, USAGE};

#[cfg(test)]
mod tests;

/// The most processes of people that are served at a time; more wait. A chat or a run at a server
/// keeps one place for as long as it lasts.
const PEERS_MAX: usize = 256;
/// The most other processes that are refused at a time; more are turned away without a word. They
/// take no person's place.
const OTHERS_MAX: usize = 4;
/// The longest silence of a peer before it is let go.
const SILENCE_MAX: Duration = Duration::from_secs(10);
/// The pause when nobody can be accepted, e.g. because too many files are open.
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

/// Lets peers ask at `desk`, over the socket in the directory `dir` of its store.
pub(crate) fn serve(dir: &Path, desk: Desk) -> Result<Control, CliError> {
    let path = dir.join(SOCKET);
    let failed = |error: io::Error| {
        CliError::other(
            STORE,
            format!("cannot make the control socket {}: {error}", path.display()),
        )
    };
    let listener = listen(dir).map_err(failed)?;
    let mut serving = JoinSet::new();
    serving.spawn(accept(listener, desk));
    Ok(Control {
        path,
        _serving: serving,
    })
}

/// The socket appears under its name only when nobody else can use it any more. A stale one is
/// replaced: whoever calls this holds the store's lock.
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

async fn accept(listener: UnixListener, desk: Desk) {
    let places = PeerPlaces::new();
    let mut peers = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let peer = Peer::of(&stream);
                if let Some(place) = places.take(peer).await {
                    let desk = desk.clone();
                    peers.spawn(async move {
                        if let Err(error) = attend(&desk, peer, stream).await {
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

/// The places of those who are served at a time.
#[derive(Debug)]
struct PeerPlaces {
    people: Arc<Semaphore>,
    others: Arc<Semaphore>,
}

impl PeerPlaces {
    fn new() -> Self {
        Self {
            people: Arc::new(Semaphore::new(PEERS_MAX)),
            others: Arc::new(Semaphore::new(OTHERS_MAX)),
        }
    }

    /// A place for `peer`; `None` for one that is turned away.
    async fn take(&self, peer: Peer) -> Option<OwnedSemaphorePermit> {
        match peer {
            Peer::Holder | Peer::Person(_) => Arc::clone(&self.people).acquire_owned().await.ok(),
            Peer::OfTool | Peer::Stranger => Arc::clone(&self.others).try_acquire_owned().ok(),
        }
    }
}

/// Answers what a peer asks, one request after another, until it goes away.
async fn attend(desk: &Desk, peer: Peer, stream: UnixStream) -> io::Result<()> {
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
        let last = tokio::select! {
            last = answer(desk, peer, &line, &mut output) => last?,
            gone = wait_until_gone(&mut input) => return gone,
        };
        send(&mut output, &last).await?;
    }
}

/// Sends the answer to one request; returns its last line.
async fn answer(
    desk: &Desk,
    peer: Peer,
    line: &[u8],
    output: &mut OwnedWriteHalf,
) -> io::Result<Response> {
    let request: DeskRequest = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(error) => {
            let error = CliError::other(USAGE, format!("this is no request: {error}"));
            return Ok(error_line(&error));
        }
    };
    let mut values = match desk.serve(peer, request).await {
        Ok(values) => values,
        Err(error) => return Ok(error_line(&error)),
    };
    loop {
        match values.try_next().await {
            Ok(Some(value)) => send(output, &Response::Value(value)).await?,
            Ok(None) => return Ok(Response::Done),
            Err(error) => return Ok(error_line(&error)),
        }
    }
}

fn error_line(error: &CliError) -> Response {
    Response::Error {
        code: error.code(),
        message: error.to_string(),
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
