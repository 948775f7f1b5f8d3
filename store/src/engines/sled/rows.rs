//! Reading rows of a tree.

use std::ops::RangeBounds;

use sled::Tree;

use super::guard::guarded;
use crate::engine::{EngineError, Pair};

/// Reads rows until about `bytes_max` bytes are read; at least one, if there is one.
pub(super) fn collect<K: AsRef<[u8]>, R: RangeBounds<K>>(
    tree: &Tree,
    range: R,
    bytes_max: usize,
) -> Result<Vec<Pair>, EngineError> {
    guarded(|| {
        let mut pairs = Vec::new();
        let mut read = 0_usize;
        for row in tree.range(range) {
            let (key, value) = row?;
            read += value.len() + 1;
            pairs.push((key.to_vec(), value.to_vec()));
            if read >= bytes_max {
                break;
            }
        }
        Ok(pairs)
    })
}

/// The first keys of a range, at most `count_max`.
pub(super) fn keys<K: AsRef<[u8]>, R: RangeBounds<K>>(
    tree: &Tree,
    range: R,
    count_max: usize,
) -> Result<Vec<Vec<u8>>, EngineError> {
    guarded(|| {
        tree.range(range)
            .keys()
            .take(count_max)
            .map(|key| key.map(|key| key.to_vec()))
            .collect()
    })
}

/// Reads a number that is kept as eight bytes.
pub(super) fn number(bytes: &[u8]) -> Result<u64, EngineError> {
    let bytes = <[u8; 8]>::try_from(bytes);
    bytes
        .map(u64::from_be_bytes)
        .map_err(|_| EngineError::Damaged("a number has not eight bytes".to_owned()))
}
