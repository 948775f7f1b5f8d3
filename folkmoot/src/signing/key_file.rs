//! The file with a key that signs heads: for its owner alone, and outside of the store.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use folkmoot_proof::note::{KeyError, SignerKey, VerifierKey};
use zeroize::Zeroizing;

use super::HeadSigner;

folkmoot_core::debug_in_words!(KeyFileError);

/// The most bytes that a key file may have.
const FILE_MAX: usize = 2_048;

/// What others than the owner may do with a file.
const OTHERS: u32 = 0o077;

/// Why a key file cannot be used. It never shows what is in it.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// It cannot be read.
    #[error("the key file {} cannot be read", .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It is a folder, a pipe or the like.
    #[error("the key file {} is not a regular file", .file.display())]
    NotAFile {
        /// The file.
        file: PathBuf,
    },
    /// Others than its owner can read or change it.
    #[error(
        "other users may read the key file {} (mode {mode:04o}), and a reader can sign as you: \
         if nobody has read it, `chmod 600` it, else make a new key", .file.display()
    )]
    Exposed {
        /// The file.
        file: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It lies in the store.
    #[error(
        "the key file {} lies in the store {}: whoever changes the log there could sign the change; keep the key elsewhere",
        .file.display(), .store.display()
    )]
    InStore {
        /// The file.
        file: PathBuf,
        /// The store.
        store: PathBuf,
    },
    /// It holds the public key.
    #[error("the key file {} has a public key, and only a private key can sign", .file.display())]
    Public {
        /// The file.
        file: PathBuf,
    },
    /// What is in it is no key.
    #[error("the key file {} does not have exactly one key", .file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// What is wrong about it.
        #[source]
        source: KeyError,
    },
    /// There is something of that name.
    #[error("{} exists, and a key is never overwritten: name another file", .file.display())]
    Exists {
        /// The file.
        file: PathBuf,
    },
    /// No key can have that name.
    #[error("`{name}` cannot be the name of a key")]
    Name {
        /// The name.
        name: String,
        /// What is wrong about it.
        #[source]
        source: KeyError,
    },
    /// It cannot be written.
    #[error("the key file {} cannot be written", .file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The machine gives no randomness.
    #[error("the machine gives no random numbers for a key: {why}")]
    Randomness {
        /// What it says.
        why: String,
    },
}

/// A file with a key that signs, in the text form of [`SignerKey`] on one line. It is for its owner alone (mode 0600).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFile(PathBuf);

impl KeyFile {
    /// The file of that path, which need not exist.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Returns its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Refuses a file that lies in the folder `store`, links followed.
    ///
    /// # Errors
    /// [`KeyFileError::InStore`], or [`KeyFileError::Read`] if one of them cannot be found out.
    pub fn outside_of(self, store: &Path) -> Result<Self, KeyFileError> {
        let folder = || {
            self.0
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new("."))
        };
        let place = match resolved(&self.0).map_err(|source| self.unread(source))? {
            Some(place) => Some(place),
            None => resolved(folder()).map_err(|source| self.unread(source))?,
        };
        let there = resolved(store).map_err(|source| self.unread(source))?;
        match place.zip(there) {
            Some((place, there)) if place.starts_with(&there) => Err(KeyFileError::InStore {
                file: self.0,
                store: store.to_owned(),
            }),
            Some(_) | None => Ok(self),
        }
    }

    /// Reads the key.
    ///
    /// # Errors
    /// [`KeyFileError`]: `Read`, `NotAFile`, `Exposed`, `Public` or `Malformed`.
    pub fn read(&self) -> Result<HeadSigner, KeyFileError> {
        let unread = |source| self.unread(source);
        // Opening a pipe would wait for whoever writes to it.
        if !fs::metadata(&self.0).map_err(unread)?.is_file() {
            return Err(KeyFileError::NotAFile {
                file: self.0.clone(),
            });
        }
        let file = File::open(&self.0).map_err(unread)?;
        let mode = file.metadata().map_err(unread)?.permissions().mode() & 0o7777;
        if mode & OTHERS != 0 {
            return Err(KeyFileError::Exposed {
                file: self.0.clone(),
                mode,
            });
        }
        let mut bytes = Zeroizing::new(Vec::with_capacity(FILE_MAX));
        file.take(FILE_MAX as u64)
            .read_to_end(&mut bytes)
            .map_err(unread)?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| self.malformed(KeyError::SignerForm))?
            .trim_end();
        match SignerKey::parse(text) {
            Ok(key) => Ok(HeadSigner::new(key)),
            Err(_) if VerifierKey::parse(text).is_ok() => Err(KeyFileError::Public {
                file: self.0.clone(),
            }),
            Err(error) => Err(self.malformed(error)),
        }
    }

    /// Makes a key called `name` and writes it, durably, to a new file that only its owner can read.
    ///
    /// # Errors
    /// [`KeyFileError`]: `Exists`, `Name`, `Randomness` or `Write`. Then there is no new file.
    pub fn create(&self, name: &str) -> Result<HeadSigner, KeyFileError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).map_err(|error| KeyFileError::Randomness {
            why: error.to_string(),
        })?;
        let named = |source| KeyFileError::Name {
            name: name.to_owned(),
            source,
        };
        let key = SignerKey::generate(name, &seed).map_err(named)?;
        let text = Zeroizing::new(key.to_secret_text());
        // A name may be too long for the text form.
        SignerKey::parse(&text).map_err(named)?;
        let unwritten = |source| KeyFileError::Write {
            file: self.0.clone(),
            source,
        };
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&self.0);
        let file = file.map_err(|error| {
            let exists = error.kind() == io::ErrorKind::AlreadyExists;
            if exists {
                KeyFileError::Exists {
                    file: self.0.clone(),
                }
            } else {
                unwritten(error)
            }
        })?;
        if let Err(error) = write(file, &text, &self.0) {
            // Half a key is of no use to anybody.
            let _gone = fs::remove_file(&self.0);
            return Err(unwritten(error));
        }
        Ok(HeadSigner::new(key))
    }

    fn unread(&self, source: io::Error) -> KeyFileError {
        KeyFileError::Read {
            file: self.0.clone(),
            source,
        }
    }

    fn malformed(&self, source: KeyError) -> KeyFileError {
        KeyFileError::Malformed {
            file: self.0.clone(),
            source,
        }
    }
}

/// Returns where a path really leads; `None` if nothing is there.
fn resolved(path: &Path) -> io::Result<Option<PathBuf>> {
    match fs::canonicalize(path) {
        Ok(place) => Ok(Some(place)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn write(mut file: File, text: &str, path: &Path) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}
