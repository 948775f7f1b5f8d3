//! Signing heads of the log.

use folkmoot_core::command::{Action, ShellAction};
use folkmoot_core::event::Occasion;

use super::WorldTask;

impl WorldTask {
    /// Signs the head as it stands. Nothing can be appended meanwhile: this task is the world's only writer.
    pub(super) async fn sign(&mut self, occasion: Occasion) -> Result<(), String> {
        let (Some(world), Some(signer)) = (self.world.id(), self.means.signer.clone()) else {
            return Err("the key that signs heads of its log is gone".to_owned());
        };
        let head = self
            .means
            .custody
            .tree_head(world)
            .await
            .map_err(|error| error.to_string())?;
        let key = signer.key();
        let signature = signer.sign(world, &head);
        self.bring(Action::Shell(ShellAction::Sign {
            head,
            key,
            signature,
            occasion,
        }))
        .await
    }

    /// Signs what is left unsigned when the world is let go of. Without a signature the log is whole all the same.
    pub(super) async fn sign_off(&mut self) {
        if self.world.upkeep().has_unsigned()
            && let Err(why) = self.sign(Occasion::Close).await
        {
            tracing::error!(world = ?self.world.name(), why, "its last head could not be signed");
        }
    }
}
