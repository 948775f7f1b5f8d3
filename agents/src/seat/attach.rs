//! Files: kept before a message names them, and read back.

use folkmoot_core::event::refusal::Refusal;
use folkmoot_core::event::{Attachment, AttachmentError, Right};
use folkmoot_core::ids::{Digest, WorldId};
use folkmoot_core::port::BlobError;
use folkmoot_core::port::causes::with_causes;

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

impl Seat {
    /// Keeps a file in this world and describes it, for [`Post::attachments`](super::Post::attachments). Returns once the
    /// file survives power loss. Of whoever may not speak nothing is kept: the post is then refused, and recorded.
    ///
    /// # Errors
    /// [`SeatError::Refused`] if the room does not take such a file; [`SeatError::Blob`] if it cannot be kept; else the
    /// world has ended.
    pub async fn attach(&self, file: File) -> Result<Attachment, SeatError> {
        let File {
            name,
            media_type,
            bytes,
        } = file;
        let attachment = Attachment::of(name, media_type, &bytes);
        if !self.may(Right::Post) {
            return Ok(attachment);
        }
        let bytes_max = self
            .world
            .read(|world| world.rules().spec().limits.attachment_bytes_max)
            .await?;
        attachment.check(bytes_max).map_err(refused)?;
        self.world
            .blobs
            .put(self.world_id()?, bytes)
            .await
            .map_err(failed)?;
        Ok(attachment)
    }

    /// Reads an attached file back; `None` if this world has none of that name.
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

    /// Verifies that what a message is about to name is kept here, with the size that it says. Whoever may not speak is
    /// refused by the world.
    pub(super) async fn check_kept(&self, attachments: &[Attachment]) -> Result<(), SeatError> {
        if !self.may(Right::Post) {
            return Ok(());
        }
        for Attachment {
            blob, name, bytes, ..
        } in attachments
        {
            let kept = self
                .world
                .blobs
                .size(self.world_id()?, *blob)
                .await
                .map_err(failed)?;
            if kept != Some(*bytes) {
                let why = format!(
                    "no file of {bytes} bytes is kept as {blob}, which {name:?} names; attach it first"
                );
                return Err(SeatError::Refused(Refusal::BadMessage { why }));
            }
        }
        Ok(())
    }

    fn world_id(&self) -> Result<WorldId, SeatError> {
        self.world.id.ok_or(SeatError::Closed)
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
