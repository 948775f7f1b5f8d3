//! Owner and labels of a world.

use std::collections::BTreeMap;

use super::{Draft, No};
use crate::event::Labelled;
use crate::event::refusal::Refusal;

/// Replaces the owner and the labels; nothing happens if they are the same.
pub(super) fn label(
    draft: &mut Draft<'_>,
    owner: Option<&str>,
    labels: &BTreeMap<String, String>,
) -> Result<(), No> {
    let labelled = Labelled {
        owner: owner.map(str::to_owned),
        labels: labels.clone(),
    };
    labelled
        .check()
        .map_err(|why| No::Quiet(Refusal::BadLabels { why }))?;
    if labelled != draft.world.labelled {
        draft.push(labelled);
    }
    Ok(())
}
