//! Keys of sealed content: one for each person of a world, and one for all others. They are kept
//! apart from the frames, so that content whose key is destroyed is gone from every copy of the
//! frames.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use folkmoot_core::event::EventKind;
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Digest, WorldId};

use crate::format::event::{KeyId, Nonce};
use crate::home;

#[cfg(test)]
mod tests;

/// The folder in the store's directory. A backup that is to forget what is erased must not have it.
pub(crate) const FOLDER: &str = "keys";

/// The number of bytes of a sealed file beside what is sealed: its nonce and its tag.
pub(crate) const FILE_OVERHEAD: u64 = 24 + 16;

type Key = [u8; 32];

/// The key for all that no person gave.
pub(crate) const OF_WORLD: KeyId = [0; 16];

/// The place where keys are kept.
#[derive(Debug)]
pub(crate) struct Keyring {
    /// `None`: in memory only.
    folder: Option<PathBuf>,
    known: Mutex<BTreeMap<(WorldId, KeyId), KeyInMemory>>,
}

/// A key in memory.
#[derive(Debug, Clone, Copy)]
struct KeyInMemory {
    key: Key,
    /// True if this process knows that its file survives power loss.
    is_safe: bool,
}

/// The key of whoever wrote an event's content. What the room is, and why something was erased,
/// outlives people.
pub(crate) fn holder(kind: u16, principal: &Principal) -> KeyId {
    const OF_ROOM: [EventKind; 3] = [
        EventKind::WorldOpened,
        EventKind::SpecRevised,
        EventKind::ErasureRequested,
    ];
    match principal
        .proof()
        .filter(|_| !OF_ROOM.iter().any(|of_room| *of_room as u16 == kind))
    {
        None => OF_WORLD,
        Some(proof) => {
            let digest = Digest::of(&[b"folkmoot key 1", proof.as_bytes()]);
            let mut id = OF_WORLD;
            id.iter_mut()
                .zip(digest.as_bytes())
                .for_each(|(to, from)| *to = *from);
            id
        }
    }
}

/// Sealed bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sealed {
    pub(crate) key: KeyId,
    pub(crate) nonce: Nonce,
    pub(crate) bytes: Vec<u8>,
}

impl Keyring {
    /// In the store's directory, or in memory if it has none.
    pub(crate) fn new(home: Option<&Path>) -> Self {
        Self {
            folder: home.map(|home| home.join(FOLDER)),
            known: Mutex::default(),
        }
    }

    /// Returns where its files are.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Seals `plain`. A key that is made for it survives power loss before anything is sealed with
    /// it.
    pub(crate) fn seal(&self, world: WorldId, key: KeyId, plain: &[u8]) -> io::Result<Sealed> {
        let mut nonce = [0; 24];
        crate::sync::random::fill(&mut nonce).map_err(io::Error::other)?;
        let cipher = XChaCha20Poly1305::new(&self.obtain(world, key)?.into());
        // Bound to its world: moved into another one it does not open.
        let payload = Payload {
            msg: plain,
            aad: world.0.as_bytes(),
        };
        let bytes = cipher.encrypt(&XNonce::from(nonce), payload);
        let bytes = bytes.map_err(|_| io::Error::other("content cannot be encrypted"))?;
        Ok(Sealed { key, nonce, bytes })
    }

    /// Returns what was sealed; `None` if its key is destroyed, also if the person was given
    /// another one since. A key that is there and is not what was written is an error, of the kind
    /// [`io::ErrorKind::InvalidData`].
    pub(crate) fn open(
        &self,
        world: WorldId,
        key: &KeyId,
        nonce: &Nonce,
        bytes: &[u8],
    ) -> io::Result<Option<Vec<u8>>> {
        let Some(found) = self.find(world, *key)? else {
            return Ok(None);
        };
        let cipher = XChaCha20Poly1305::new(&found.into());
        let opened = cipher
            .decrypt(
                &XNonce::from(*nonce),
                Payload {
                    msg: bytes,
                    aad: world.0.as_bytes(),
                },
            )
            .ok();
        // The world's own key is never replaced.
        if opened.is_none() && *key == OF_WORLD {
            Err(broken("the world has another key"))
        } else {
            Ok(opened)
        }
    }

    /// Seals a whole file of the world: its nonce stands before it.
    pub(crate) fn seal_file(&self, world: WorldId, plain: &[u8]) -> io::Result<Vec<u8>> {
        let Sealed { nonce, bytes, .. } = self.seal(world, OF_WORLD, plain)?;
        Ok([nonce.as_slice(), &bytes].concat())
    }

    /// Returns what was sealed so.
    pub(crate) fn open_file(&self, world: WorldId, bytes: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let Some((nonce, bytes)) = bytes.split_first_chunk() else {
            return Ok(None);
        };
        self.open(world, &OF_WORLD, nonce, bytes)
    }

