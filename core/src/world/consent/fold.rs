//! Grants, rights and observed states.

use crate::event::{GrantGiven, GrantRevoked, GrantUsed};
use crate::ids::GrantId;
use crate::world::memory::Allowance;
use crate::world::{World, calls};

pub(in crate::world) fn give_grant(world: &mut World, event: &GrantGiven) {
    let id = GrantId(world.head);
    world.consent.give(id, event.clone(), world.time);
}

pub(in crate::world) fn use_grant(world: &mut World, event: &GrantUsed) {
    let tool = world
        .agents
        .open_call(&event.agent, event.call)
        .and_then(|call| call.tool.as_ref());
    // A grant ends when its tool gets another folder: this is the one that it was given for.
    let folder = tool.and_then(|tool| world.rules.spec().tools.get(tool)?.folder.clone());
    if let Some(call) = world.agents.open_call_mut(&event.agent, event.call) {
        call.folder = folder;
    }
    if let Some(grant) = world.consent.use_grant(event.grant) {
        let allowance = Allowance {
            by: grant.given.by.clone(),
            effect: grant.given.effect,
        };
        if let Some(request) = event.request {
            calls::fold::settle_by(world, request, allowance.by.clone(), "granted");
            calls::fold::allow(world, &event.agent, event.call, Some(allowance));
        } else if let Some(call) = world.agents.open_call_mut(&event.agent, event.call) {
            call.allowed = Some(allowance);
        }
    }
}

pub(in crate::world) fn revoke_grant(world: &mut World, event: &GrantRevoked) {
    world.consent.revoke(event.grant);
}
