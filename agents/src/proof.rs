//! Proof of who acts. Whoever hands one out is the ingress, and answers for it.

use folkmoot_core::ids::principal::{Person, Principal, Service};
use folkmoot_core::ids::{AgentName, PersonName, ToolName};

/// Who a seat is for, as the ingress proved it.
///
/// ```
/// use folkmoot_agents::Proof;
/// use folkmoot_core::ids::PersonName;
///
/// let ada = Proof::by("sign-in").user("user-17").called(PersonName::new("ada")?);
/// assert_eq!(ada.principal().to_string(), "ada");
/// # Ok::<(), folkmoot_core::ids::NameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof(Principal);

impl Proof {
    /// How people of world scripts are proven.
    pub const SCRIPT: &str = Person::SCRIPT;

    /// How those are proven whom the ledger knows by their login.
    pub const LEDGER: &str = "postgres";

    /// A user of this machine, by their number. `display` is claimed, not proven.
    #[must_use]
    pub fn local(uid: u32, display: PersonName) -> Self {
        Self::by(Person::LOCAL)
            .user(format!("uid={uid}"))
            .called(display)
    }

    /// A person of a world script; the subject is the name.
    #[must_use]
    pub fn script(display: PersonName) -> Self {
        let subject = display.to_string();
        Self::by(Self::SCRIPT).user(subject).called(display)
    }

    /// Begins the proof of a person, or of a program that acts by itself, whom the embedding
    /// application proved by a method of its own, such as its sign-in.
    pub fn by(method: impl Into<String>) -> ProvenBy {
        ProvenBy {
            method: method.into(),
        }
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

    /// The world itself: a world script, or an application that speaks for the room and for nobody
    /// in it.
    #[must_use]
    pub const fn world() -> Self {
        Self(Principal::World)
    }

    /// Somebody whom another node of the same store proved. `None` for the runtime: nobody is proven to be that.
    pub(crate) fn of_node(principal: Principal) -> Option<Self> {
        (principal != Principal::Runtime).then_some(Self(principal))
    }

    /// The principal.
    #[must_use]
    pub const fn principal(&self) -> &Principal {
        &self.0
    }
}

/// A method of proof, before it says whom it proved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a proof says who it is"]
pub struct ProvenBy {
    method: String,
}

impl ProvenBy {
    /// Names the user by the id that the method knows. Decisions compare it, so it must never be
    /// another person's.
    pub fn user(self, id: impl Into<String>) -> ProvenUser {
        ProvenUser {
            method: self.method,
            subject: id.into(),
        }
    }

    /// Names a program that acts by itself, by the id that the method knows. It is a
    /// [service](Principal::Service): rights compare the id, so it must never be another's.
    pub fn service(self, id: impl Into<String>) -> ProvenService {
        ProvenService {
            method: self.method,
            subject: id.into(),
        }
    }
}

/// A proven user, before the room calls them anything.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a proof says what the room calls the person"]
pub struct ProvenUser {
    method: String,
    subject: String,
}

impl ProvenUser {
    /// Gives the name that the room calls the person by. It is claimed, not proven.
    #[must_use]
    pub fn called(self, display: PersonName) -> Proof {
        Proof(Principal::Person(Person {
            method: self.method,
            subject: self.subject,
            display,
        }))
    }
}

/// A proven program, before the room calls it anything.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a proof says what the room calls the service"]
pub struct ProvenService {
    method: String,
    subject: String,
}

impl ProvenService {
    /// Gives the name that the room calls the service by. It is claimed, not proven.
    #[must_use]
    pub fn called(self, display: PersonName) -> Proof {
        Proof(Principal::Service(Service {
            method: self.method,
            subject: self.subject,
            display,
        }))
    }
}
