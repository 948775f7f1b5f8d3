//! Grants, rights and observed states.

use crate::event::{GrantGiven, GrantRevoked, GrantUsed, RightsChanged};
use crate::ids::GrantId;
use crate::ids::principal::proof;
use crate::spec::RightsPolicy;
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

    pub(super) fn change_rights(&mut self, event: &RightsChanged) {
        let proof = proof(&event.method, &event.subject);
        match &event.rights {
            Some(rights) => self.rights.insert(proof, rights.clone()),
            None => self.rights.remove(&proof),
        };
    }

    /// A definition that says something else of a person than the one before has the newest word on their rights.
    pub(super) fn renew_rights(&mut self, new: &RightsPolicy) {
        let old = &self.rules.spec().policy.rights;
        self.rights
            .retain(|proof, _| new.people.get(proof) == old.people.get(proof));
    }
}
