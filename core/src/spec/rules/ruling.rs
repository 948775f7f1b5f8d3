//! The ruling of a room on a call whose arguments are in order.

use serde_json::Value;

use super::Rules;
use crate::spec::Mode;
use crate::tool::{EffectClass, ToolSpec, Unlisted};

/// The ruling on a call by its effect and the room's mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// The call runs.
    Runs,
    /// A person is asked about a call with this effect.
    Asks(EffectClass),
    /// The room's mode allows no such call.
    Refused,
}

impl Rules {
    /// Tells whether nobody can allow a call of `tool` with `arguments`: a rule of the room denies
    /// it, or the tool lists what it may be called with and this is not among it.
    #[must_use]
    pub fn forbids(&self, tool: &ToolSpec, arguments: &Value) -> bool {
        let mut deny = self.spec().policy.deny.iter();
        let is_denied =
            deny.any(|rule| rule.tool == tool.name && tool.is_denied(&rule.when, arguments));
        is_denied || (tool.unlisted == Unlisted::Refuse && tool.rule_of(arguments).is_none())
    }

    /// Returns the ruling on a call of `tool` with `arguments` that nothing forbids.
    pub(crate) fn ruling(&self, tool: &ToolSpec, arguments: &Value) -> Ruling {
        let effect = tool.effect_of(arguments);
        let is_unlisted = tool.unlisted == Unlisted::Ask && tool.rule_of(arguments).is_none();
        match (self.spec().policy.mode, effect) {
            (Mode::Read, EffectClass::Write | EffectClass::Destructive) => Ruling::Refused,
            (_, _) if is_unlisted => Ruling::Asks(effect),
            (Mode::Ask, EffectClass::Write | EffectClass::Destructive) => Ruling::Asks(effect),
            (_, EffectClass::Read) | (Mode::Auto, _) => Ruling::Runs,
        }
    }
}
