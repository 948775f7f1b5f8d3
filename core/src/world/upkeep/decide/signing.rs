//! Recording signed heads of the log.

use crate::event::{HeadSigned, Occasion, TreeHead};
use crate::world::decide::{Draft, No};

/// Only a head of the log as it stands is recorded, signed with the key that this opening named.
pub(in crate::world) fn sign(
    draft: &mut Draft<'_>,
    head: &TreeHead,
    key: &str,
    signature: &str,
    occasion: Occasion,
) -> Result<(), No> {
    let upkeep = &draft.world.upkeep;
    let is_due = upkeep.signer() == Some(key) && upkeep.has_unsigned();
    if !is_due || head.of != draft.world.head {
        return Err(No::STALE);
    }
    let head = head.clone();
    let key = key.to_owned();
    let signature = signature.to_owned();
    draft.push(HeadSigned {
        head,
        key,
        signature,
        occasion,
    });
    Ok(())
}
