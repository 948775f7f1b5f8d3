//! What a person's yes reaches: this call, an edited one, or calls to come.

use serde_json::{Value, json};

use crate::command::{Action, Command, ConsentAction, Judgement, WorldAction};
use crate::event::refusal::RefusalReason;
use crate::event::*;
use crate::ids::principal::Principal;
use crate::ids::{GrantId, RequestId};
use crate::testing::*;

mod bound;
mod denial;
mod edit;
mod eyes;
mod forged;
mod grant;
mod random;
mod service;

pub(super) fn judged(name: &str, request: RequestId, judgement: Judgement) -> Command {
    judged_by(ada(), name, request, judgement)
}

pub(super) fn judged_by(
    principal: Principal,
    name: &str,
    request: RequestId,
    judgement: Judgement,
) -> Command {
    Command::of(
        principal,
        Action::Consent(ConsentAction::Decide {
            agent: Some(agent(name)),
            request,
            judgement,
        }),
    )
}

pub(super) fn yes() -> Judgement {
    Judgement::new(Verdict::Allow)
}

pub(super) fn edited(arguments: &Value) -> Judgement {
    Judgement {
        arguments: Some(arguments.to_string()),
        ..yes()
    }
}

pub(super) fn wide(scope: Scope, constraints: Value) -> Judgement {
    let constraints = serde_json::from_value(constraints).unwrap();
    Judgement {
        wider: Wider::Where(constraints),
        ..yes().within(scope)
    }
}

pub(super) fn revise(spec: crate::spec::WorldSpec) -> Command {
    Command::of_runtime(Action::World(WorldAction::Revise {
        definition: definition(spec),
    }))
}

pub(super) fn revoke(grant: GrantId) -> Command {
    Command::of(ada(), Action::Consent(ConsentAction::Revoke { grant }))
}

/// `command` is refused, and recorded for `reason` about `request`.
pub(super) fn refuses(
    past: &Past,
    command: &Command,
    reason: RefusalReason,
    request: Option<RequestId>,
) {
    check(
        past,
        command,
        &recorded(reason, [refused(command, reason, request)]),
    );
}

/// Bob asks to wipe at these paths.
pub(super) fn asks_to_wipe(paths: &[&str]) -> Past {
    wiping(Past::began(), paths)
}

pub(super) fn wiping(past: Past, paths: &[&str]) -> Past {
    let arguments: Vec<String> = paths
        .iter()
        .map(|path| json!({ "path": path }).to_string())
        .collect();
    let wanted: Vec<(&str, &str)> = arguments
        .iter()
        .map(|arguments| ("wipe", arguments.as_str()))
        .collect();
    past.bob_calls(&wanted)
}

impl Past {
    /// The oldest request that waits.
    pub(super) fn oldest(&self) -> RequestId {
        *self.world.consent().pending().keys().next().unwrap()
    }

    /// The newest grant.
    pub(super) fn grant(&self) -> GrantId {
        self.world.grants().last().unwrap().0
    }

    pub(super) fn kinds(&self) -> Vec<EventKind> {
        self.last().iter().map(Event::kind).collect()
    }
}
