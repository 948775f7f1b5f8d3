//! People who join and leave.

use crate::event::refusal::RefusalReason;
use crate::event::{Author, PersonJoined, PersonLeft};
use crate::ids::principal::{Person, Principal};
use crate::world::decide::{Draft, No};
use crate::world::talk::decide::message;

/// The person who gives the command joins the roster, if they are not there already.
pub(in crate::world) fn join(draft: &mut Draft<'_>) -> Result<(), No> {
    let person = giver(draft)?;
    message::check_author(draft, &Author::Person(person.display.clone()))?;
    if is_taken(draft, person) {
        return Err(No::right(RefusalReason::NotYours));
    }
    enrol(draft);
    Ok(())
}

/// The person who gives the command leaves the roster, if they are there.
pub(in crate::world) fn leave(draft: &mut Draft<'_>) -> Result<(), No> {
    let person = giver(draft)?;
    if is_taken(draft, person) {
        return Err(No::right(RefusalReason::NotYours));
    }
    if draft.world.people.roster().contains_key(&person.display) {
        draft.push(PersonLeft {
            person: person.display.clone(),
        });
    }
    Ok(())
}

fn giver<'w>(draft: &Draft<'w>) -> Result<&'w Person, No> {
    let principal: &'w Principal = draft.principal;
    principal
        .person()
        .ok_or(No::right(RefusalReason::NotAPerson))
}

/// Tells whether the roster knows somebody else by the name of `person`.
pub(in crate::world) fn is_taken(draft: &Draft<'_>, person: &Person) -> bool {
    let known = draft.world.people.roster().get(&person.display);
    known.is_some_and(|known| !draft.world.people.is_one_hand(known, person))
}

/// Whoever does something here is in the roster from then on, so that agents can name them.
pub(in crate::world) fn enrol(draft: &mut Draft<'_>) {
    if let Principal::Person(person) = draft.principal
        && !draft.world.people.roster().contains_key(&person.display)
    {
        draft.push(PersonJoined {
            person: person.clone(),
        });
    }
}
