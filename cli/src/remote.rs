//! A server elsewhere, which is asked over HTTP in the place of a store.

use std::time::Duration;

use folkmoot::core::ids::PersonName;
use folkmoot::run::Waiting;
use folkmoot_client::{Client, Request};
use jiff::Timestamp;
use serde_json::Value;

use crate::arguments::{CliCommand, CommonArgs, TalkCommand};
use crate::exit::{CliError, STORE, USAGE};

mod fault;
mod offer;

pub(crate) use offer::RequestOffer;

/// The variable with the token. It is no option: those are seen by everybody on the machine.
const TOKEN_VARIABLE: &str = "FOLKMOOT_TOKEN";
/// The time for which a command is tried. A server that is started again is back sooner.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server that `--server` names.
#[derive(Debug, Clone)]
pub(crate) struct Remote {
    client: Client,
    url: String,
}

/// Refuses `--server` for a command that is about a store.
pub(crate) fn check(common: &CommonArgs, command: &CliCommand) -> Result<(), CliError> {
    let is_known = matches!(
        command,
        CliCommand::Worlds(_)
            | CliCommand::Approvals(_)
            | CliCommand::Approve(_)
            | CliCommand::Deny(_)
            | CliCommand::Answer(_)
            | CliCommand::Settle(_)
            | CliCommand::Talk(TalkCommand::Say(_) | TalkCommand::Stop(_))
            | CliCommand::Chat(_)
    );
    if common.server.is_none() || is_known {
        return Ok(());
    }
    Err(not_for_a_server())
}

/// The refusal of `--server` for a command that is about a store.
pub(crate) fn not_for_a_server() -> CliError {
    let why = "this command is about a store: --server is for worlds, approvals, chat, say, stop, approve, deny, answer and settle";
    CliError::other(USAGE, why)
}

impl Remote {
    /// The server that the options name; `None` if they name none.
    pub(crate) fn of(common: &CommonArgs) -> Result<Option<Self>, CliError> {
        let Some(url) = &common.server else {
            return Ok(None);
        };
        let token = std::env::var(TOKEN_VARIABLE).unwrap_or_default();
        if token.is_empty() {
            let why = format!(
                "the server at {url} has to know who you are: put your token into {TOKEN_VARIABLE}; \
                 `folkmoot token new --as NAME --tokens FILE`, where the server is, makes one"
            );
            return Err(CliError::other(STORE, why));
        }
        let client = Client::new(url, &token).map_err(|error| fault::told(url, error))?;
        let (client, url) = (client.patient_for(PATIENCE), url.clone());
        Ok(Some(Self { client, url }))
    }

    /// The client.
    pub(crate) const fn client(&self) -> &Client {
        &self.client
    }

    /// The result of a request, with its error as people are told it.
    pub(crate) fn told<T>(
        &self,
        result: Result<T, folkmoot_client::ClientError>,
    ) -> Result<T, CliError> {
        result.map_err(|error| fault::told(&self.url, error))
    }
}

/// Refuses the options that mean nothing to a server.
pub(crate) fn check_options(by: Option<&PersonName>, resumes: bool) -> Result<(), CliError> {
    let why = match (by, resumes) {
        (Some(_), _) => "a server knows you by your token: leave --as out",
        (None, true) => "a server goes on with its rooms by itself: leave --resume out",
        (None, false) => return Ok(()),
    };
    Err(CliError::other(USAGE, why))
}

/// A request as commands show it.
pub(crate) fn waiting(request: &Request) -> Result<Waiting, CliError> {
    let mut value = serde_json::to_value(request).map_err(CliError::json)?;
    read_time(&mut value, "/asks/expires_at");
    serde_json::from_value(value).map_err(|error| {
        let what = format!(
            "the request {} is of another version: {error}",
            request.name
        );
        CliError::other(STORE, what)
    })
}

/// Reads the time at `pointer`, which servers write as RFC 3339, as a number of milliseconds.
pub(crate) fn read_time(value: &mut Value, pointer: &str) {
    if let Some(time) = value.pointer_mut(pointer)
        && let Some(at) = time.as_str().and_then(|at| at.parse::<Timestamp>().ok())
    {
        *time = Value::from(at.as_millisecond());
    }
}
