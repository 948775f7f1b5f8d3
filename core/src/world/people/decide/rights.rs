//! Rights: who may do what.

use crate::command::Action;
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::{Holder, Rights, RightsChanged};
use crate::ids::PersonName;
use crate::ids::principal::Principal;
use crate::spec::rules::Rules;
use crate::world::People;
use crate::world::decide::{Draft, No};
use crate::world::talk::decide::message;

/// The longest method and subject together, in bytes.
const PROOF_MAX: usize = 512;

/// Refuses what a person or a service has no right to, before anything of it is looked up: they learn nothing of
/// what there is. Agents and tools are refused by what they try, as they always were.
pub(in crate::world) fn check_right(draft: &Draft<'_>, action: &Action) -> Result<(), No> {
    match (draft.principal, action.kind().rule().right) {
        (Principal::Person(_) | Principal::Service(_), Some(right))
            if !draft.world.rights_of(draft.principal).has(right) =>
        {
            Err(No::right(RefusalReason::NoRight))
        }
        (_, _) => Ok(()),
    }
}

/// Gives a person or a service other rights; nothing happens if they have them already.
///
/// Whoever may operate may give any right, and may take the last `operate` away from everyone: they
/// may revise the definition, which says the same and more. The world can always give it back, and
/// so can a definition that a world is opened with.
pub(in crate::world) fn set_rights(
    draft: &mut Draft<'_>,
    (holder, method, subject): (Holder, &str, &str),
    rights: Option<&Rights>,
) -> Result<(), No> {
    let is_an_agent_s = |name: &PersonName| message::is_called_like_an_agent(draft, name);
    if draft.principal.display().is_some_and(is_an_agent_s) {
        return Err(No::right(RefusalReason::NotAPerson));
    }
    let changed = draft.world.people.changed_rights();
    let known = changed.get(&holder.proof(method, subject));
    check_proof(method, subject)?;
    if rights.is_some() && known.is_none() && changed.len() >= People::RIGHTS_MAX {
        let max = People::RIGHTS_MAX;
        return Err(bad(format!(
            "the room keeps changed rights of {max} people; name further people in the definition"
        )));
    }
    if known != rights {
        let method = method.to_owned();
        let subject = subject.to_owned();
        let rights = rights.cloned();
        draft.push(RightsChanged {
            holder,
            method,
            subject,
            rights,
        });
    }
    Ok(())
}

/// Gives whoever begins a world all rights in it, in the same commit: a crash behind it leaves no
/// world without an owner.
pub(in crate::world) fn own(draft: &mut Draft<'_>, rules: &Rules) -> Result<(), No> {
    let (holder, method, subject, display) = match draft.principal {
        Principal::Person(person) => (
            Holder::Person,
            &person.method,
            &person.subject,
            &person.display,
        ),
        Principal::Service(service) => (
            Holder::Service,
            &service.method,
            &service.subject,
            &service.display,
        ),
        Principal::Agent(_) | Principal::Tool(_) | Principal::World | Principal::Runtime => {
            return Ok(());
        }
    };
    if rules.names().find(display.as_str()).is_some() {
        return Err(bad(format!(
            "an agent of the room is called {display}: its owner needs another name"
        )));
    }
    check_proof(method, subject)?;
    draft.push(RightsChanged {
        holder,
        method: method.clone(),
        subject: subject.clone(),
        rights: Some(Rights::all()),
    });
    Ok(())
}

fn check_proof(method: &str, subject: &str) -> Result<(), No> {
    if method.is_empty() || subject.is_empty() {
        return Err(bad(
            "a person is named by a method and a subject, and one of them is empty".to_owned(),
        ));
    }
    if method.len() + subject.len() > PROOF_MAX {
        return Err(bad(format!(
            "a method and a subject have at most {PROOF_MAX} bytes together"
        )));
    }
    Ok(())
}

const fn bad(why: String) -> No {
    No::Quiet(Refusal::BadRights { why })
}
