//! Commands about the world as a whole, and messages.

use super::{RebuildError, RebuildSource};
use crate::command::{Action, TalkAction, WorldAction};
use crate::event::{
    Event, Labelled, MessageEdited, MessagePosted, MessageRetracted, Opened, ReplyRegenerated,
    Restored, SpecRevised, StepDone, WorldEvent, WorldOpened,
};
use crate::ids::CopyId;
use crate::spec::Definition;

impl RebuildSource<'_> {
    pub(super) fn create(&self) -> Result<Action, RebuildError> {
        let began = self.find("no WorldOpened", WorldOpened::of_event)?;
        Ok(Action::World(WorldAction::Create {
            world: began.world,
            name: began.name.clone(),
            clock: began.clock,
            base: began.base.clone(),
            definition: Definition {
                spec: (*began.spec).clone(),
                text: self.text(&began.text)?.into(),
                source: began.source.clone(),
            },
            node: self.find("no Opened", Opened::of_event)?.node,
            signer: self.find("no Opened", Opened::of_event)?.signer.clone(),
            copy: self.copy(),
            labelled: self.labelled().unwrap_or_default(),
        }))
    }

    pub(super) fn open(&self) -> Result<Action, RebuildError> {
        let opened = self.find("no Opened", Opened::of_event)?;
        let has_revised = self
            .events
            .iter()
            .any(|event| matches!(event, Event::World(WorldEvent::SpecRevised(_))));
        let revise = if has_revised {
            Some(self.revised()?)
        } else {
            None
        };
        let base = opened.base.clone();
        let signer = opened.signer.clone();
        Ok(Action::World(WorldAction::Open {
            node: opened.node,
            base,
            revise,
            signer,
            copy: self.copy(),
        }))
    }

    /// The owner and the labels that a world begins with; `None` if none are recorded.
    pub(super) fn labelled(&self) -> Option<Labelled> {
        self.find("no Labelled", Labelled::of_event).ok().cloned()
    }

    /// The copy that the world was opened in for the first time.
    pub(super) fn copy(&self) -> Option<CopyId> {
        self.find("no Restored", Restored::of_event)
            .ok()
            .map(|restored| restored.copy)
    }

    pub(super) fn revise(&self) -> Result<Action, RebuildError> {
        Ok(Action::World(WorldAction::Revise {
            definition: self.revised()?,
        }))
    }

    fn revised(&self) -> Result<Definition, RebuildError> {
        let revised = self.find("no SpecRevised", SpecRevised::of_event)?;
        let text = self.text(&revised.text)?.into();
        let source = revised.source.clone();
        Ok(Definition {
            spec: (*revised.spec).clone(),
            text,
            source,
        })
    }

    pub(super) fn record_step(&self) -> Result<Action, RebuildError> {
        let done = self.find("no StepDone", StepDone::of_event)?;
        Ok(Action::World(WorldAction::RecordStep {
            step: done.step,
            digest: done.digest,
        }))
    }

    pub(super) fn edit(&self) -> Result<Action, RebuildError> {
        let edited = self.find("no MessageEdited", MessageEdited::of_event)?;
        Ok(Action::Talk(TalkAction::Edit {
            message: edited.message,
            text: self.text(&edited.body)?.text,
        }))
    }

    pub(super) fn retract(&self) -> Result<Action, RebuildError> {
        Ok(Action::Talk(TalkAction::Retract {
            message: self
                .find("no MessageRetracted", MessageRetracted::of_event)?
                .message,
        }))
    }

    pub(super) fn regenerate(&self) -> Result<Action, RebuildError> {
        Ok(Action::Talk(TalkAction::Regenerate {
            message: self
                .find("no ReplyRegenerated", ReplyRegenerated::of_event)?
                .message,
        }))
    }

    pub(super) fn label(&self) -> Result<Action, RebuildError> {
        let labelled = self.find("no Labelled", Labelled::of_event)?;
        Ok(Action::World(WorldAction::Label {
            owner: labelled.owner.clone(),
            labels: labelled.labels.clone(),
        }))
    }

    pub(super) fn post_message(&self) -> Result<Action, RebuildError> {
        let posted = self.find("no MessagePosted", MessagePosted::of_event)?;
        let body = self.text(&posted.body)?;
        Ok(Action::Talk(TalkAction::PostMessage {
            text: body.text,
            attachments: body.attachments,
            reply_to: posted.reply_to,
        }))
    }
}
