//! Files: kept before a message names them, and read back.

use folkmoot_core::event::refusal::Refusal;
use folkmoot_core::event::{Attachment, AttachmentError, Right};
use folkmoot_core::ids::{Digest, Hasher, WorldId};
use folkmoot_core::port::BlobError;
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::spec::limits::BLOB_BYTES_MAX;
use folkmoot_core::tool::FilePart;

use super::Seat;
use crate::error::SeatError;

/// A file to attach to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name, without a path.
    pub name: String,
    /// Its media type, e.g. `image/png`.
    pub media_type: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// A file that comes piece by piece, on its way into the world. At most one blob of it is in memory.
#[derive(Debug)]
pub struct FileKeeper<'s> {
    seat: &'s Seat,
    /// The file as far as it has come.
    file: Attachment,
    whole: Hasher,
    /// The bytes that are not kept yet.
    rest: Vec<u8>,
    /// The most bytes that the room takes.
    bytes_max: u32,
    /// False if the person may not speak: then nothing is kept, and the post will be refused.
    keeps: bool,
}

impl Seat {
    /// Keeps a file in this world and describes it, for [`Post::attachments`](super::Post::attachments). Returns once the
    /// file survives power loss. Of whoever may not speak nothing is kept: the post is then refused, and recorded.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if the room does not take such a file; [`SeatError::Blob`] if it cannot be kept; else the
    /// world has ended.
    pub async fn attach(&self, file: File) -> Result<Attachment, SeatError> {
        let mut keeper = self.begin_file(file.name, file.media_type).await?;
        keeper.push(&file.bytes).await?;
        keeper.finish().await
    }

    /// The same for a file that comes piece by piece.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if no file can have such a name or media type; else the world has ended.
    pub async fn begin_file(
        &self,
        name: impl Into<String>,
        media_type: impl Into<String>,
    ) -> Result<FileKeeper<'_>, SeatError> {
        let file = Attachment::of(name, media_type, &[]);
        let keeps = self.may(Right::Post);
        let mut bytes_max = u32::MAX;
        if keeps {
            bytes_max = self
                .world
                .read(|world| world.rules().spec().limits.attachment_bytes_max)
                .await?;
            file.check(bytes_max).map_err(refused)?;
        }
        Ok(FileKeeper {
            seat: self,
            file,
            whole: Hasher::default(),
            rest: Vec::new(),
            bytes_max,
            keeps,
        })
    }

    /// Reads a blob of an attached file back; `None` if this world has none of that name.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read; [`SeatError::Blob`] if it does not read, or is damaged.
    pub async fn attached(&self, blob: Digest) -> Result<Option<Vec<u8>>, SeatError> {
        self.check(Right::Read)?;
        self.world
            .blobs
            .get(self.world_id()?, blob)
            .await
            .map_err(failed)
    }

    /// Verifies that what a message is about to name is kept here, with the size that it says, and sees to it that it stays.
    /// Whoever may not speak is refused by the world.
    pub(super) async fn check_kept(&self, attachments: &[Attachment]) -> Result<(), SeatError> {
        if !self.may(Right::Post) {
            return Ok(());
        }
        if attachments.is_empty() {
            return Ok(());
        }
        let (world, kept) = (self.world_id()?, &self.world.blobs);
        let parts = attachments.iter().flat_map(Attachment::blobs);
        let named: Vec<Digest> = parts.map(|part| part.blob).collect();
        // First: what is there behind it is not swept away any more, by any process.
        kept.touch(world, &named).await.map_err(failed)?;
        for file in attachments {
            for FilePart { blob, bytes } in file.blobs() {
                let size = kept.size(world, blob).await;
                if size.map_err(failed)? != Some(bytes) {
                    let name = &file.name;
                    let why = format!(
                        "no file of {bytes} bytes is kept as {blob}, which {name:?} names; attach it first"
                    );
                    return Err(SeatError::Refused(Refusal::BadMessage { why }));
                }
            }
        }
        Ok(())
    }

    fn world_id(&self) -> Result<WorldId, SeatError> {
        self.world.id.ok_or(SeatError::Closed)
    }
}

impl FileKeeper<'_> {
    /// Takes further bytes, and keeps what makes a blob.
    ///
    /// # Errors
    /// [`SeatError::Refused`] once there are more than the room takes; [`SeatError::Blob`] if they cannot be kept; else
    /// the world has ended.
    pub async fn push(&mut self, mut bytes: &[u8]) -> Result<(), SeatError> {
        self.file.bytes = self.file.bytes.saturating_add(bytes.len() as u64);
        if self.keeps && self.file.bytes > u64::from(self.bytes_max) {
            let Attachment { name, bytes, .. } = &self.file;
            return Err(refused(AttachmentError::TooLarge {
                name: name.clone(),
                bytes: *bytes,
                max: self.bytes_max,
            }));
        }
        self.whole.push(bytes);
        while !bytes.is_empty() {
            // A full one is kept only when more comes: a file of one blob has no parts.
            if self.rest.len() == BLOB_BYTES_MAX {
                self.keep_part().await?;
            }
            let room = BLOB_BYTES_MAX.saturating_sub(self.rest.len());
            let (taken, left) = bytes.split_at(room.min(bytes.len()));
            self.rest.extend_from_slice(taken);
            bytes = left;
        }
        Ok(())
    }

    /// Keeps the rest, and describes the file. Returns once all of it survives power loss.
    ///
    /// # Errors
    /// [`SeatError::Blob`] if it cannot be kept; else the world has ended.
    pub async fn finish(mut self) -> Result<Attachment, SeatError> {
        if self.file.parts.is_empty() {
            self.keep_rest().await?;
        } else {
            self.keep_part().await?;
        }
        self.file.blob = self.whole.finish();
        Ok(self.file)
    }

    async fn keep_part(&mut self) -> Result<(), SeatError> {
        let bytes = self.rest.len() as u64;
        let blob = self.keep_rest().await?;
        self.file.parts.push(FilePart { blob, bytes });
        Ok(())
    }

    async fn keep_rest(&mut self) -> Result<Digest, SeatError> {
        let bytes = std::mem::take(&mut self.rest);
        if self.keeps {
            let world = self.seat.world_id()?;
            let kept = self.seat.world.blobs.put(world, bytes).await;
            kept.map_err(failed)
        } else {
            Ok(Digest::sha256(&bytes))
        }
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is what an error is mapped by"
)]
fn refused(error: AttachmentError) -> SeatError {
    SeatError::Refused(Refusal::BadMessage {
        why: error.to_string(),
    })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "it is what an error is mapped by"
)]
fn failed(error: BlobError) -> SeatError {
    if let BlobError::Full(_) = error {
        SeatError::Full
    } else {
        SeatError::Blob(with_causes(&error))
    }
}
