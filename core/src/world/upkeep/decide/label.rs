//! Owner and labels of a world.

use std::collections::BTreeMap;

use crate::event::Labelled;
use crate::event::refusal::Refusal;
use crate::world::decide::{Draft, No};

/// Replaces the owner and the labels; nothing happens if they are the same.
pub(in crate::world) fn label(
    draft: &mut Draft<'_>,
    owner: Option<&str>,
    labels: &BTreeMap<String, String>,
) -> Result<(), No> {
    let labelled = Labelled {
        owner: owner.map(str::to_owned),
        labels: labels.clone(),
    };
    labelled.check().map_err(|fault| {
        let why = fault.to_string();
        No::Quiet(Refusal::BadLabels { why })
    })?;
    if labelled != draft.world.labelled {
        draft.push(labelled);
    }
    Ok(())
}
