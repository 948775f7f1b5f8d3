//! The keys of an issuer: a JWKS that is kept, and fetched again for a key that is not known.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use folkmoot::core::port::causes::with_causes;
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;

use super::place::{JwksPlace, LoadError};
use crate::identity::AuthenticateError;

/// The shortest time between two fetches.
const FETCH_EVERY: Duration = Duration::from_secs(60);
/// The age of keys at which they are fetched again behind the back of a request, so that one that
/// the issuer took back ends.
const OLD: Duration = Duration::from_secs(60 * 60);
/// The most keys of an issuer.
const KEYS_MAX: usize = 100;
/// The fewest base64 digits of an RSA modulus: 2048 bits.
const MODULUS_DIGITS_MIN: usize = 342;

/// A key that signatures are checked with.
#[derive(Clone)]
pub(super) struct PublicKey {
    pub(super) key: DecodingKey,
    /// The algorithm that the issuer says it is for; `None` if it says none.
    algorithm: Option<KeyAlgorithm>,
}

impl PublicKey {
    /// Tells whether the key is for `algorithm`.
    pub(super) fn is_for(&self, algorithm: Algorithm) -> bool {
        let said = self
            .algorithm
            .is_none_or(|said| said.to_string() == format!("{algorithm:?}"));
        said && self.key.family() == algorithm.family()
    }
}

impl std::fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PublicKey").finish_non_exhaustive()
    }
}

/// The keys that are known, by their ids.
pub(super) type Known = HashMap<String, PublicKey>;

/// The keys of an issuer.
#[derive(Debug)]
pub(super) struct KeySet {
    place: JwksPlace,
    fetch_every: Duration,
    known: RwLock<Arc<Known>>,
    /// The time of the last fetch. Whoever fetches holds it.
    fetched: Arc<Mutex<LastFetch>>,
}

/// The last fetch.
#[derive(Debug, Clone, Copy, Default)]
struct LastFetch {
    /// Its time; `None` if there was none.
    at: Option<Instant>,
    /// True if it failed.
    failed: bool,
}

impl KeySet {
    /// The keys of `place`. Those that are `known` were fetched just now.
    pub(super) fn at(place: JwksPlace, known: Option<Known>) -> Self {
        let fetched = LastFetch {
            at: known.is_some().then(Instant::now),
            failed: false,
        };
        Self {
            place,
            fetch_every: FETCH_EVERY,
            known: RwLock::new(Arc::new(known.unwrap_or_default())),
            fetched: Arc::new(Mutex::new(fetched)),
        }
    }

    /// The same, with another shortest time between two fetches.
    #[cfg(test)]
    pub(super) fn fetched_every(self, fetch_every: Duration) -> Arc<Self> {
        Arc::new(Self {
            fetch_every,
            ..self
        })
    }

    /// The key called `id`. One that is known needs no fetch, and waits for none.
    pub(super) async fn key(self: &Arc<Self>, id: &str) -> Result<PublicKey, AuthenticateError> {
        if let Some(key) = self.known(id) {
            self.renew_if_old();
            return Ok(key);
        }
        let last = Arc::clone(&self.fetched).lock_owned().await;
        let is_early = last.at.is_some_and(|at| at.elapsed() < self.fetch_every);
        let failed = if is_early {
            last.failed
        } else {
            // The fetch goes on if this request is given up: else whoever gives up would spend it.
            let fetch = tokio::spawn(Arc::clone(self).fetch(last));
            fetch.await.unwrap_or(true)
        };
        match self.known(id) {
            Some(key) => Ok(key),
            None if failed => Err(AuthenticateError::Unavailable(
                "the keys of its issuer cannot be fetched: try again in a minute".to_owned(),
            )),
            None => Err(AuthenticateError::Unknown),
        }
    }

    fn known(&self, id: &str) -> Option<PublicKey> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(id).cloned()
    }

    fn renew_if_old(self: &Arc<Self>) {
        let Ok(last) = Arc::clone(&self.fetched).try_lock_owned() else {
            return;
        };
        if last.at.is_none_or(|at| at.elapsed() > OLD) {
            tokio::spawn(Arc::clone(self).fetch(last));
        }
    }

    /// Fetches the keys; true if that failed.
    async fn fetch(self: Arc<Self>, mut last: OwnedMutexGuard<LastFetch>) -> bool {
        last.at = Some(Instant::now());
        let keys = self.load().await;
        last.failed = keys.is_err();
        match keys {
            Ok(keys) => {
                *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
            }
            Err(error) => {
                let why = with_causes(&error);
                tracing::error!(place = %self.place, why, "the keys of an issuer");
            }
        }
        last.failed
    }

    async fn load(&self) -> Result<Known, FetchError> {
        Ok(keys(&self.place.load().await?)?)
    }
}

/// The document of a JWKS. Its keys are read one by one: one of a new kind spoils no other.
#[derive(Deserialize)]
struct Document {
    keys: Vec<Value>,
}

/// The reason that keys cannot be fetched.
#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Keys(#[from] KeysError),
}

/// The reason that a JWKS cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeysError {
    #[error("this is no JWKS")]
    NoJwks(#[source] serde_json::Error),
    #[error("a JWKS has at most {KEYS_MAX} keys")]
    TooMany,
    #[error("two keys have the id {0:?}")]
    Twice(String),
    #[error("no key has an id and can check signatures")]
    NoneUsable,
}

/// The keys of a JWKS that can check signatures, by their ids.
pub(super) fn keys(bytes: &[u8]) -> Result<Known, KeysError> {
    let document: Document = serde_json::from_slice(bytes).map_err(KeysError::NoJwks)?;
    if document.keys.len() > KEYS_MAX {
        return Err(KeysError::TooMany);
    }
    let mut known = Known::new();
    for (id, key) in document.keys.into_iter().filter_map(usable) {
        if known.insert(id.clone(), key).is_some() {
            return Err(KeysError::Twice(id));
        }
    }
    if known.is_empty() {
        return Err(KeysError::NoneUsable);
    }
    Ok(known)
}

/// The key with its id, if it is public, strong enough, and meant for signatures.
fn usable(key: Value) -> Option<(String, PublicKey)> {
    let jwk: Jwk = serde_json::from_value(key).ok()?;
    let is_strong = match &jwk.algorithm {
        AlgorithmParameters::RSA(rsa) => rsa.n.len() >= MODULUS_DIGITS_MIN,
        AlgorithmParameters::EllipticCurve(_) | AlgorithmParameters::OctetKeyPair(_) => true,
        // A secret in a public document is none.
        AlgorithmParameters::OctetKey(_) | AlgorithmParameters::Other(_) | _ => false,
    };
    let is_meant = matches!(
        jwk.common.public_key_use,
        None | Some(PublicKeyUse::Signature)
    );
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    let algorithm = jwk.common.key_algorithm;
    let id = jwk.common.key_id.filter(|_| is_strong && is_meant)?;
    Some((id, PublicKey { key, algorithm }))
}
