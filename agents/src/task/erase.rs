//! Erasing content: by the store, then out of the state, which is folded anew from what is left.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use folkmoot_core::command::{Action, ShellAction};
use folkmoot_core::ids::Position;
use folkmoot_core::port::{AppendError, Erasure, ReadError};
use folkmoot_core::world::World;
use folkmoot_core::world::effect::Effect;

use super::WorldTask;
use super::flight::WorkOutcome;
use super::halt::Halt;
use crate::fold::{catch_up, fold_anew};

/// The outcome of an erasure.
#[derive(Debug)]
pub(super) struct Erased {
    erasure: Erasure,
    /// The fold of what is left, up to where the log had come.
    world: World,
}

/// Why content is not erased yet.
#[derive(Debug, thiserror::Error)]
pub(super) enum EraseError {
    #[error("content could not be erased; the world tries again when it is opened")]
    Store(#[from] AppendError),
    #[error("the log cannot be read after an erasure")]
    Read(#[from] ReadError),
}

impl WorldTask {
    /// Has the store erase what `request` asks for. The world answers meanwhile.
    pub(super) fn erase(&mut self, effect: Effect, request: Position) {
        let Some(world) = self.world.id() else { return };
        // A draft could tell what is to go.
        self.bus.activity().abort_drafts(self.world.head());
        let events = self.world.upkeep().to_be_erased(request).to_vec();
        let custody = Arc::clone(&self.means.custody);
        let log = Arc::clone(&self.means.log);
        self.flight.launch(effect, self.world.head(), async move {
            let erase = async {
                let erasure = custody.erase(world, &events, request).await?;
                Ok::<_, EraseError>(Erased {
                    erasure,
                    // Not the old state with words taken out: one place that was missed would keep
                    // them (decision 0020).
                    world: fold_anew(&*log, world).await?,
                })
            };
            WorkOutcome::Erased(erase.await.map(Box::new))
        });
    }

    /// Records that it is done, and lets go of the state that still has what is gone.
    pub(super) async fn note_erased(
        &mut self,
        request: Position,
        erased: Box<Erased>,
    ) -> Result<(), Halt> {
        let Erased {
            erasure: Erasure { events, files },
            mut world,
        } = *erased;
        self.bring(Action::Shell(ShellAction::RecordErased {
            request,
            events,
            files,
        }))
        .await?;
        // What follows is folded from the log.
        self.flush().await?;
        catch_up(&*self.means.log, &mut world).await?;
        if world.head() != self.world.head() {
            return Err(Halt::OtherEvents);
        }
        self.may_act()?;
        self.world = world;
        // The store has removed what was derived of the files.
        self.files_gone
            .store(self.world.files_gone(), Ordering::Release);
        self.door.activity.tail().erased(&self.world);
        Ok(())
    }
}
