//! The HTTP client of one model: whom it trusts, and through what it goes.

use std::path::{Path, PathBuf};

use reqwest::{Certificate, Client, ClientBuilder, Url, redirect};
use serde::{Deserialize, Deserializer, de};

use super::secret::{Environment, MissingVariable, Template};
use super::settings::{HttpSettings, has_literal_password, literal_secret};

#[cfg(test)]
mod tests;

/// The largest file of root certificates: more than all of the world's.
const CA_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Through what calls go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Proxy {
    /// The proxy that the system names: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
    #[default]
    System,
    /// None, whatever the system says. `none` in scripts.
    None,
    /// The proxy at this URL, for every call. A password in it must come from a variable.
    Url(Template),
}

impl Proxy {
    /// The URL, if it is said.
    pub(super) const fn url(&self) -> Option<&Template> {
        match self {
            Self::System | Self::None => None,
            Self::Url(url) => Some(url),
        }
    }
}

impl<'de> Deserialize<'de> for Proxy {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        if text == "none" {
            return Ok(Self::None);
        }
        let template = Template::new(text).map_err(de::Error::custom)?;
        if has_literal_password(&template) {
            return Err(literal_secret("proxy"));
        }
        Ok(Self::Url(template))
    }
}

/// A reason why an [`HttpModel`](super::HttpModel) could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpSetupError {
    /// The HTTP client could not be made, e.g. because no certificates are there.
    #[error("cannot set up the HTTP client")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The file of root certificates cannot be read.
    #[error("cannot read the ca_file {}", path.display())]
    UnreadableCa {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file of root certificates holds none, or one that is broken.
    #[error("the ca_file {} has no PEM certificates that can be read", path.display())]
    BadCa {
        /// The file.
        path: PathBuf,
        /// The fault of one of them; `None` if there are none.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The proxy's variable is not set.
    #[error("the variable for the proxy is not set")]
    UnknownProxy(#[from] MissingVariable),
    /// The proxy is no URL. Its text is not repeated: a password may stand in it.
    #[error("the proxy is not a URL: write one like http://127.0.0.1:3128")]
    BadProxy,
}

/// Makes the client. The certificates and the proxy are looked up now, so that what is wrong with
/// them is said now.
pub(super) fn client(
    settings: &HttpSettings,
    environment: &dyn Environment,
) -> Result<Client, HttpSetupError> {
    // Without a provider the client panics. An error says that the embedder has installed one,
    // which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
    let builder = Client::builder()
        .connect_timeout(settings.timeouts.connect)
        .redirect(redirect::Policy::none()) // a redirected POST would lose its body or take the key elsewhere
        .retry(reqwest::retry::never()) // attempts are owned by the log
        .user_agent(concat!("folkmoot/", env!("CARGO_PKG_VERSION")));
    let builder = through(builder, &settings.proxy, environment)?;
    let builder = match &settings.ca_file {
        Some(path) => builder.tls_certs_merge(certificates(path)?),
        None => builder,
    };
    // The roots of the system are taken as they are; it is ours whose bytes are looked at here.
    builder.build().map_err(|error| match &settings.ca_file {
        Some(path) => HttpSetupError::BadCa {
            path: path.clone(),
            source: Some(Box::new(error)),
        },
        None => HttpSetupError::Client(Box::new(error)),
    })
}

fn through(
    builder: ClientBuilder,
    proxy: &Proxy,
    environment: &dyn Environment,
) -> Result<ClientBuilder, HttpSetupError> {
    Ok(match proxy {
        Proxy::System => builder,
        Proxy::None => builder.no_proxy(),
        Proxy::Url(template) => {
            let url = template.expand(environment)?;
            // Without a scheme it would be read as one of HTTP, which need not be meant.
            let is_http = |url: &Url| url.has_host() && matches!(url.scheme(), "http" | "https");
            if Url::parse(url.expose()).is_ok_and(|url| is_http(&url)) {
                builder
                    .proxy(reqwest::Proxy::all(url.expose()).map_err(|_| HttpSetupError::BadProxy)?)
            } else {
                return Err(HttpSetupError::BadProxy);
            }
        }
    })
}

fn certificates(path: &Path) -> Result<Vec<Certificate>, HttpSetupError> {
    let unreadable = |source| HttpSetupError::UnreadableCa {
        path: path.to_owned(),
        source,
    };
    let bad = || HttpSetupError::BadCa {
        path: path.to_owned(),
        source: None,
    };
    if std::fs::metadata(path).map_err(unreadable)?.len() > CA_BYTES_MAX {
        return Err(bad());
    }
    let pem = std::fs::read(path).map_err(unreadable)?;
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|_| bad())?;
    // A file without any would leave the script's wish unheard.
    if certificates.is_empty() {
        Err(bad())
    } else {
        Ok(certificates)
    }
}
