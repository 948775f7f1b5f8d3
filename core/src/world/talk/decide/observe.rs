//! Observations: what clients tell of what their users see.

use crate::command::{Action, TalkAction};
use crate::content::Content;
use crate::content::canonical::canonical_text;
use crate::event::StateObserved;
use crate::event::refusal::RefusalReason;
use crate::ids::StateName;
use crate::ids::principal::Principal;
use crate::world::World;
use crate::world::decide::{Draft, No};
use crate::world::talk::decide::message;
use crate::world::talk::observed;
use crate::world::talk::observed::Told;

/// Records what a client tells, if it shows agents anything new. It wakes nobody.
pub(in crate::world) fn observe(
    draft: &mut Draft<'_>,
    name: &StateName,
    state: &str,
) -> Result<(), No> {
    match draft.principal {
        Principal::World => {}
        Principal::Person(person) if !message::is_called_like_an_agent(draft, &person.display) => {}
        Principal::Service(service)
            if !message::is_called_like_an_agent(draft, &service.display) => {}
        Principal::Person(_)
        | Principal::Service(_)
        | Principal::Agent(_)
        | Principal::Tool(_)
        | Principal::Runtime => {
            return Err(No::right(RefusalReason::NotAPerson));
        }
    }
    let Told {
        state,
        dropped,
        item,
    } = observed::told(draft.world, name, state).ok_or(No::right(RefusalReason::BadState))?;
    if !observed::shows(draft.world, name, &item) {
        let name = name.clone();
        let by = draft.principal.clone();
        let state = Content::Present(state);
        draft.push(StateObserved {
            name,
            by,
            dropped,
            state,
        });
    }
    Ok(())
}

/// The same observation in the one form that is recorded; `None` if the room does not take it.
pub(in crate::world) fn observation(
    world: &World,
    name: &StateName,
    state: &str,
) -> Option<Action> {
    let told = observed::told(world, name, state)?;
    Some(Action::Talk(TalkAction::Observe {
        name: name.clone(),
        state: canonical_text(&told.state),
    }))
}
