//! The engines: logs of frames with tables beside them, in files, in sled and in memory.

pub(crate) mod content;
mod failing;
mod files;
mod kind;
mod memory;
mod overlay;
mod sled;

pub use self::sled::SledEngine;
pub use failing::FailingEngine;
pub use files::FilesEngine;
pub use kind::EngineKind;
pub use memory::MemoryEngine;
pub(crate) use overlay::Overlay;
