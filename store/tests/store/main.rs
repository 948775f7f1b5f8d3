//! The store from outside: conformance of engines and of the log over them, opening, damage, recovery.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test says what went wrong by panicking"
)]

/// Runs a conformance test on every engine.
macro_rules! on_every_engine {
    ($($name:ident)*) => {
        mod memory {
            $(#[tokio::test]
            async fn $name() {
                super::$name(folkmoot_store::Store::memory()).await;
            })*
        }

        mod sled {
            $(#[tokio::test]
            async fn $name() {
                let disk = crate::fixture::OnDisk::new();
                super::$name(disk.open()).await;
            })*
        }

        mod files {
            $(#[tokio::test]
            async fn $name() {
                let disk = crate::fixture::OnDisk::of(folkmoot_store::EngineKind::Files);
                super::$name(disk.open()).await;
            })*
        }

        mod shared {
            $(#[tokio::test]
            async fn $name() {
                let keys = tempfile::tempdir().unwrap();
                super::$name(crate::fixture::shared(keys.path())).await;
            })*
        }
    };
}

pub(crate) use on_every_engine;

mod backup;
mod blobs;
mod canary;
mod content;
mod copy;
mod damage;
mod deletion;
mod erase;
mod event_log;
mod evidence;
mod fixture;
mod fork;
mod frame_log;
mod full_disk;
mod golden;
mod holders;
mod index;
mod looking;
mod opening;
mod rebuild;
mod recovery;
mod sealed;
mod verify;
