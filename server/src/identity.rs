//! Who sends a request, and what they may do with it.
//!
//! An [`Authenticate`] decides. The rights in a world are the intersection of what it says and of
//! what the world itself says.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use axum::http::request::Parts;
use folkmoot::core::ids::PersonName;
use folkmoot::{Proof, Right, Rights, WorldName};

mod bearer;
mod jwt;
mod lease;
mod pattern;
mod records;
mod secret;
mod service;
mod sessions;
mod several;
mod shared;
mod tokens;

pub(crate) use bearer::bearer;
pub use jwt::{Jwt, JwtSetupError};
pub use lease::{Lease, Lessor};
pub use pattern::{PatternError, WorldPattern};
pub use records::RecordsError;
pub(crate) use secret::SecretKind;
pub use secret::{RandomnessError, Secret};
pub use sessions::{LocalUser, SessionError, Sessions, login_code};
pub use several::Several;
pub use shared::SharedRecordsError;
pub use tokens::{
    NewToken, PrincipalKind, Revocation, TokenError, TokenFile, TokenRecord, TokenTable, Tokens,
};

/// The way in which a server learns who sends a request. An embedder has one of its own.
#[async_trait]
pub trait Authenticate: Send + Sync + Debug {
    /// Says who sends the request with the head `parts`.
    ///
    /// # Errors
    /// [`AuthenticateError`] if it names nobody, or somebody who is not known.
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError>;
}

/// The reason that a request has no caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthenticateError {
    /// The request names nobody.
    #[error("the request names nobody: send `Authorization: Bearer TOKEN`")]
    Nobody,
    /// The token is not known, was revoked, or has expired. They are not told apart.
    #[error("the token is not known here, was revoked, or has expired")]
    Unknown,
    /// The request names somebody in a form that is not read.
    #[error("the header Authorization cannot be read: {0}")]
    Malformed(&'static str),
    /// The token is genuine, and cannot be used here.
    #[error("the token cannot be used here: {0}")]
    Unfit(String),
    /// It cannot be told now, e.g. because the keys of an issuer cannot be fetched.
    #[error("it cannot be told now who sends the request: {0}")]
    Unavailable(String),
}

/// Somebody who sends requests.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The proof of who it is.
    pub proof: Proof,
    /// The permissions that their token gives.
    pub may: Permissions,
    /// The time for which this holds.
    pub lease: Lease,
}

impl Caller {
    /// Somebody who may do everything that the worlds allow them.
    #[must_use]
    pub fn of(proof: Proof) -> Self {
        Self {
            proof,
            may: Permissions::all(),
            lease: Lease::forever(),
        }
    }

    /// The user `uid` of a machine that runs a server.
    fn local(uid: u32, display: &PersonName) -> Self {
        Self::of(Proof::local(uid, display.clone()))
    }

    /// The caller in one word, e.g. `token:ada`: who has the same is the same principal.
    #[must_use]
    pub fn key(&self) -> String {
        let principal = self.proof.principal();
        principal.proof().unwrap_or_else(|| principal.to_string())
    }
}

/// The permissions of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permissions {
    /// The rights, in any world that the token reaches.
    pub rights: Rights,
    /// The worlds that it reaches.
    pub worlds: Arc<[WorldPattern]>,
    /// True if it may open new worlds.
    pub create: bool,
}

impl Permissions {
    /// Everything.
    #[must_use]
    pub fn all() -> Self {
        Self {
            rights: Rights::all(),
            worlds: [WorldPattern::all()].into(),
            create: true,
        }
    }

    /// Tells whether `right` is given in the world called `name`.
    #[must_use]
    pub fn has(&self, right: Right, name: &WorldName) -> bool {
        self.rights.has(right) && self.worlds.iter().any(|pattern| pattern.fits(name))
    }

    /// Tells whether it may operate the whole server: name worlds, and read what is of no world.
    #[must_use]
    pub fn operates_server(&self) -> bool {
        self.create
            && self.rights.has(Right::Operate)
            && self.worlds.iter().any(WorldPattern::is_all)
    }
}
