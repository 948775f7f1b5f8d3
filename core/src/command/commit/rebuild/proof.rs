//! Commands that prove the log, branch it, and take content out of it.

use super::{RebuildError, Source, event};
use crate::command::Action;

impl Source<'_> {
    pub(super) fn fork(&self) -> Result<Action, RebuildError> {
        let forked = event!(self, Forked)?;
        let opened = event!(self, Opened)?;
        Ok(Action::Fork {
            world: forked.world,
            name: forked.name.clone(),
            base: forked.base.clone(),
            link: forked.link,
            effects: forked.effects,
            node: opened.node,
            signer: opened.signer.clone(),
            copy: self.copy(),
        })
    }

    pub(super) fn erase(&self) -> Result<Action, RebuildError> {
        let requested = event!(self, ErasureRequested)?;
        Ok(Action::Erase {
            events: requested.events.clone(),
            basis: self.text(&requested.basis)?,
        })
    }

    pub(super) fn record_erased(&self) -> Result<Action, RebuildError> {
        let erased = event!(self, Erased)?;
        Ok(Action::RecordErased {
            request: erased.request,
            events: erased.events,
            files: erased.files,
        })
    }

    pub(super) fn sign(&self) -> Result<Action, RebuildError> {
        let signed = event!(self, HeadSigned)?;
        Ok(Action::Sign {
            head: signed.head.clone(),
            key: signed.key.clone(),
            signature: signed.signature.clone(),
            occasion: signed.occasion,
        })
    }
}
