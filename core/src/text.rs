//! Texts between agents and people: who is mentioned, which words people may read, and how typed
//! data is shown.

pub mod firewall;
pub mod mentions;
pub mod redaction;
pub mod reply;
mod user_text;
pub mod view;

pub use user_text::UserText;
