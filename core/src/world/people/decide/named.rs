//! The giver of a command: under which name, and whether a script plays them.

use crate::command::{Action, Refusals};
use crate::event::Right;
use crate::event::refusal::{Refusal, RefusalReason};
use crate::ids::PersonName;
use crate::ids::alike::Looks;
use crate::ids::principal::{Party, Person};
use crate::spec::Definition;
use crate::world::decide::{Draft, No};
use crate::world::talk::decide::message;

/// Refuses a person or a service under a name that is nobody's or could be taken for somebody
/// else's, and decisions that a script plays where a user of this machine has acted: whoever runs it may be
/// that user.
pub(in crate::world) fn check_giver(draft: &Draft<'_>, action: &Action) -> Result<(), No> {
    let rule = action.kind().rule();
    let (Some(party), Some(right)) = (draft.principal.party(), rule.right) else {
        return Ok(());
    };
    let is_played = party.person().is_some_and(Person::is_played);
    if is_played && right != Right::Post && draft.world.people.are_in_local_hands() {
        return Err(No::right(RefusalReason::Played));
    }
    match fault_of_name(draft, &party, right) {
        Some(_) if rule.refusals == Refusals::Recorded => Err(No::right(RefusalReason::NotAPerson)),
        Some(why) => Err(No::Quiet(Refusal::BadMessage { why })),
        None => Ok(()),
    }
}

/// Returns the reason that `party` cannot do here what asks for `right`, by its name alone.
fn fault_of_name(draft: &Draft<'_>, party: &Party, right: Right) -> Option<String> {
    let name = party.display();
    // What is done under an agent's own name is refused where it is said what is done.
    if message::is_called_like_an_agent(draft, name) {
        return (right == Right::Operate).then(|| format!("an agent is called {name}"));
    }
    let is_of_person = draft.world.people.roster().contains_key(name);
    if party.person().is_none() && is_of_person {
        return Some(format!(
            "a person of the room is called {name}: give the service another name"
        ));
    }
    draft.world.name_fault(name)
}

/// Refuses a definition with a new agent whose name could be taken for a person's of the room.
pub(in crate::world) fn check_newcomers(
    draft: &Draft<'_>,
    definition: &Definition,
) -> Result<(), No> {
    let known = draft.world.rules.names();
    for agent in &definition.spec.agents {
        let names = [Some(&agent.name), agent.display.as_ref()]
            .into_iter()
            .flatten();
        for name in names.filter(|name| known.find(name.as_str()).is_none()) {
            let looks = Looks::of(name.as_str());
            let is_like = |person: &&PersonName| looks.is_like(&Looks::of(person.as_str()));
            if let Some(person) = draft.world.people.roster().keys().find(is_like) {
                let why = format!(
                    "the agent {name} would have the name of {person}, a person of the room: take another name"
                );
                return Err(No::Quiet(Refusal::BadDefinition { why }));
            }
        }
    }
    Ok(())
}
