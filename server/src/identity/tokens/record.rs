//! Tokens as they stand in their file.

use std::time::SystemTime;

use folkmoot::core::ids::PersonName;
use folkmoot::{Proof, Right, Rights};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::secret::SecretHash;
use super::super::service::service;
use super::super::{AuthenticateError, Caller, Lease, Permissions, WorldPattern};

/// The method by which the holders of tokens are proven.
const METHOD: &str = "token";

/// The kinds of principals that come from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrincipalKind {
    /// A human.
    Person,
    /// A program.
    Service,
}

impl PrincipalKind {
    /// The rights of a token that was made without saying any.
    #[must_use]
    pub fn usual_rights(self) -> Rights {
        match self {
            Self::Person => Rights::all(),
            Self::Service => Rights([Right::Read, Right::Post].into()),
        }
    }
}

/// A token, without its secret: a line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRecord {
    /// The id, by which people call the token.
    pub id: String,
    /// The hash of the secret.
    pub(in crate::identity) sha256: SecretHash,
    /// The holder. All tokens of one name and kind are one principal.
    #[serde(rename = "as")]
    pub name: PersonName,
    /// The kind of the holder.
    pub kind: PrincipalKind,
    /// The rights, in any world that the token reaches.
    pub may: Rights,
    /// The worlds that it reaches.
    pub worlds: Vec<WorldPattern>,
    /// True if it may open new worlds.
    pub create: bool,
    /// Whoever made it, e.g. `local:uid=1000 (ada)`.
    pub minted_by: String,
    /// The time at which it was made.
    pub minted_at: Timestamp,
    /// The time from which on it is worth nothing; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Its end before that; `None` if nobody revoked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Revocation>,
}

/// The end of a token before its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revocation {
    /// Whoever revoked it.
    pub by: String,
    /// The time.
    pub at: Timestamp,
}

impl TokenRecord {
    /// Tells whether it is worth something at `now`.
    #[must_use]
    pub fn holds(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|end| now < end)
    }

    /// The holder, for as long as it holds and `lease` does; nobody if it has ended.
    pub(super) fn caller(
        &self,
        lease: Lease,
        now: SystemTime,
    ) -> Result<Caller, AuthenticateError> {
        let end = self.end();
        if end.is_some_and(|end| end <= now) {
            return Err(AuthenticateError::Unknown);
        }
        Ok(Caller {
            proof: self.proof(),
            may: self.permissions(),
            lease: lease.and(end.map_or_else(Lease::forever, Lease::until)),
        })
    }

    fn end(&self) -> Option<SystemTime> {
        self.expires.map(SystemTime::from)
    }

    /// The holder. The name is the subject: it is what the minter vouches for.
    fn proof(&self) -> Proof {
        match self.kind {
            PrincipalKind::Person => Proof::by(METHOD)
                .user(self.name.as_str())
                .called(self.name.clone()),
            PrincipalKind::Service => service(METHOD, self.name.as_str(), &self.name),
        }
    }

    fn permissions(&self) -> Permissions {
        Permissions {
            rights: self.may.clone(),
            worlds: self.worlds.clone().into(),
            create: self.create,
        }
    }
}
