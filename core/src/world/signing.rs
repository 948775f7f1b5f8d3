//! When heads of the log are to be signed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::World;
use crate::event::{HeadSigned, Occasion};
use crate::ids::Time;
use crate::world::effect::Effect;

/// After so many unsigned events a head is signed at once.
const UNSIGNED_MAX: u64 = 1_024;

/// After so long a head is signed, whatever goes on.
const UNSIGNED_FOR: Duration = Duration::from_secs(60);

/// How heads of the log are signed while this opening lasts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Signing {
    /// The key: its name, a plus sign and its id.
    pub(super) key: String,
    /// How many events no signed head covers, the signatures themselves not counted.
    pub(super) unsigned: u64,
    /// When the first of them was recorded.
    pub(super) since: Option<Time>,
}

impl World {
    /// The key that this opening signs with.
    #[must_use]
    pub fn signer(&self) -> Option<&str> {
        self.signing.as_ref().map(|signing| signing.key.as_str())
    }

    /// Whether there are events that no signed head covers, although somebody signs.
    #[must_use]
    pub fn has_unsigned(&self) -> bool {
        self.signing
            .as_ref()
            .is_some_and(|signing| signing.unsigned > 0)
    }

    pub(super) fn sign_with(&mut self, key: Option<&str>) {
        let before = self.signing.take();
        self.signing = key.map(|key| Signing {
            key: key.to_owned(),
            // The opening itself is no signature either.
            unsigned: before.as_ref().map_or(1, |before| before.unsigned),
            since: before.map_or(Some(self.time), |before| before.since),
        });
    }

    /// Counts an event that is not a signature.
    pub(super) fn note_unsigned(&mut self) {
        let now = self.time;
        if let Some(signing) = &mut self.signing {
            signing.unsigned = signing.unsigned.saturating_add(1);
            signing.since.get_or_insert(now);
        }
    }

    pub(super) fn note_head(&mut self, _signed: &HeadSigned) {
        if let Some(signing) = &mut self.signing {
            (signing.unsigned, signing.since) = (0, None);
        }
    }

    /// The signature that is owed: at once if enough is unsigned or nothing else goes on, else after a while.
    pub(super) fn owed_signature(&self, is_quiet: bool) -> Option<Effect> {
        let signing = self
            .signing
            .as_ref()
            .filter(|signing| signing.unsigned > 0)?;
        let since = signing.since.unwrap_or(self.time);
        Some(if signing.unsigned >= UNSIGNED_MAX {
            Effect::Sign {
                not_before: None,
                occasion: Occasion::Count,
            }
        } else if is_quiet {
            Effect::Sign {
                not_before: None,
                occasion: Occasion::Quiet,
            }
        } else {
            Effect::Sign {
                not_before: Some(since.after(UNSIGNED_FOR)),
                occasion: Occasion::Time,
            }
        })
    }
}
