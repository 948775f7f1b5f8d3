//! The parts that a script leaves to a program: `use: own` and `provider: own`.

use std::collections::BTreeMap;
use std::fmt;

use super::fault::{Fault, Mark};
use super::grammar::OWN;
use super::spec::{ModelDraft, SpecDraft, ToolDraft};
use super::{Script, Step};

/// The tools and models that a program has to bind before it can run a script. It reads as a
/// sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnParts {
    /// The parts, e.g. ``the tool `refund` ``, and where each stands first.
    parts: BTreeMap<String, Mark>,
}

impl OwnParts {
    /// Tells whether there are none, so that the command can run the script.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn add(&mut self, spec: &SpecDraft) {
        let tools = spec.tools.iter().filter(|(_, tool)| tool.is_own());
        let tools = tools.map(|(name, tool)| (format!("the tool `{name}`"), tool.at.of("use")));
        let models = spec.models.iter().filter(|(_, model)| model.is_own());
        let models =
            models.map(|(name, model)| (format!("the model `{name}`"), model.at.of("provider")));
        for (part, at) in tools.chain(models) {
            self.parts.entry(part).or_insert(at);
        }
    }
}

impl fmt::Display for OwnParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<&str> = self.parts.keys().map(String::as_str).collect();
        let list = match parts.as_slice() {
            [] => return f.write_str("the command can run this script"),
            [one] => (*one).to_owned(),
            [others @ .., last] => format!("{} and {last}", others.join(", ")),
        };
        write!(f, "only a program can run this script: it binds {list}")
    }
}

impl Script {
    /// Returns what it leaves to a program, its `revise` steps included.
    #[must_use]
    pub fn own_parts(&self) -> OwnParts {
        let mut own = OwnParts::default();
        own.add(&self.spec);
        let revised = self
            .steps
            .iter()
            .filter_map(|step: &Step| step.verb.revised());
        revised.for_each(|spec| own.add(spec));
        own
    }

    /// The fault that it leaves parts to a program; `None` if it leaves none.
    pub(crate) fn own_fault(&self) -> Option<Fault> {
        let own = self.own_parts();
        let first = own.parts.values().min()?;
        let help = "bind them with `Room::tool` and `Room::model`, and open the room with `Runtime::open_room`";
        Some(
            self.sources
                .fault(*first, own.to_string(), Some(help.to_owned())),
        )
    }
}

impl ToolDraft {
    /// Tells whether a program brings it.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.uses == OWN
    }
}

impl ModelDraft {
    /// Tells whether a program brings it.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.spec.provider == OWN
    }
}
