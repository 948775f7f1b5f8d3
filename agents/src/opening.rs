//! How a world is opened.

use std::path::PathBuf;
use std::sync::Arc;

use folkmoot_core::event::ClockKind;
use folkmoot_core::ids::{WorldId, WorldName};
use folkmoot_core::port::Labels;
use folkmoot_core::spec::Definition;
use folkmoot_core::world::effect::Effect;

use crate::parts::Assemble;
use crate::proof::Proof;

/// How a world is opened.
///
/// Whom a world belongs to, and how it is labelled, is the word of whoever opens it: an ingress
/// sets both from what it knows of its caller. A new world begins with them; else they are recorded
/// once the world is open, if they differ from what is recorded.
///
/// ```
/// use folkmoot_agents::Opening;
/// use folkmoot_core::ids::WorldName;
///
/// let name = WorldName::new("desk-17")?;
/// let opening = Opening::recorded(name).owned_by("team-a").label("stage", "live").label("topic", "billing");
/// assert_eq!(opening.owner.as_deref(), Some("team-a"));
/// assert_eq!(opening.labels.map(|labels| labels.len()), Some(2));
/// # Ok::<(), folkmoot_core::ids::NameError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Opening {
    /// The world's name.
    pub name: WorldName,
    /// What to begin it with, or what it is to become. `None` takes it as it is recorded.
    pub definition: Option<Definition>,
    /// The folder that relative paths of the definition are relative to.
    pub base: Option<PathBuf>,
    /// The clock of a new world. One that exists keeps its own.
    pub clock: ClockKind,
    /// Whether owed work is done.
    pub perform: Perform,
    /// Who changes the definition of a world that exists. It takes the right to operate it, and is
    /// recorded. `None`: whoever opens it, in nobody's name.
    pub by: Option<Proof>,
    /// The id of a new world, so that whoever opens it twice finds the one that they have begun.
    /// `None`: one of its own. With an id, a world of that name and another id is refused, and not
    /// opened.
    pub id: Option<WorldId>,
    /// Who begins a new world, and owns it: all rights are theirs, by the commit that begins it.
    /// `None`: it begins in nobody's name. No change to a world that exists.
    pub founder: Option<Proof>,
    /// Whom it belongs to. `None` leaves that as it is recorded.
    pub owner: Option<String>,
    /// What makes its parts; `None`: the runtime's assembler.
    pub assembler: Option<Arc<dyn Assemble>>,
    /// Its labels, in place of the recorded ones. `None` leaves them as they are recorded.
    pub labels: Option<Labels>,
}

impl Opening {
    /// Opens the world `name` as it is recorded.
    #[must_use]
    pub const fn recorded(name: WorldName) -> Self {
        Self {
            name,
            definition: None,
            base: None,
            clock: ClockKind::System,
            perform: Perform::AsItComes,
            by: None,
            id: None,
            founder: None,
            owner: None,
            labels: None,
            assembler: None,
        }
    }

    /// Opens the world `name`, or begins it, with `definition`.
    #[must_use]
    pub fn with(name: WorldName, definition: Definition) -> Self {
        Self {
            definition: Some(definition),
            ..Self::recorded(name)
        }
    }

    /// Changes the definition in the name of `by`.
    #[must_use]
    pub fn in_the_name_of(mut self, by: Proof) -> Self {
        self.by = Some(by);
        self
    }

    /// Gives a new world the id `id`.
    #[must_use]
    pub const fn identified(mut self, id: WorldId) -> Self {
        self.id = Some(id);
        self
    }

    /// Begins a new world in the name of `founder`, who has all rights in it.
    #[must_use]
    pub fn founded_by(mut self, founder: Proof) -> Self {
        self.founder = Some(founder);
        self
    }

    /// Makes the world `owner`'s.
    #[must_use]
    pub fn owned_by(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// Gives the world a label. All labels that were given so take the place of the recorded ones.
    #[must_use]
    pub fn label(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.labels
            .get_or_insert_default()
            .insert(key.into(), value.into());
        self
    }
}

/// Whether owed work is done, and in which order its outcomes are taken up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Perform {
    /// All of it; outcomes as they come.
    #[default]
    AsItComes,
    /// All of it; outcomes in the order in which the work was begun, once none of it goes on. The
    /// same inputs then make the same log.
    InOrder,
    /// None of it, but for what is to be erased: the world only records what people decide.
    Nothing,
}

impl Perform {
    /// Tells whether it does `effect`. What is to be erased is erased whoever opens the world, and
    /// for whatever.
    pub(crate) fn does(self, effect: &Effect) -> bool {
        match self {
            Self::AsItComes | Self::InOrder => true,
            Self::Nothing => matches!(effect, Effect::Erase { .. }),
        }
    }
}
