//! The place of a JWKS: a file, or a URL that is asked within bounds.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use reqwest::{Client, StatusCode, Url, redirect};
use tokio::task::JoinError;

use super::settings::{JwtSetupError, read};

/// The longest JWKS, in bytes.
pub(super) const JWKS_BYTES_MAX: u64 = 256 * 1024;
/// The longest time that fetching one may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The place of a JWKS.
#[derive(Debug, Clone)]
pub(super) enum JwksPlace {
    File(PathBuf),
    Url(Url, Client),
}

/// The reason that keys cannot be at a URL.
#[derive(Debug, thiserror::Error)]
pub(super) enum PlaceError {
    #[error("`keys.url` is no URL")]
    NoUrl(#[source] <Url as FromStr>::Err),
    #[error(
        "`keys.url` begins with https:// (http:// on this machine alone), and has no user in it"
    )]
    Unfit,
    #[error(transparent)]
    Client(reqwest::Error),
}

/// The reason that a JWKS cannot be read or fetched.
#[derive(Debug, thiserror::Error)]
pub(super) enum LoadError {
    #[error(transparent)]
    File(#[from] JwtSetupError),
    #[error(transparent)]
    Thread(#[from] JoinError),
    #[error(transparent)]
    Fetch(#[from] reqwest::Error),
    #[error("the answer is {0}")]
    Status(StatusCode),
    #[error("it is longer than {JWKS_BYTES_MAX} bytes")]
    TooLong,
}

impl JwksPlace {
    /// The place at a URL. Without TLS only this machine is believed.
    pub(super) fn url(text: &str) -> Result<Self, PlaceError> {
        Self::patient(text, PATIENCE)
    }

    pub(super) fn patient(text: &str, patience: Duration) -> Result<Self, PlaceError> {
        let url = Url::parse(text).map_err(PlaceError::NoUrl)?;
        let is_here = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        let is_fit = url.scheme() == "https" || url.scheme() == "http" && is_here;
        if !is_fit || !url.username().is_empty() || url.password().is_some() {
            return Err(PlaceError::Unfit);
        }
        // An error says that another part of the program has installed one, which is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let client = Client::builder()
            .timeout(patience)
            .redirect(redirect::Policy::none()) // keys come from where the settings say
            .user_agent(concat!("folkmoot/", env!("CARGO_PKG_VERSION")));
        let client = if is_here { client.no_proxy() } else { client };
        let client = client.build().map_err(PlaceError::Client)?;
        Ok(Self::Url(url, client))
    }

    /// The bytes that are there now.
    pub(super) async fn load(&self) -> Result<Vec<u8>, LoadError> {
        match self {
            Self::File(path) => {
                let path = path.clone();
                let read = tokio::task::spawn_blocking(move || read(&path, JWKS_BYTES_MAX));
                Ok(read.await??)
            }
            Self::Url(url, client) => fetch(url.clone(), client).await,
        }
    }
}

async fn fetch(url: Url, client: &Client) -> Result<Vec<u8>, LoadError> {
    let mut response = client.get(url).send().await?;
    if response.status() != StatusCode::OK {
        return Err(LoadError::Status(response.status()));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() as u64 > JWKS_BYTES_MAX {
            return Err(LoadError::TooLong);
        }
    }
    Ok(bytes)
}

impl fmt::Display for JwksPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Url(url, _) => write!(f, "{url}"),
        }
    }
}
