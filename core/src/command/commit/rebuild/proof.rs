//! Commands that prove the log, branch it, and take content out of it.

use super::{RebuildError, RebuildSource};
use crate::command::{Action, ShellAction, WorldAction};
use crate::event::{Erased, ErasureRequested, Forked, HeadSigned, Opened, WithheldViewed};

impl RebuildSource<'_> {
    pub(super) fn fork(&self) -> Result<Action, RebuildError> {
        let forked = self.find("no Forked", Forked::of_event)?;
        let opened = self.find("no Opened", Opened::of_event)?;
        Ok(Action::World(WorldAction::Fork {
            world: forked.world,
            name: forked.name.clone(),
            base: forked.base.clone(),
            link: forked.link,
            effects: forked.effects,
            node: opened.node,
            signer: opened.signer.clone(),
            copy: self.copy(),
            labelled: self.labelled(),
        }))
    }

    pub(super) fn erase(&self) -> Result<Action, RebuildError> {
        let requested = self.find("no ErasureRequested", ErasureRequested::of_event)?;
        Ok(Action::World(WorldAction::Erase {
            events: requested.events.clone(),
            basis: self.text(&requested.basis)?,
        }))
    }

    pub(super) fn view_withheld(&self) -> Result<Action, RebuildError> {
        let viewed = self.find("no WithheldViewed", WithheldViewed::of_event)?;
        let at = viewed.withheld;
        Ok(Action::World(WorldAction::ViewWithheld { at }))
    }

    pub(super) fn record_erased(&self) -> Result<Action, RebuildError> {
        let erased = self.find("no Erased", Erased::of_event)?;
        Ok(Action::Shell(ShellAction::RecordErased {
            request: erased.request,
            events: erased.events,
            files: erased.files,
        }))
    }

    pub(super) fn sign(&self) -> Result<Action, RebuildError> {
        let signed = self.find("no HeadSigned", HeadSigned::of_event)?;
        Ok(Action::Shell(ShellAction::Sign {
            head: signed.head.clone(),
            key: signed.key.clone(),
            signature: signed.signature.clone(),
            occasion: signed.occasion,
        }))
    }
}
