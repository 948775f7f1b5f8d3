//! Login links of the server that this process is.

use folkmoot_server::{Hosts, Sessions};
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
    pub(crate) fn link(&self) -> Result<LoginLink, CliError> {
        let failed = |why: String| CliError::other(STORE, why);
        let url = self.hosts.url();
        let url = url.ok_or_else(|| failed("the server has no address".to_owned()))?;
        let code = self
            .sessions
            .code()
            .map_err(|error| failed(error.to_string()))?;
        Ok(LoginLink {
            // Browsers send no fragment: the code stays out of logs.
            link: format!("{url}/login#{}", code.expose()),
            minutes: MINUTES,
        })
    }
}
