//! Signing heads of logs, as checkpoints that other programs read.

use folkmoot_core::event::{HeadSigned, TreeHead};
use folkmoot_core::ids::WorldId;
use folkmoot_core::port::Signer;
use folkmoot_proof::note::{Checkpoint, NoteError, SignedNote, SignerKey, VerifierKey};

mod key_file;
#[cfg(test)]
mod tests;

pub use key_file::{KeyFile, KeyFileError};

/// Signs heads of logs with an Ed25519 key, each as a checkpoint of its world: see [`checkpoint_of`].
///
/// ```
/// use std::sync::Arc;
///
/// use folkmoot::core::event::{Event, EventKind, WorldEvent};
/// use folkmoot::core::ids::Position;
/// use folkmoot::core::port::EventLog;
/// use folkmoot::core::spec::{Definition, SpecText};
/// use folkmoot::{KeyFile, Opening, Runtime, Store};
/// use futures::TryStreamExt as _;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path();
/// // Once; the public key is for whoever checks the log. The file is for this program alone, and lies outside of the store.
/// let key = KeyFile::at(folder.join("desk.key")).outside_of(&folder.join("store"))?;
/// let public = key.create("example.com/desk")?.verifier();
///
/// // At each start.
/// let store = Store::memory();
/// let runtime = Runtime::builder(&store).signer(Arc::new(key.read()?)).build();
/// # let definition = Definition { text: SpecText::default().into(), ..Definition::default() };
/// let world = runtime.open(Opening::with("desk".to_owned().try_into()?, definition)).await?;
/// world.quiet().await?;
///
/// // A head is signed whenever the world becomes quiet. Anybody can verify it.
/// let entry = store.find(world.name()).await?.ok_or("the world is there")?;
/// let commits: Vec<_> = store.read(entry.world, Position::new(1)).await?.try_collect().await?;
/// let events = commits.iter().flat_map(|stored| &stored.commit.events);
/// let signed: Vec<_> = events.filter(|event| event.kind() == EventKind::HeadSigned).collect();
/// let [Event::World(WorldEvent::HeadSigned(signed))] = signed.as_slice() else { return Err("one head is signed".into()) };
/// let note = folkmoot::note_of(entry.world, signed)?;
/// assert_eq!(note.verify(&[public.clone()])?, [&public]);
/// # runtime.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct HeadSigner(SignerKey);

impl HeadSigner {
    /// Signs with `key`.
    #[must_use]
    pub const fn new(key: SignerKey) -> Self {
        Self(key)
    }

    /// The public key, for whoever verifies.
    #[must_use]
    pub fn verifier(&self) -> VerifierKey {
        self.0.verifier()
    }

    /// Signs a head as a note of its own: what an anchor is.
    ///
    /// # Errors
    /// None that is known: every head of a world has the form of a checkpoint.
    pub fn note(&self, world: WorldId, head: &TreeHead) -> Result<SignedNote, NoteError> {
        checkpoint_of(world, head).sign(&self.0)
    }

    /// Signs a checkpoint as it is.
    pub(crate) fn sign_checkpoint(&self, checkpoint: &Checkpoint) -> Result<SignedNote, NoteError> {
        checkpoint.sign(&self.0)
    }
}

impl Signer for HeadSigner {
    fn key(&self) -> String {
        format!("{}+{}", self.0.name(), self.0.id())
    }

    fn sign(&self, world: WorldId, head: &TreeHead) -> String {
        self.0.line_value(&checkpoint_of(world, head).body())
    }
}

/// Returns what is signed of a head: the checkpoint of origin `folkmoot/<world id>`, how many commits it covers, their root, and
/// a line `event <position>` with the last event.
#[must_use]
pub fn checkpoint_of(world: WorldId, head: &TreeHead) -> Checkpoint {
    Checkpoint::of_world(
        world.0.into_bytes(),
        head.commits,
        *head.root.as_bytes(),
        head.of.get(),
    )
}

/// Makes the note again whose signature a log has kept. Its signature is not verified.
///
/// # Errors
/// What is recorded is no signature of such a note.
pub fn note_of(world: WorldId, signed: &HeadSigned) -> Result<SignedNote, NoteError> {
    let name = signed
        .key
        .split_once('+')
        .map_or(signed.key.as_str(), |(name, _)| name);
    SignedNote::of_line(
        &checkpoint_of(world, &signed.head).body(),
        name,
        &signed.signature,
    )
}