    /// Destroys all keys of a world.
    pub(crate) fn destroy_all(&self, world: WorldId) -> io::Result<()> {
        self.known().retain(|(of, _), _| *of != world);
        self.folder.as_ref().map_or(Ok(()), |folder| {
            home::remove_folder(&folder.join(world.to_string()))
        })
    }

    /// Destroys keys. What is sealed with them cannot be read any more, here or in any copy.
    pub(crate) fn destroy(&self, world: WorldId, keys: &BTreeSet<KeyId>) -> io::Result<()> {
        let mut known = self.known();
        for key in keys {
            known.remove(&(world, *key));
            if let Some(folder) = &self.folder {
                home::remove(&folder.join(world.to_string()), &file_name(key))?;
            }
        }
        Ok(())
    }

    /// The key to seal with, which survives power loss. The file of one that is there may be of a
    /// process that died before it was synced.
    fn obtain(&self, world: WorldId, id: KeyId) -> io::Result<Key> {
        let mut known = self.known();
        let there = match known.get(&(world, id)) {
            Some(KeyInMemory { key, is_safe: true }) => return Ok(*key),
            Some(KeyInMemory {
                key,
                is_safe: false,
            }) => Some(*key),
            None => self.read(world, id)?,
        };
        let key = match (there, &self.folder) {
            (Some(key), Some(folder)) => sync(folder, world, &id).map(|()| key)?,
            (Some(key), None) => key,
            (None, folder) => {
                let mut key = [0; 32];
                crate::sync::random::fill(&mut key).map_err(io::Error::other)?;
                folder
                    .as_ref()
                    .map_or(Ok(()), |folder| write(folder, world, &id, &key))?;
                key
            }
        };
        known.insert((world, id), KeyInMemory { key, is_safe: true });
        Ok(key)
    }

    fn find(&self, world: WorldId, id: KeyId) -> io::Result<Option<Key>> {
        let mut known = self.known();
        if let Some(KeyInMemory { key, .. }) = known.get(&(world, id)) {
            return Ok(Some(*key));
        }
        let there = self.read(world, id)?;
        if let Some(key) = there {
            known.insert(
                (world, id),
                KeyInMemory {
                    key,
                    is_safe: false,
                },
            );
        }
        Ok(there)
    }

    /// The key in its file. One that is there and cannot be read is never taken for one that was
    /// destroyed.
    fn read(&self, world: WorldId, id: KeyId) -> io::Result<Option<Key>> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        let path = folder.join(world.to_string()).join(file_name(&id));
        let key = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            key => key.and_then(|key| decode(world, &id, &key)),
        };
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("the key {}: {error}", path.display()))
        };
        key.map(Some).map_err(named)
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<(WorldId, KeyId), KeyInMemory>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A key as its file has it: with a checksum that tells whose it is.
fn encode(world: WorldId, id: &KeyId, key: &Key) -> Vec<u8> {
    let checksum = crc32fast::hash(&[world.0.as_bytes().as_slice(), id, key].concat());
    [key.as_slice(), &checksum.to_le_bytes()].concat()
}

fn decode(world: WorldId, id: &KeyId, bytes: &[u8]) -> io::Result<Key> {
    // Older builds wrote no checksum.
    let key = bytes.try_into().ok().or_else(|| {
        let key = bytes.first_chunk().copied()?;
        (encode(world, id, &key) == bytes).then_some(key)
    });
    key.ok_or_else(|| broken("it does not match its checksum"))
}

/// A key that is there, and is not what was written.
fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn file_name(id: &KeyId) -> String {
    uuid::Uuid::from_bytes(*id).simple().to_string()
}

/// Writes a key whole, for this user alone.
fn write(folder: &Path, world: WorldId, id: &KeyId, key: &Key) -> io::Result<()> {
    let own = folder.join(world.to_string());
    fs::create_dir_all(&own)?;
    let name = own.join(file_name(id));
    let new = own.join(home::half_written(&file_name(id)));
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&new)?;
    file.write_all(&encode(world, id, key))?;
    file.sync_all()?;
    fs::rename(new, name)?;
    sync_folders(folder, world)
}

/// Returns when a key that is there survives power loss.
fn sync(folder: &Path, world: WorldId, id: &KeyId) -> io::Result<()> {
    File::open(folder.join(world.to_string()).join(file_name(id)))?.sync_all()?;
    sync_folders(folder, world)
}

fn sync_folders(folder: &Path, world: WorldId) -> io::Result<()> {
    home::sync_folder(&folder.join(world.to_string()))?;
    home::sync_folder(folder)?;
    folder.parent().map_or(Ok(()), home::sync_folder)
}
