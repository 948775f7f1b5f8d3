use std::io;
use std::net::IpAddr;

use folkmoot_core::port::causes::with_causes;
use folkmoot_core::tool::{ToolErrorCode, ToolFailure};

use super::place::{Origin, PlaceError};
use crate::variables::MissingVariable;

/// A reason why a request brought nothing. The words are for operators; they name no header.
#[derive(Debug, thiserror::Error)]
pub(super) enum WebError {
    #[error(transparent)]
    BadUrl(PlaceError),
    #[error("{0}")]
    BadRequest(&'static str),
    #[error("no rule in `allow` fits {verb} {origin} with this path")]
    NoRule { verb: &'static str, origin: Origin },
    #[error(
        "{origin} has the address {address}, which its rule in `allow` does not let it have: list its network under `addresses` if it may"
    )]
    BadAddress { origin: Origin, address: IpAddr },
    #[error("{origin} has more than {max} addresses")]
    ManyAddresses { origin: Origin, max: usize },
    #[error("{origin} redirects to what is no place for this tool")]
    BadRedirect {
        origin: Origin,
        #[source]
        source: PlaceError,
    },
    #[error("{origin} redirects for the {max}th time and more")]
    ManyRedirects { origin: Origin, max: u32 },
    #[error("cannot look up {origin}")]
    NotResolved {
        origin: Origin,
        #[source]
        source: io::Error,
    },
    #[error("{origin} has no address")]
    NoAddress { origin: Origin },
    #[error("cannot connect to {origin}")]
    NotConnected {
        origin: Origin,
        #[source]
        source: io::Error,
    },
    #[error("cannot set up TLS")]
    NoTls(#[source] rustls::Error),
    #[error(transparent)]
    MissingVariable(#[from] MissingVariable),
    #[error("the value of a header in `allow` is no value of a header")]
    BadValue,
    #[error("{origin} did not answer as HTTP does, or not to the end")]
    Broken {
        origin: Origin,
        #[source]
        source: hyper::Error,
    },
    #[error("the request to {origin} was sent, and no answer came")]
    Lost {
        origin: Origin,
        #[source]
        source: hyper::Error,
    },
    #[error("{origin} sent what was not asked for: content encoded as {encoding:?}")]
    BadEncoding { origin: Origin, encoding: String },
    #[error("{origin} sent content that is not gzip, as it says")]
    BadGzip { origin: Origin },
    #[error("the page could not be read: {0}")]
    NotConverted(String),
}

impl WebError {
    fn code(&self) -> ToolErrorCode {
        match self {
            Self::BadUrl(_) | Self::BadRequest(_) => ToolErrorCode::BadArguments,
            Self::NoRule { .. }
            | Self::BadAddress { .. }
            | Self::ManyAddresses { .. }
            | Self::BadRedirect { .. } => ToolErrorCode::NotAllowed,
            Self::NotResolved { .. } | Self::NoAddress { .. } => ToolErrorCode::NotFound,
            Self::Lost { .. } => ToolErrorCode::Lost,
            Self::ManyRedirects { .. }
            | Self::NotConnected { .. }
            | Self::NoTls(_)
            | Self::MissingVariable(_)
            | Self::BadValue
            | Self::Broken { .. }
            | Self::BadEncoding { .. }
            | Self::BadGzip { .. }
            | Self::NotConverted(_) => ToolErrorCode::Failed,
        }
    }
}

impl From<WebError> for ToolFailure {
    fn from(error: WebError) -> Self {
        Self::new(error.code(), with_causes(&error))
    }
}
