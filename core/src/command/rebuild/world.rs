//! Commands about the world as a whole, and messages.

use super::{RebuildError, Source, event};
use crate::command::Action;
use crate::event::Event;
use crate::spec::Definition;

impl Source<'_> {
    pub(super) fn create(&self) -> Result<Action, RebuildError> {
        let began = event!(self, WorldOpened)?;
        Ok(Action::Create {
            world: began.world,
            name: began.name.clone(),
            clock: began.clock,
            base: began.base.clone(),
            definition: Definition { spec: began.spec.clone(), text: self.text(&began.text)?.into() },
            node: event!(self, Opened)?.node,
            signer: event!(self, Opened)?.signer.clone(),
        })
    }

    pub(super) fn open(&self) -> Result<Action, RebuildError> {
        let opened = event!(self, Opened)?;
        let has_revised = self.events.iter().any(|event| matches!(event, Event::SpecRevised(_)));
        let revise = if has_revised { Some(self.revised()?) } else { None };
        Ok(Action::Open { node: opened.node, base: opened.base.clone(), revise, signer: opened.signer.clone() })
    }

    pub(super) fn revise(&self) -> Result<Action, RebuildError> {
        Ok(Action::Revise { definition: self.revised()? })
    }

    fn revised(&self) -> Result<Definition, RebuildError> {
        let revised = event!(self, SpecRevised)?;
        Ok(Definition { spec: revised.spec.clone(), text: self.text(&revised.text)?.into() })
    }

    pub(super) fn record_step(&self) -> Result<Action, RebuildError> {
        let done = event!(self, StepDone)?;
        Ok(Action::RecordStep { step: done.step, digest: done.digest })
    }

    pub(super) fn edit(&self) -> Result<Action, RebuildError> {
        let edited = event!(self, MessageEdited)?;
        Ok(Action::Edit { message: edited.message, text: self.text(&edited.body)?.text })
    }

    pub(super) fn retract(&self) -> Result<Action, RebuildError> {
        Ok(Action::Retract { message: event!(self, MessageRetracted)?.message })
    }

    pub(super) fn regenerate(&self) -> Result<Action, RebuildError> {
        Ok(Action::Regenerate { message: event!(self, ReplyRegenerated)?.message })
    }

    pub(super) fn label(&self) -> Result<Action, RebuildError> {
        let labelled = event!(self, Labelled)?;
        Ok(Action::Label { owner: labelled.owner.clone(), labels: labelled.labels.clone() })
    }

    pub(super) fn post_message(&self) -> Result<Action, RebuildError> {
        let posted = event!(self, MessagePosted)?;
        let body = self.text(&posted.body)?;
        Ok(Action::PostMessage { text: body.text, attachments: body.attachments, reply_to: posted.reply_to })
    }
}
