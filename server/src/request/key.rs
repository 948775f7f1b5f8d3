//! The key that makes a repeated request harmless.

use std::sync::Arc;

use axum::extract::{FromRequestParts, MatchedPath};
use axum::http::request::Parts;
use folkmoot::Key;
use sha2::{Digest as _, Sha256};

use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::rooms::Lobby;

/// The name of the header.
const HEADER: &str = "idempotency-key";
/// The longest key of a client, in bytes.
const KEY_BYTES_MAX: usize = 255;

/// The client's `Idempotency-Key`, and the route that it stands for.
#[derive(Debug, Clone)]
pub(crate) struct RequestKey {
    route: String,
    key: Option<String>,
}

impl FromRequestParts<Arc<Lobby>> for RequestKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _lobby: &Arc<Lobby>) -> Result<Self, Problem> {
        let path = parts.extensions.get::<MatchedPath>();
        let path = path.map_or(parts.uri.path(), MatchedPath::as_str);
        // A router that is mounted below a prefix has the same routes.
        let path = path
            .find("/v1/")
            .and_then(|at| path.get(at..))
            .unwrap_or(path);
        let route = format!("{} {path}", parts.method);
        let key = match parts.headers.get(HEADER) {
            None => None,
            Some(key) => Some(checked(key.as_bytes())?),
        };
        Ok(Self { route, key })
    }
}

fn checked(key: &[u8]) -> Result<String, Problem> {
    let is_fit = (1..=KEY_BYTES_MAX).contains(&key.len());
    let key = std::str::from_utf8(key).ok().filter(|_| is_fit);
    key.map(str::to_owned).ok_or_else(|| {
        let why = format!("an Idempotency-Key has 1 to {KEY_BYTES_MAX} visible bytes");
        Problem::new(ProblemCode::BadRequest, why).about("Idempotency-Key")
    })
}

impl RequestKey {
    /// The key `key` of a command that came without the header: the same as over the route.
    pub(crate) fn of_route(route: &str, key: &str) -> Result<Self, Problem> {
        Ok(Self {
            route: route.to_owned(),
            key: Some(checked(key.as_bytes())?),
        })
    }

    /// The absence of a key: each command is one of its own.
    #[cfg(feature = "mcp")]
    pub(crate) fn none(route: &str) -> Self {
        Self {
            route: route.to_owned(),
            key: None,
        }
    }

    /// The key as a world records it: a hash of the principal, the route and the client's key, so
    /// that nobody meets another's keys.
    pub(crate) fn of(&self, caller: &Caller) -> Option<Key> {
        let hash = self.hash(caller)?;
        Some(Key::Client(
            hash.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// The hash of the principal, the route and the client's key.
    pub(crate) fn hash(&self, caller: &Caller) -> Option<[u8; 32]> {
        let key = self.key.as_ref()?;
        let mut hash = Sha256::new();
        // The lengths keep parts from running into each other.
        for part in [&caller.key(), &self.route, key] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Some(hash.finalize().into())
    }
}
