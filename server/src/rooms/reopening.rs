//! The start of a server: worlds that have work left are opened again.

use std::fmt;
use std::sync::atomic::Ordering;

use folkmoot::core::port::{EventLog as _, Labels, ReadError, WorldEntry};
use folkmoot::text::counted;
use folkmoot::{Opening, WorldName, fold_world_from};
use futures::{StreamExt as _, stream};

use super::Lobby;

#[cfg(test)]
mod tests;

/// The most worlds that are looked at, and opened, at a time.
const AT_A_TIME: usize = 4;
/// The number of worlds that are listed at a time.
const PAGE: usize = 200;

/// The worlds that a server found at its start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reopened {
    /// The number of all worlds.
    pub worlds: usize,
    /// The number of those that had work left and were opened.
    pub opened: usize,
    /// The number of those that could not be read or opened. The log says why.
    pub failed: usize,
}

impl fmt::Display for Reopened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            worlds,
            opened,
            failed,
        } = self;
        write!(f, "ready: {} in the store, ", counted(*worlds, "world"))?;
        match (opened, failed) {
            (0, 0) => f.write_str("none has work left")?,
            (0, _) => f.write_str("none opened")?,
            (_, _) => write!(f, "{opened} opened to go on with their work")?,
        }
        if *failed > 0 {
            write!(f, "; {failed} cannot be read or opened, as said above")?;
        }
        Ok(())
    }
}

/// The outcome of looking at one world.
enum Looked {
    AtRest,
    Opened,
    Failed,
}

impl Lobby {
    /// Looks at all worlds, and opens those that have work left, a few at a time. Then the server is
    /// ready. A world that does not open keeps nobody from the others. Worlds of a store that nodes share are looked at by
    /// none: each is given to one of them.
    ///
    /// # Errors
    /// [`ReadError`] if the worlds cannot be listed.
    pub(crate) async fn reopen(&self) -> Result<Reopened, ReadError> {
        let mut all = Reopened::default();
        if self.rooms.store.as_shared().is_some() {
            tracing::info!("ready: this node takes its share of the worlds that are due");
            self.be_ready();
            return Ok(all);
        }
        let mut after: Option<WorldName> = None;
        while !self.rooms.drain.has_begun() {
            let store = &self.rooms.store;
            let page = store.worlds(&Labels::new(), after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else {
                break;
            };
            after = Some(last.name.clone());
            let mut looks = stream::iter(&page)
                .map(|entry| self.look_after(entry))
                .buffer_unordered(AT_A_TIME);
            while let Some(looked) = looks.next().await {
                all.worlds += 1;
                match looked {
                    Looked::AtRest => {}
                    Looked::Opened => all.opened += 1,
                    Looked::Failed => all.failed += 1,
                }
            }
        }
        tracing::info!("{all}");
        self.be_ready();
        Ok(all)
    }

    async fn look_after(&self, entry: &WorldEntry) -> Looked {
        if self.rooms.drain.has_begun() {
            return Looked::AtRest;
        }
        let store = &self.rooms.store;
        let name = &entry.name;
        let world = match fold_world_from(store, store, name, None).await {
            Ok(world) => world,
            Err(error) => {
                tracing::error!(?name, %error, "a world cannot be read");
                return Looked::Failed;
            }
        };
        self.know(entry, &world);
        if world.owed().next().is_none() {
            return Looked::AtRest;
        }
        drop(world);
        // A request may have opened it meanwhile.
        if self.rooms.runtime.world(name).is_some() {
            return Looked::Opened;
        }
        match self
            .rooms
            .runtime
            .open(Opening::recorded(name.clone()))
            .await
        {
            Ok(_) | Err(folkmoot::OpenError::AlreadyOpen(_)) => Looked::Opened,
            Err(error) => {
                tracing::error!(?name, %error, "a world that has work left cannot be opened");
                Looked::Failed
            }
        }
    }

    /// Lets requests know that the server is ready.
    pub(crate) fn be_ready(&self) {
        self.is_ready.store(true, Ordering::Release);
    }

    /// Tells whether the worlds that had work left were opened.
    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// Tells whether this is a node that acts for no world, because it does not reach the store that it shares with others.
    pub(crate) fn is_cut_off(&self) -> bool {
        let shared = self.rooms.store.as_shared();
        shared.is_some_and(|store| !store.acts())
    }
}
