//! The bytes of attached files, for models that read them.

use std::sync::Arc;

use folkmoot_core::ids::WorldId;
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{Blobs, Files, Model};
pub use folkmoot_core::prompt::tokens::FILES_BYTES_MAX;
use folkmoot_core::prompt::{Attached, Item, ModelRequest};

/// Reads what `request` has attached and `model` can read, the newest files first, up to
/// [`FILES_BYTES_MAX`]. A file that is not there or cannot be read is left out: the adapter says so
/// in a warning of its reply.
pub(crate) async fn load(
    blobs: &dyn Blobs,
    world: Option<WorldId>,
    request: &ModelRequest,
    model: &dyn Model,
) -> Files {
    let mut files = Files::new();
    let Some(world) = world else { return files };
    let mut room = FILES_BYTES_MAX;
    for file in attached(request).filter(|file| model.takes_file(&file.media_type)) {
        let fits = !files.contains_key(&file.blob) && file.bytes <= room;
        if !fits {
            continue;
        }
        match blobs.get(world, file.blob).await {
            Ok(Some(bytes)) => {
                room = room.saturating_sub(file.bytes);
                files.insert(file.blob, Arc::from(bytes));
            }
            Ok(None) => tracing::warn!(blob = %file.blob, "an attached file is not in the store"),
            Err(error) => {
                tracing::warn!(blob = %file.blob, error = with_causes(&error), "an attached file cannot be read");
            }
        }
    }
    files
}

/// All attached files, the newest first.
fn attached(request: &ModelRequest) -> impl Iterator<Item = &Attached> {
    request.items().iter().rev().flat_map(|item| match &**item {
        Item::Heard { attachments, .. } => attachments.as_slice(),
        Item::Said { .. }
        | Item::Result { .. }
        | Item::Notice { .. }
        | Item::State { .. }
        | Item::Summary { .. } => &[],
    })
}
