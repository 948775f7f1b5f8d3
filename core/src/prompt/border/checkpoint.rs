//! The texts for models in a memory, read back from a checkpoint.
//!
//! A checkpoint is as trusted as the log that it was folded from: whoever can write one can write
//! the other. So its texts are taken as they are. Nothing outside this crate can call these
//! functions, and the types that use them show nobody else what they read.

use std::sync::Arc;

use serde::{Deserialize, Deserializer};

use super::{ModelText, ModelView};
use crate::prompt::{Item, Layer};

pub(crate) fn item<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Item>, D::Error> {
    Ok(Arc::new(Item::deserialize(deserializer)?.map(&ModelText)))
}

pub(crate) fn items<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Item>, D::Error> {
    let items = Vec::<Item<String>>::deserialize(deserializer)?;
    Ok(items.into_iter().map(|item| item.map(&ModelText)).collect())
}

pub(crate) fn layers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Layer>, D::Error> {
    let layers = Vec::<Layer<String>>::deserialize(deserializer)?;
    Ok(layers
        .into_iter()
        .map(|layer| layer.map(&ModelText))
        .collect())
}

pub(crate) fn view<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ModelView, D::Error> {
    #[derive(Deserialize)]
    struct SavedBorder {
        before: String,
        text: String,
        failed: bool,
        is_data: bool,
    }
    let SavedBorder {
        before,
        text,
        failed,
        is_data,
    } = SavedBorder::deserialize(deserializer)?;
    Ok(ModelView {
        before,
        text,
        failed,
        is_data,
    })
}
