//! The names and media types that an attachment may have.

use std::fmt;

use super::Attachment;
use crate::ids::Digest;
use crate::spec::limits::BLOB_BYTES_MAX;
use crate::tool::{FilePart, NamedFile};

/// The longest name of an attachment, in bytes: that of a file on most systems.
pub const ATTACHMENT_NAME_MAX: usize = 255;

/// The longest half of a media type, in bytes (RFC 6838, section 4.2).
const TYPE_MAX: usize = 127;

/// A fault of an attachment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AttachmentError {
    /// The name is not one that people and models can be shown.
    #[error("an attachment cannot be called {name:?}: {why}")]
    Name {
        /// The name.
        name: String,
        /// The fault of the name.
        why: &'static str,
    },
    /// The media type is not one.
    #[error("{media_type:?} is not a media type; write one like `image/png`, without parameters")]
    MediaType {
        /// The media type.
        media_type: String,
    },
    /// The file is larger than the room allows.
    #[error("the attachment {name:?} has {bytes} bytes, at most {max} are allowed")]
    TooLarge {
        /// The file's name.
        name: String,
        /// The bytes that it has.
        bytes: u64,
        /// The bytes that are allowed.
        max: u32,
    },
    /// The parts are not those of a file of its size.
    #[error(
        "the parts of the attachment {name:?} are not those of a file of {bytes} bytes: attach the file again"
    )]
    Parts {
        /// The file's name.
        name: String,
        /// The bytes that it has.
        bytes: u64,
    },
}

impl Attachment {
    /// Describes `bytes`, at most as many as a blob may have; keeps them nowhere.
    #[must_use]
    pub fn of(name: impl Into<String>, media_type: impl Into<String>, bytes: &[u8]) -> Self {
        let len = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Self {
            blob: Digest::sha256(bytes),
            media_type: media_type.into(),
            name: name.into(),
            bytes: len,
            parts: Vec::new(),
        }
    }

    /// Checks its size, and the shape of its name and of its media type. Whether its blob is there
    /// is for others to say.
    ///
    /// # Errors
    /// [`AttachmentError`] names what is wrong.
    pub fn check(&self, bytes_max: u32) -> Result<(), AttachmentError> {
        if let Some(why) = fault_of_name(&self.name) {
            return Err(AttachmentError::Name {
                name: self.name.clone(),
                why,
            });
        }
        if !is_media_type(&self.media_type) {
            return Err(AttachmentError::MediaType {
                media_type: self.media_type.clone(),
            });
        }
        if self.bytes > u64::from(bytes_max) {
            return Err(AttachmentError::TooLarge {
                name: self.name.clone(),
                bytes: self.bytes,
                max: bytes_max,
            });
        }
        if self.has_whole_parts() {
            Ok(())
        } else {
            Err(AttachmentError::Parts {
                name: self.name.clone(),
                bytes: self.bytes,
            })
        }
    }

    /// The blobs that hold its bytes, in order.
    pub fn blobs(&self) -> impl Iterator<Item = FilePart> {
        let whole = FilePart {
            blob: self.blob,
            bytes: self.bytes,
        };
        let whole = self.parts.is_empty().then_some(whole);
        whole.into_iter().chain(self.parts.iter().copied())
    }

    /// Tells whether it is cut into parts as it has to be: there is one way for each size.
    fn has_whole_parts(&self) -> bool {
        let max = BLOB_BYTES_MAX as u64;
        if self.bytes <= max {
            return self.parts.is_empty();
        }
        let last = self.parts.len().saturating_sub(1);
        let are_full = self.parts.iter().take(last).all(|part| part.bytes == max);
        let sum: u64 = self.parts.iter().map(|part| part.bytes).sum();
        let is_last_whole = self
            .parts
            .last()
            .is_some_and(|part| part.bytes > 0 && part.bytes <= max);
        are_full && is_last_whole && sum == self.bytes
    }
}

impl From<&NamedFile> for Attachment {
    fn from(NamedFile { name, file, parts }: &NamedFile) -> Self {
        Self {
            blob: file.blob,
            media_type: file.media_type.clone(),
            name: name.clone(),
            bytes: file.bytes,
            parts: parts.clone(),
        }
    }
}

/// The one line in which people and models are told of it.
impl fmt::Display for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            media_type,
            bytes,
            ..
        } = self;
        write!(f, "[attached: {name}, {media_type}, {bytes} bytes]")
    }
}

fn fault_of_name(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() {
        Some("it is empty")
    } else if name.len() > ATTACHMENT_NAME_MAX {
        Some("it is longer than 255 bytes")
    } else if name.contains(['/', '\\']) {
        Some("it has a path separator; give the file's name alone")
    } else if name == "." || name == ".." {
        Some("it names a folder")
    } else if name.chars().any(is_unseen) {
        Some("it has a control character")
    } else {
        None
    }
}

/// Tells whether a character could make a name look like another one, or break the line that it
/// stands in.
fn is_unseen(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_media_type(text: &str) -> bool {
    text.split_once('/')
        .is_some_and(|(kind, subtype)| is_restricted_name(kind) && is_restricted_name(subtype))
}

/// Half a media type, as RFC 6838 has it.
fn is_restricted_name(text: &str) -> bool {
    let is_rest = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
    text.len() <= TYPE_MAX
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(is_rest)
}
