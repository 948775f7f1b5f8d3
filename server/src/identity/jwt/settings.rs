//! The settings of an issuer, as they stand in a file of YAML.

use std::path::{Path, PathBuf};

use folkmoot::core::port::causes::with_causes;
use jsonwebtoken::{Algorithm, AlgorithmFamily};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The longest file of settings, in bytes.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// The reason that an issuer cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JwtSetupError {
    /// A file cannot be read.
    #[error("{} cannot be read", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        #[source]
        source: std::io::Error,
    },
    /// The settings do not fit.
    #[error("{}: {why}", file.display())]
    Settings {
        /// The file.
        file: PathBuf,
        /// The fault.
        why: String,
    },
}

/// The reason that settings do not fit.
#[derive(Debug, thiserror::Error)]
pub(super) enum SettingsError {
    // Its text says its causes already.
    #[error("{0}")]
    Yaml(serde_saphyr::Error),
    #[error("`issuer` and `audience` name somebody")]
    Nobody,
    #[error("`algorithms` names at least one, e.g. RS256")]
    NoAlgorithm,
    #[error("HS256, HS384 and HS512 go with `secret_file`, all others with `url` or `file`")]
    WrongKeys,
    #[error("`claims.kind` and `person` go together: a claim, and its word for people")]
    KindAlone,
    #[error("no name of a claim is empty")]
    NamelessClaim,
}

/// The settings of an issuer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    pub(super) issuer: String,
    audience: OneOrMany,
    pub(super) algorithms: Vec<Algorithm>,
    pub(super) keys: KeyPlace,
    pub(super) claims: ClaimNames,
    /// The word that makes a person; without it all are services.
    #[serde(default)]
    pub(super) person: Option<String>,
    #[serde(default)]
    pub(super) permission_prefix: String,
}

/// The place of the keys.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum KeyPlace {
    /// A JWKS that is fetched.
    Url(String),
    /// A JWKS in a file.
    File(PathBuf),
    /// A secret in a file.
    SecretFile(PathBuf),
}

/// The names of the claims.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimNames {
    #[serde(default = "ClaimName::subject")]
    pub(super) subject: ClaimName,
    #[serde(default)]
    pub(super) name: Option<ClaimName>,
    pub(super) permissions: ClaimName,
    #[serde(default)]
    pub(super) worlds: Option<ClaimName>,
    #[serde(default)]
    pub(super) kind: Option<ClaimName>,
}

/// The name of a claim, or a JSON Pointer to it.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub(super) struct ClaimName(String);

impl ClaimName {
    fn subject() -> Self {
        Self("sub".to_owned())
    }

    /// The claim, if it is there.
    pub(super) fn of<'a>(&self, claims: &'a Map<String, Value>) -> Option<&'a Value> {
        match self.0.strip_prefix('/') {
            None => claims.get(&self.0),
            Some(path) => {
                let (first, rest) = path.split_once('/').map_or((path, None), |(first, rest)| {
                    (first, Some(format!("/{rest}")))
                });
                let first = claims.get(&first.replace("~1", "/").replace("~0", "~"))?;
                rest.map_or(Some(first), |rest| first.pointer(&rest))
            }
        }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl Settings {
    /// Reads the settings in `file`.
    pub(super) fn load(file: &Path) -> Result<Self, JwtSetupError> {
        let text = String::from_utf8(read(file, FILE_BYTES_MAX)?);
        let text = text.map_err(|_| fault(file, "it is no UTF-8"))?;
        let mut settings = Self::parse(&text).map_err(|error| fault(file, with_causes(&error)))?;
        let folder = file.parent().unwrap_or(Path::new("."));
        if let KeyPlace::File(path) | KeyPlace::SecretFile(path) = &mut settings.keys {
            *path = folder.join(&*path);
        }
        Ok(settings)
    }

    /// Reads settings, and checks what each alone cannot say.
    pub(super) fn parse(text: &str) -> Result<Self, SettingsError> {
        let settings: Self = serde_saphyr::from_str(text).map_err(SettingsError::Yaml)?;
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), SettingsError> {
        let audience = self.audience();
        if self.issuer.is_empty() || audience.is_empty() || audience.iter().any(String::is_empty) {
            return Err(SettingsError::Nobody);
        }
        if self.algorithms.is_empty() {
            return Err(SettingsError::NoAlgorithm);
        }
        let is_secret = matches!(self.keys, KeyPlace::SecretFile(_));
        let is_hmac = |one: &Algorithm| one.family() == AlgorithmFamily::Hmac;
        if self.algorithms.iter().any(|one| is_hmac(one) != is_secret) {
            // Else a public key could pass for the secret.
            return Err(SettingsError::WrongKeys);
        }
        if self.claims.kind.is_some() != self.person.is_some() {
            return Err(SettingsError::KindAlone);
        }
        let names = [Some(&self.claims.subject), Some(&self.claims.permissions)];
        let names = names.into_iter().chain([
            self.claims.name.as_ref(),
            self.claims.worlds.as_ref(),
            self.claims.kind.as_ref(),
        ]);
        if names.flatten().any(|name| name.0.is_empty()) {
            return Err(SettingsError::NamelessClaim);
        }
        Ok(())
    }

    pub(super) fn audience(&self) -> &[String] {
        match &self.audience {
            OneOrMany::One(one) => std::slice::from_ref(one),
            OneOrMany::Many(many) => many,
        }
    }
}

pub(super) fn fault(file: &Path, why: impl Into<String>) -> JwtSetupError {
    JwtSetupError::Settings {
        file: file.to_owned(),
        why: why.into(),
    }
}

/// Reads a file of at most `max` bytes.
pub(super) fn read(file: &Path, max: u64) -> Result<Vec<u8>, JwtSetupError> {
    let unread = |source| JwtSetupError::Read {
        file: file.to_owned(),
        source,
    };
    let metadata = std::fs::metadata(file).map_err(unread)?;
    if !metadata.is_file() || metadata.len() > max {
        let why = format!("it is not a regular file of at most {max} bytes");
        return Err(fault(file, why));
    }
    std::fs::read(file).map_err(unread)
}
