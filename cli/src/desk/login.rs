//! Login links of the server that this process is.

use folkmoot::core::port::causes::with_causes;
use folkmoot_server::{Hosts, Secret, Sessions};
use serde::{Deserialize, Serialize};

use crate::exit::{CliError, STORE};

/// The minutes for which a link works.
const MINUTES: u32 = 10;

/// The maker of login links.
#[derive(Debug, Clone)]
pub(crate) struct LoginDesk {
    /// The sessions that the links begin.
    pub(crate) sessions: Sessions,
    /// The hosts of the server.
    pub(crate) hosts: Hosts,
}

/// A login link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoginLink {
    /// The URL to open. Whoever opens it first is signed in.
    pub(crate) link: String,
    /// The minutes for which it works.
    pub(crate) minutes: u32,
}

impl LoginDesk {
    /// Makes another link.
    pub(crate) async fn link(&self) -> Result<LoginLink, CliError> {
        let url = self.hosts.url();
        let url = url.ok_or_else(|| CliError::other(STORE, "the server has no address"))?;
        let code = self.sessions.code().await;
        let code = code.map_err(|error| CliError::other(STORE, with_causes(&error)))?;
        Ok(LoginLink::of(&url, &code))
    }
}

impl LoginLink {
    /// The link with `code` to the server at `url`.
    pub(crate) fn of(url: &str, code: &Secret) -> Self {
        let url = url.trim_end_matches('/');
        Self {
            // Browsers send no fragment: the code stays out of logs.
            link: format!("{url}/login#{}", code.expose()),
            minutes: MINUTES,
        }
    }
}
