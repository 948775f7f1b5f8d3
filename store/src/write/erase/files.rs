//! Which blobs the events of a world refer to: what people attached, and what of tools' output was
//! too large.

use std::collections::BTreeSet;
use std::io;

use folkmoot_core::ids::{Digest, Position, WorldId};
use serde_json::Value;

use super::Meant;
use super::units::{UnitPlace, damaged};
use crate::engine::{Engine, EngineError};
use crate::format::event::{ContentRef, EventRef};
use crate::format::record::records;
use crate::home::keys::Keyring;
use crate::state::content;

/// The name of every field that refers to a blob.
const FIELD: &str = "blob";

/// Looks for references in runs.
pub(super) struct ReferencedFiles<'a> {
    pub(super) engine: &'a dyn Engine,
    pub(super) keys: &'a Keyring,
    /// The fate of lost content that is to stay.
    pub(super) lost: Lost,
}

/// The fate of content that is lost.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lost {
    /// It refers to nothing any more.
    Passes,
    /// It may have the last reference to what would be removed.
    Fails,
}

impl ReferencedFiles<'_> {
    /// Returns what the meant events refer to, as far as they are not erased yet.
    pub(super) fn attached(
        &self,
        world: WorldId,
        meant: &Meant,
    ) -> Result<BTreeSet<Digest>, EngineError> {
        self.find(world, (meant.first(), meant.last()), Lost::Passes, |at| {
            meant.covers(at)
        })
    }

    /// Returns what all other events refer to.
    pub(super) fn kept(
        &self,
        world: WorldId,
        meant: &Meant,
    ) -> Result<BTreeSet<Digest>, EngineError> {
        let all = (Position::new(1), Position::new(u64::MAX - 1));
        self.find(world, all, self.lost, |at| !meant.covers(at))
    }

    fn find(
        &self,
        world: WorldId,
        (from, to): (Position, Position),
        lost: Lost,
        is_looked_at: impl Fn(Position) -> bool,
    ) -> Result<BTreeSet<Digest>, EngineError> {
        let mut place = UnitPlace::new(self.engine, world, from, to)?;
        let mut found = BTreeSet::new();
        loop {
            let units = place.read(self.engine)?;
            if units.is_empty() {
                return Ok(found);
            }
            for unit in &units {
                for record in records(&unit.commits) {
                    let record = record.map_err(damaged)?;
                    let events = record.events().map_err(damaged)?;
                    let numbered = (record.fixed.first.get()..).map(Position::new).zip(events);
                    for (at, event) in numbered.filter(|(at, _)| is_looked_at(*at)) {
                        let beside = self.beside((world, at), &event, lost)?;
                        of_event(
                            &content::join_one(event, &beside),
                            (record.fixed.world, self.keys),
                            &mut found,
                        )?;
                    }
                }
            }
        }
    }

    /// The content of an event that stands beside the frames; empty if none does.
    fn beside(
        &self,
        (keeper, at): (WorldId, Position),
        event: &EventRef<'_>,
        lost: Lost,
    ) -> Result<Vec<u8>, EngineError> {
        let ContentRef::Beside(beside) = &event.content else {
            return Ok(Vec::new());
        };
        match (content::fetch_one(self.engine, (keeper, at), beside), lost) {
            (Err(EngineError::Damaged(_)), Lost::Passes) => Ok(Vec::new()),
            (fetched, _) => fetched,
        }
    }
}

/// Finds what one event refers to, whose content is in its place.
pub(crate) fn of_event(
    event: &EventRef<'_>,
    (world, keys): (WorldId, &Keyring),
    found: &mut BTreeSet<Digest>,
) -> Result<(), EngineError> {
    let opened = match &event.content {
        ContentRef::Sealed { key, nonce, bytes } => {
            keys.open(world, key, nonce, bytes).map_err(of_key)?
        }
        ContentRef::Present { bytes, .. } => Some(bytes.to_vec()),
        ContentRef::None | ContentRef::Beside(_) | ContentRef::Erased { .. } => None,
    };
    let bytes = opened.as_deref().unwrap_or_default();
    if !bytes
        .windows(FIELD.len())
        .any(|window| window == FIELD.as_bytes())
    {
        return Ok(());
    }
    let content: Value = serde_json::from_slice(bytes)
        .map_err(|error| EngineError::Damaged(format!("content that is no JSON: {error}")))?;
    collect(&content, found);
    Ok(())
}

/// A reference that cannot be seen may be the last to what would be removed.
fn of_key(error: io::Error) -> EngineError {
    if error.kind() == io::ErrorKind::InvalidData {
        EngineError::Damaged(format!("a key of sealed content is damaged: {error}"))
    } else {
        EngineError::Io(error)
    }
}

fn collect(value: &Value, found: &mut BTreeSet<Digest>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let digest: Option<Digest> = if name == FIELD {
                    serde_json::from_value(value.clone()).ok()
                } else {
                    None
                };
                found.extend(digest);
                collect(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
