//! The names that an unknown one may have meant.

use std::collections::BTreeMap;

use strsim::osa_distance;

use super::names::Names;
use crate::ids::AgentName;
use crate::ids::letters::fold::fold;
use crate::ids::letters::is_word;

/// The most names that are suggested.
const NEAREST_MAX: usize = 3;

/// The most unknown names of one message that are looked at.
pub(super) const UNKNOWN_MAX: usize = 3;

/// The agents whose names are nearest to the `unknown` ones, best first: at most three, and none
/// that is far off.
#[must_use]
pub fn nearest(unknown: &[String], names: &Names<AgentName>) -> Vec<AgentName> {
    // The one look at every name of the room: only for a message that needs it.
    if unknown.is_empty() {
        return Vec::new();
    }
    let unknown: Vec<String> = unknown
        .iter()
        .take(UNKNOWN_MAX)
        .map(|name| fold(name))
        .collect();
    let mut found: BTreeMap<&AgentName, usize> = BTreeMap::new();
    for (name, agent) in names.iter() {
        if let Some(off) = unknown
            .iter()
            .filter_map(|unknown| off(unknown, name))
            .min()
        {
            found
                .entry(agent)
                .and_modify(|best| *best = off.min(*best))
                .or_insert(off);
        }
    }
    let mut found: Vec<(usize, &AgentName)> =
        found.into_iter().map(|(agent, off)| (off, agent)).collect();
    found.sort();
    found
        .into_iter()
        .take(NEAREST_MAX)
        .map(|(_, agent)| agent.clone())
        .collect()
}

/// Tells whether `unknown` is near to any of `names`: somebody may have mistyped one.
pub(super) fn is_near<T>(unknown: &str, names: &Names<T>) -> bool {
    let unknown = fold(unknown);
    names.iter().any(|(name, _)| off(&unknown, name).is_some())
}

/// Returns how far `unknown` is from `name`: whole from whole, or at one more its first word from
/// it, or it from one of its words; `None` if that is too far.
fn off(unknown: &str, name: &str) -> Option<usize> {
    let head = unknown.split(|c| !is_word(c)).next().unwrap_or_default();
    let words = name
        .split(' ')
        .filter(|word| word.len() < name.len())
        .filter_map(|word| edits(unknown, word));
    let parts = words.chain(edits(head, name)).min().map(|off| off + 1);
    edits(unknown, name).into_iter().chain(parts).min()
}

/// The edits between two folded names, if they are at most a third of the longer one.
fn edits(one: &str, other: &str) -> Option<usize> {
    let a = one.chars().count();
    let b = other.chars().count();
    let longer = a.max(b);
    let most = (longer + 1) / 3;
    let may_be_near = a > 0 && b > 0 && a.abs_diff(b) <= most;
    may_be_near
        .then(|| osa_distance(one, other))
        .filter(|off| *off <= most && *off < longer)
}
