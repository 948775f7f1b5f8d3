//! The two borders: what may cross to models and to people, and in which form.

pub(crate) mod model;
mod user;

#[cfg(feature = "testing")]
pub use model::ForgedRequest;
pub use model::{Fence, ModelText, ModelView};
pub use user::UserText;
