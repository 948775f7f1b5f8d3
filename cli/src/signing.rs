//! The key that signs heads of logs, if one is given.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot::core::port::causes::with_causes;
use folkmoot::proof::note::VerifierKey;
use folkmoot::{HeadSigner, KeyFile, KeyFileError, RuntimeBuilder, file};

use crate::arguments::CommonArgs;
use crate::exit::{CliError, STORE, USAGE};

/// The signer of heads; `None` if no key was given.
pub(crate) type Signing = Option<Arc<HeadSigner>>;

/// Reads the key that was given.
pub(crate) fn signer(common: &CommonArgs) -> Result<Signing, CliError> {
    let Some(file) = &common.key else {
        return Ok(None);
    };
    Ok(Some(Arc::new(key_file(common, file.clone())?.read()?)))
}

/// The file of a key, which is not in the store's folder: a copy of that would have it.
pub(crate) fn key_file(common: &CommonArgs, file: PathBuf) -> Result<KeyFile, CliError> {
    let key = KeyFile::at(file);
    Ok(match common.store.as_folder() {
        Some(folder) => key.outside_of(folder)?,
        None => key,
    })
}

/// Lets a runtime sign, if there is a key.
pub(crate) fn signed(builder: RuntimeBuilder, signer: Signing) -> RuntimeBuilder {
    match signer {
        Some(signer) => builder.signer(signer),
        None => builder,
    }
}

/// A public key, or the one in a file.
pub(crate) fn verifier(typed: &str) -> Result<VerifierKey, CliError> {
    if let Ok(key) = VerifierKey::parse(typed) {
        return Ok(key);
    }
    let file = Path::new(typed);
    let text = if file.exists() {
        file::text(file).map_err(|error| {
            CliError::other(USAGE, format!("--trust {typed}: {}", file::why(&error)))
        })?
    } else {
        // A name of no file is told what is wrong about it as a key.
        typed.to_owned()
    };
    VerifierKey::parse(text.trim())
        .map_err(|error| CliError::other(USAGE, format!("--trust {typed}: {error}")))
}

impl From<KeyFileError> for CliError {
    fn from(error: KeyFileError) -> Self {
        let code = if matches!(error, KeyFileError::Name { .. }) {
            USAGE
        } else {
            STORE
        };
        Self::other(code, with_causes(&error))
    }
}
