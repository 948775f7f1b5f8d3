//! JSON Web Tokens of an issuer.
//!
//! Its settings are a file of YAML:
//!
//! ```yaml
#![doc = include_str!("jwt/example.yaml")]
//! ```

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use axum::http::request::Parts;
use folkmoot::core::port::causes::with_causes;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::{Map, Value};

use super::bearer::bearer;
use super::secret::Secret;
use super::{Authenticate, AuthenticateError, Caller};

mod claims;
mod keys;
mod place;
mod settings;

use keys::KeySet;
use place::{JWKS_BYTES_MAX, JwksPlace};
pub use settings::JwtSetupError;
use settings::{KeyPlace, Settings, fault, read};

/// The fewest bytes of a secret, and the most.
const SECRET_BYTES: std::ops::RangeInclusive<usize> = 32..=4096;

/// The callers whom an issuer vouches for. Its clones are one.
#[derive(Debug, Clone)]
pub struct Jwt(Arc<Issuer>);

#[derive(Debug)]
struct Issuer {
    settings: Settings,
    keys: Keys,
}

/// The keys that signatures are checked with.
enum Keys {
    /// One secret.
    Secret(DecodingKey),
    /// Public keys with ids.
    Set(Arc<KeySet>),
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Secret(_) => f.write_str("Secret(…)"),
            Self::Set(set) => set.fmt(f),
        }
    }
}

impl Jwt {
    /// Reads the settings in `file`, and keys that are in a file. Keys at a URL are fetched with the
    /// first token.
    ///
    /// # Errors
    /// [`JwtSetupError`] says what is wrong in which file.
    pub fn open(file: impl AsRef<Path>) -> Result<Self, JwtSetupError> {
        let file = file.as_ref();
        let settings = Settings::load(file)?;
        let keys = match &settings.keys {
            KeyPlace::SecretFile(path) => Keys::Secret(secret(path)?),
            KeyPlace::File(path) => {
                let known = keys::keys(&read(path, JWKS_BYTES_MAX)?);
                let known = known.map_err(|error| fault(path, with_causes(&error)))?;
                Keys::Set(Arc::new(KeySet::at(
                    JwksPlace::File(path.clone()),
                    Some(known),
                )))
            }
            KeyPlace::Url(url) => {
                let place = JwksPlace::url(url);
                let place = place.map_err(|error| fault(file, with_causes(&error)))?;
                Keys::Set(Arc::new(KeySet::at(place, None)))
            }
        };
        Ok(Self(Arc::new(Issuer { settings, keys })))
    }

    /// The issuer, as the settings name it.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.0.settings.issuer
    }

    /// Tells whether `token` says that it is of this issuer. That proves nothing yet.
    pub(super) fn is_named_by(&self, token: &Secret) -> bool {
        jsonwebtoken::dangerous::insecure_decode::<Map<String, Value>>(token.expose()).is_ok_and(
            |token| token.claims.get("iss").and_then(Value::as_str) == Some(self.issuer()),
        )
    }

    /// The caller whose token this is.
    pub(super) async fn caller(&self, token: &Secret) -> Result<Caller, AuthenticateError> {
        let claims = self.0.claims(token).await?;
        claims::caller(&self.0.settings, &claims, SystemTime::now())
    }
}

#[async_trait]
impl Authenticate for Jwt {
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError> {
        self.caller(&bearer(parts)?).await
    }
}

impl Issuer {
    /// The claims of a token whose signature, issuer and audience are right.
    async fn claims(&self, token: &Secret) -> Result<Map<String, Value>, AuthenticateError> {
        let unknown = AuthenticateError::Unknown;
        let header = decode_header(token.expose()).map_err(|_| unknown.clone())?;
        // An extension that must be understood is not.
        if !self.settings.algorithms.contains(&header.alg) || header.crit.is_some() {
            return Err(unknown);
        }
        let key = match &self.keys {
            Keys::Secret(secret) => secret.clone(),
            Keys::Set(set) => {
                let key = set.key(&header.kid.ok_or(unknown.clone())?).await?;
                if !key.is_for(header.alg) {
                    return Err(unknown);
                }
                key.key
            }
        };
        let token = decode(token.expose(), &key, &self.validation(header.alg));
        token.map(|token| token.claims).map_err(|_| unknown)
    }

    /// The demands on a token. Its times are checked where the clock is read once.
    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_audience(self.settings.audience());
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation.validate_exp = false;
        validation
    }
}

fn secret(path: &Path) -> Result<DecodingKey, JwtSetupError> {
    let bytes = read(path, 2 * *SECRET_BYTES.end() as u64)?;
    let mode = std::fs::metadata(path).map(|metadata| metadata.permissions().mode());
    if mode.is_ok_and(|mode| mode & 0o077 != 0) {
        return Err(fault(
            path,
            "other users may read the secret: `chmod 600` it",
        ));
    }
    let bytes = bytes.trim_ascii_end();
    if !SECRET_BYTES.contains(&bytes.len()) {
        let why = format!(
            "a secret has {} to {} bytes",
            SECRET_BYTES.start(),
            SECRET_BYTES.end()
        );
        return Err(fault(path, why));
    }
    Ok(DecodingKey::from_secret(bytes))
}

#[cfg(test)]
mod tests;
