//! Proof of who acts. Whoever hands one out is the ingress, and answers for it.

use folkmoot_core::ids::principal::{Person, Principal};
use folkmoot_core::ids::{AgentName, PersonName, ToolName};

/// Who a seat is for, as the ingress proved it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof(Principal);

impl Proof {
    /// How people of world scripts are proven.
    pub const SCRIPT: &str = Person::SCRIPT;

    /// A user of this machine, by their number. `display` is claimed, not proven.
    #[must_use]
    pub fn local(uid: u32, display: PersonName) -> Self {
        Self::person(Person::LOCAL, format!("uid={uid}"), display)
    }

    /// A person of a world script; the subject is the name.
    #[must_use]
    pub fn script(display: PersonName) -> Self {
        let subject = display.to_string();
        Self::person(Self::SCRIPT, subject, display)
    }

    /// A person whom the embedding application proved by its own `method`.
    #[must_use]
    pub fn person(
        method: impl Into<String>,
        subject: impl Into<String>,
        display: PersonName,
    ) -> Self {
        Self(Principal::Person(Person {
            method: method.into(),
            subject: subject.into(),
            display,
        }))
    }

    /// An agent. It may read; what else it asks is refused, and recorded.
    #[must_use]
    pub const fn agent(name: AgentName) -> Self {
        Self(Principal::Agent(name))
    }

    /// A tool. It may read; what else it asks is refused, and recorded.
    #[must_use]
    pub const fn tool(name: ToolName) -> Self {
        Self(Principal::Tool(name))
    }

    /// The world itself: a world script, or an application that speaks for the room and for nobody in it.
    #[must_use]
    pub const fn world() -> Self {
        Self(Principal::World)
    }

    /// The principal.
    #[must_use]
    pub const fn principal(&self) -> &Principal {
        &self.0
    }
}
