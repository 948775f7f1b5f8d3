//! Commands about the world as a whole, and messages.

use super::{RebuildError, Source, event};
use crate::command::Action;
use crate::event::Event;
use crate::ids::CopyId;
use crate::spec::Definition;

impl Source<'_> {
    pub(super) fn create(&self) -> Result<Action, RebuildError> {
        let began = event!(self, WorldOpened)?;
        Ok(Action::Create {
            world: began.world,
            name: began.name.clone(),
            clock: began.clock,
            base: began.base.clone(),
            definition: Definition {
                spec: began.spec.clone(),
                text: self.text(&began.text)?.into(),
                source: began.source.clone(),
            },
            node: event!(self, Opened)?.node,
            signer: event!(self, Opened)?.signer.clone(),
            copy: self.copy(),
        })
    }

    pub(super) fn open(&self) -> Result<Action, RebuildError> {
        let opened = event!(self, Opened)?;
        let has_revised = self
            .events
            .iter()
            .any(|event| matches!(event, Event::SpecRevised(_)));
        let revise = if has_revised {
            Some(self.revised()?)
        } else {
            None
        };
        let (base, signer) = (opened.base.clone(), opened.signer.clone());
        Ok(Action::Open {
            node: opened.node,
            base,
            revise,
            signer,
            copy: self.copy(),
        })
    }

    /// The copy that the world was opened in for the first time.
    pub(super) fn copy(&self) -> Option<CopyId> {
        event!(self, Restored).ok().map(|restored| restored.copy)
    }

    pub(super) fn revise(&self) -> Result<Action, RebuildError> {
        Ok(Action::Revise {
            definition: self.revised()?,
        })
    }

    fn revised(&self) -> Result<Definition, RebuildError> {
        let revised = event!(self, SpecRevised)?;
        let (text, source) = (self.text(&revised.text)?.into(), revised.source.clone());
        Ok(Definition {
            spec: revised.spec.clone(),
            text,
            source,
        })
    }

    pub(super) fn record_step(&self) -> Result<Action, RebuildError> {
        let done = event!(self, StepDone)?;
        Ok(Action::RecordStep {
            step: done.step,
            digest: done.digest,
        })
    }

    pub(super) fn edit(&self) -> Result<Action, RebuildError> {
        let edited = event!(self, MessageEdited)?;
        Ok(Action::Edit {
            message: edited.message,
            text: self.text(&edited.body)?.text,
        })
    }

    pub(super) fn retract(&self) -> Result<Action, RebuildError> {
        Ok(Action::Retract {
            message: event!(self, MessageRetracted)?.message,
        })
    }

    pub(super) fn regenerate(&self) -> Result<Action, RebuildError> {
        Ok(Action::Regenerate {
            message: event!(self, ReplyRegenerated)?.message,
        })
    }

    pub(super) fn label(&self) -> Result<Action, RebuildError> {
        let labelled = event!(self, Labelled)?;
        Ok(Action::Label {
            owner: labelled.owner.clone(),
            labels: labelled.labels.clone(),
        })
    }

    pub(super) fn post_message(&self) -> Result<Action, RebuildError> {
        let posted = event!(self, MessagePosted)?;
        let body = self.text(&posted.body)?;
        Ok(Action::PostMessage {
            text: body.text,
            attachments: body.attachments,
            reply_to: posted.reply_to,
        })
    }
}
