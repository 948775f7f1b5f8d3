//! Whose hands a world is in: whether all who act in it are played by a script.

use serde::{Deserialize, Serialize};

use super::World;
use crate::command::commit::Commit;
use crate::event::Event;
use crate::ids::alike::name_fault;
use crate::ids::principal::Person;
use crate::ids::{AgentName, PersonName};

/// Who has acted in a world beside the people that a script plays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Hands {
    /// Nobody: those people are whom the script says they are.
    #[default]
    Played,
    /// People who are proven otherwise.
    Others,
    /// Users of this machine among them.
    Local,
}

impl World {
    /// Why nobody can be called `name` here: it stands for nobody, or it is that of an agent, or it looks like another one
    /// of the room. `None`: nothing is wrong with it. A person of the room has their name as it is written there.
    #[must_use]
    pub fn name_fault(&self, name: &PersonName) -> Option<String> {
        if self.people.contains_key(name) {
            // It was compared with the others when its bearer came, and newer agents with it.
            return name_fault(name.as_str(), []);
        }
        let agents = self
            .rules
            .spec()
            .agents
            .iter()
            .flat_map(|agent| [Some(&agent.name), agent.display.as_ref()]);
        let agents = agents.flatten().map(AgentName::as_str);
        name_fault(
            name.as_str(),
            agents.chain(self.people.keys().map(PersonName::as_str)),
        )
    }

    /// Notes who gave the command of a commit. What is refused is no act.
    pub(super) fn note_hand(&mut self, commit: &Commit) {
        let Some(person) = &self.speaker else { return };
        if matches!(commit.events.last(), Some(Event::Refused(_))) {
            return;
        }
        let hands = match person {
            person if person.is_played() => Hands::Played,
            person if person.is_local() => Hands::Local,
            _ => Hands::Others,
        };
        self.hands = self.hands.max(hands);
    }

    /// Whether anybody has acted here whom no script plays. From then on the people of a script are one person: the user
    /// who runs it.
    #[must_use]
    pub fn is_in_other_hands(&self) -> bool {
        self.hands > Hands::Played
    }

    /// Whether a user of this machine has acted here. From then on no decision of a person whom a script plays is taken.
    #[must_use]
    pub fn is_in_local_hands(&self) -> bool {
        self.hands == Hands::Local
    }

    /// Whether one human may be behind both, whatever the room calls them: they have one proof, or a script plays one of
    /// them and whoever runs it may be the other.
    #[must_use]
    pub fn is_one_hand(&self, one: &Person, other: &Person) -> bool {
        one.is_same_as(other)
            || match (one.is_played(), other.is_played()) {
                (true, true) => self.is_in_other_hands(),
                (true, false) => other.is_local(),
                (false, true) => one.is_local(),
                (false, false) => false,
            }
    }
}
