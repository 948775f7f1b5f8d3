//! What people ask of the worlds of a store, whoever holds it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::view::query::Query;

pub(crate) mod decision;
pub(crate) mod erasing;
pub(crate) mod fork;
pub(crate) mod life;
pub(crate) mod peer;

use decision::Decision;
use erasing::Erasing;
use fork::ForkWish;
use life::Deletion;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    /// To read.
    Query(Query),
    /// To decide.
    Decide(Decision),
    /// To delete worlds.
    Delete(Deletion),
    /// To copy the store into this directory.
    Backup(PathBuf),
    /// To branch a world off another one.
    Fork(ForkWish),
    /// To erase.
    Erase(Erasing),
}
