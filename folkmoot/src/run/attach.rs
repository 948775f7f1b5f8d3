//! The files of a message on their way into the world.

use std::io::Read as _;

use folkmoot_agents::SeatError;
use folkmoot_core::event::Attachment;
use folkmoot_core::spec::limits::BLOB_BYTES_MAX;

use super::{Run, RunError, index};
use crate::room::DefinitionError;
use crate::script::{Attach, Attached, Post, Step};

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
            match self.keep(step, attach).await? {
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
        attach: &Attach,
    ) -> Result<Result<Attachment, SeatError>, RunError> {
        match self.keep_once(step, attach).await? {
            Err(error @ SeatError::Stopped(_)) => {
                self.recover(error).await?;
                self.keep_once(step, attach).await
            }
            answer => Ok(answer),
        }
    }

    async fn keep_once(
        &mut self,
        step: &Step,
        attach: &Attach,
    ) -> Result<Result<Attachment, SeatError>, RunError> {
        let failed = |fault| RunError::Failed(Box::new(fault));
        let Attached {
            name,
            media_type,
            mut file,
        } = self.script.attached(attach).map_err(failed)?;
        let seat = self.seat(&step.by).await?;
        let mut keeper = match seat.begin_file(name, media_type).await {
            Ok(keeper) => keeper,
            Err(error) => return Ok(Err(error)),
        };
        let mut bytes = vec![0; BLOB_BYTES_MAX];
        loop {
            let count = file.read(&mut bytes);
            let count = count.map_err(|error| failed(self.script.unreadable(attach, &error)))?;
            let read = bytes.get(..count).unwrap_or_default();
            if read.is_empty() {
                return Ok(keeper.finish().await);
            }
            if let Err(error) = keeper.push(read).await {
                return Ok(Err(error));
            }
        }
    }
}
