//! Signing heads of the log.

use folkmoot_core::command::{Action, ShellAction};
use folkmoot_core::event::Occasion;
use folkmoot_core::port::causes::with_causes;

use super::WorldTask;
use super::halt::Halt;

impl WorldTask {
    /// Signs the head as it stands, and appends that. Nothing can be appended meanwhile: this task is
    /// the world's only writer.
    pub(super) async fn sign(&mut self, occasion: Occasion) -> Result<(), Halt> {
        let (Some(world), Some(signer)) = (self.world.id(), self.means.signer.clone()) else {
            return Err(Halt::NoSigner);
        };
        let head = self.means.custody.tree_head(world).await?;
        let key = signer.key();
        self.may_act()?;
        let signature = signer.sign(world, &head);
        self.bring(Action::Shell(ShellAction::Sign {
            head,
            key,
            signature,
            occasion,
        }))
        .await?;
        self.flush().await
    }

    /// Signs what is left unsigned when the world is let go of. Without a signature the log is
    /// whole all the same.
    pub(super) async fn sign_off(&mut self) {
        if self.world.upkeep().has_unsigned()
            && let Err(why) = self.sign(Occasion::Close).await
        {
            let why = with_causes(&why);
            tracing::error!(world = ?self.world.name(), why, "its last head could not be signed");
        }
    }
}
