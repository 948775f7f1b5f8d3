//! The other end: asking the process that holds the store.

use std::io;
use std::path::Path;
use std::time::Duration;

use futures::stream;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;

use super::{Response, SOCKET, Way};
use crate::desk::DeskRequest;
use crate::desk::room::RoomWish;
use crate::exit::{CliError, STORE};
use crate::view::answer::ValueStream;
use crate::view::query::Query;

/// A connection to the process that holds a store.
#[derive(Debug)]
pub(crate) struct Client(UnixStream);

impl Client {
    /// Connects to whoever holds `store`.
    pub(crate) async fn connect(store: &Path) -> io::Result<Self> {
        let way = Way::to(store, SOCKET)?;
        UnixStream::connect(&way.path).await.map(Self)
    }

    /// Asks, and gives the answer as it comes. A log that is followed ends with its holder.
    pub(crate) async fn ask(self, request: &DeskRequest) -> Result<ValueStream, CliError> {
        let mut line = serde_json::to_vec(request).map_err(CliError::json)?;
        line.push(b'\n');
        let (input, mut output) = self.0.into_split();
        output.write_all(&line).await.map_err(lost)?;
        // The writing half goes along: closing it would say that nobody wants an answer.
        let is_news = matches!(request, DeskRequest::Room(query) if query.wants.is_news());
        let is_log = matches!(request, DeskRequest::Query(Query::Log(query)) if query.follow);
        let ends_with_holder = is_log || is_news;
        // What takes as long as the store is large, or as a room is busy, is waited for.
        let is_rest = matches!(request, DeskRequest::Room(query) if query.wants == RoomWish::Rest);
        let is_copied = matches!(request, DeskRequest::Delete(_) | DeskRequest::Backup(_));
        let is_long = is_rest || is_copied;
        let state = (BufReader::new(input), output);
        let lines = stream::try_unfold(
            (
                state,
                if is_log || is_long {
                    FirstAnswer::No
                } else {
                    FirstAnswer::Yes
                },
            ),
            move |((mut input, output), first)| async move {
                let response = match first {
                    FirstAnswer::Yes => tokio::time::timeout(PATIENCE, read(&mut input))
                        .await
                        .map_err(|_| silent())?,
                    FirstAnswer::No => read(&mut input).await,
                };
                match response? {
                    Some(Response::Value(value)) => {
                        Ok(Some((value, ((input, output), FirstAnswer::No))))
                    }
                    Some(Response::Done) => Ok(None),
                    Some(Response::Error { code, message }) => Err(CliError::other(code, message)),
                    None if ends_with_holder => Ok(None),
                    None => Err(lost("the connection was closed")),
                }
            },
        );
        Ok(ValueStream::of(lines))
    }
}

/// A mark that an answer is still to begin, or has begun.
#[derive(Debug, Clone, Copy)]
enum FirstAnswer {
    Yes,
    No,
}

/// The time that the holder may take to begin its answer. It may be busy; one that is suspended
/// never begins.
const PATIENCE: Duration = Duration::from_secs(30);

fn silent() -> CliError {
    let why = format!(
        "the process that holds the store does not answer within {PATIENCE:?}: it may be suspended"
    );
    CliError::other(STORE, why)
}

fn lost(error: impl std::fmt::Display) -> CliError {
    CliError::HolderLost(error.to_string())
}

/// The next line; `None` if the connection was closed.
async fn read(input: &mut BufReader<OwnedReadHalf>) -> Result<Option<Response>, CliError> {
    let mut line = String::new();
    if input.read_line(&mut line).await.map_err(lost)? == 0 {
        return Ok(None);
    }
    serde_json::from_str(&line).map(Some).map_err(lost)
}
