//! The files of a message on their way into the world.

use folkmoot_agents::{File, SeatError};
use folkmoot_core::event::Attachment;

use super::{Run, RunError, index};
use crate::room::DefinitionError;
use crate::script::{Post, Step};

impl Run<'_> {
    /// Says at once what is wrong with the files of steps that are still to be done.
    pub(super) async fn check_files(&mut self) -> Result<(), RunError> {
        let run = self.run;
        let done = self.read(move |world| {
            let script = world.script();
            let last = script.done.keys().next_back().filter(|_| script.run == run);
            last.map_or(0, |last| index(*last).saturating_add(1))
        });
        let done = done.await?;
        self.script
            .check_files(done)
            .map_err(|error| RunError::Definition(DefinitionError::Script(error)))
    }

    /// Keeps the files of a message in the world. The inner error is the world's answer to one of them.
    pub(super) async fn attach(
        &mut self,
        step: &Step,
        post: &Post,
    ) -> Result<Result<Vec<Attachment>, SeatError>, RunError> {
        let mut attachments = Vec::new();
        for attach in &post.attach {
            let max = self
                .read(|world| world.rules().spec().limits.attachment_bytes_max)
                .await?;
            let file = self
                .script
                .attached(attach, max)
                .map_err(|fault| RunError::Failed(Box::new(fault)))?;
            match self.keep(step, file).await? {
                Ok(attachment) => attachments.push(attachment),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(attachments))
    }

    /// Keeps one. A world that crashed meanwhile, as it was told to, is reopened first.
    async fn keep(
        &mut self,
        step: &Step,
        file: File,
    ) -> Result<Result<Attachment, SeatError>, RunError> {
        match self.seat(&step.by).await?.attach(file.clone()).await {
            Err(error @ SeatError::Stopped(_)) => {
                self.recover(error).await?;
                Ok(self.seat(&step.by).await?.attach(file).await)
            }
            answer => Ok(answer),
        }
    }
}
