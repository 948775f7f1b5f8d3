//! The border to models: what may cross it, and in which form.

pub(crate) mod model;

#[cfg(feature = "testing")]
pub use model::ForgedRequest;
pub use model::{Fence, ModelText, ModelView};
