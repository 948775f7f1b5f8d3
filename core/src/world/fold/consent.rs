//! Grants, rights and observed states.

use crate::event::{GrantGiven, GrantRevoked, GrantUsed};
use crate::ids::GrantId;
use crate::world::World;
use crate::world::memory::Allowance;

impl World {
    pub(super) fn give_grant(&mut self, event: &GrantGiven) {
        let id = GrantId(self.head);
        self.consent.give(id, event.clone(), self.time);
    }

    pub(super) fn use_grant(&mut self, event: &GrantUsed) {
        let tool = self
            .open_call(&event.agent, event.call)
            .and_then(|call| call.tool.as_ref());
        // A grant ends when its tool gets another folder: this is the one that it was given for.
        let folder = tool.and_then(|tool| self.rules.spec().tools.get(tool)?.folder.clone());
        if let Some(call) = self.call_mut(&event.agent, event.call) {
            call.folder = folder;
        }
        if let Some(grant) = self.consent.use_grant(event.grant) {
            let allowance = Allowance {
                by: grant.given.by.clone(),
                effect: grant.given.effect,
            };
            if let Some(request) = event.request {
                self.settle_by(request, allowance.by.clone(), "granted");
                self.allow(&event.agent, event.call, Some(allowance));
            } else if let Some(call) = self.call_mut(&event.agent, event.call) {
                call.allowed = Some(allowance);
            }
        }
    }

    pub(super) fn revoke_grant(&mut self, event: &GrantRevoked) {
        self.consent.revoke(event.grant);
    }
}
