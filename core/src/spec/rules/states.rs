//! The definition's word on clients' states, checked and compiled.

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonschema::Validator;
use serde_json::Value;

use super::{Rules, RulesError};
use crate::ids::StateName;
use crate::spec::StateSpec;
use crate::tool::schema::compile;

impl Rules {
    /// Tells whether a client may tell `value` as the state `name`.
    #[must_use]
    pub(crate) fn takes_state(&self, name: &StateName, value: &Value) -> bool {
        self.states
            .get(name)
            .is_some_and(|validator| validator.is_valid(value))
    }
}

/// Checks the states and compiles their schemas.
pub(super) fn check(states: &BTreeMap<StateName, StateSpec>) -> Result<(), RulesError> {
    states.iter().try_for_each(|(name, state)| {
        let fault = |why: String| RulesError::BadState {
            state: name.clone(),
            why,
        };
        if !(1..=StateSpec::BYTES_MOST).contains(&state.bytes_max) {
            return Err(fault(format!(
                "bytes_max is {}, from 1 to {}",
                state.bytes_max,
                StateSpec::BYTES_MOST
            )));
        }
        compile(&state.schema)
            .map_err(|why| fault(format!("its schema is not a JSON Schema: {why}")))?;
        fault_of_pointers(state).map_or(Ok(()), |why| Err(fault(why)))
    })
}

/// The reason that ids cannot be looked up; `None` if each has a place of its own, none within
/// another one.
fn fault_of_pointers(state: &StateSpec) -> Option<String> {
    for pointer in state.ids.keys() {
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Some(format!(
                "{pointer:?} is not a JSON pointer: begin it with `/`"
            ));
        }
        let is_within = |other: &&String| {
            *other != pointer && format!("{pointer}/").starts_with(&format!("{other}/"))
        };
        if let Some(other) = state.ids.keys().find(is_within) {
            return Some(format!(
                "the ids at {pointer:?} lie inside those at {other:?}: name one of the two places"
            ));
        }
    }
    None
}

/// The schemas that compile. A recorded one that no longer does takes no state.
pub(super) fn compiled(
    states: &BTreeMap<StateName, StateSpec>,
) -> BTreeMap<StateName, Arc<Validator>> {
    let validator = |(name, state): (&StateName, &StateSpec)| {
        Some((name.clone(), Arc::new(compile(&state.schema).ok()?)))
    };
    states.iter().filter_map(validator).collect()
}
