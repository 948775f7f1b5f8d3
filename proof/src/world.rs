//! The id of a world, a UUID, as text.

use std::fmt::Write as _;

/// The bytes of an id before which a hyphen stands.
const HYPHENS: [usize; 4] = [4, 6, 8, 10];

/// The text form: lower-case hexadecimal digits in groups of 8, 4, 4, 4 and 12.
pub(crate) fn write(world: &[u8; 16]) -> String {
    world
        .iter()
        .enumerate()
        .fold(String::with_capacity(36), |mut text, (at, byte)| {
            if HYPHENS.contains(&at) {
                text.push('-');
            }
            // Writing to a string does not fail.
            let _is_written = write!(text, "{byte:02x}");
            text
        })
}

/// Reads just what [`write`] gives.
pub(crate) fn read(text: &str) -> Option<[u8; 16]> {
    if text.len() != 36 {
        return None;
    }
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let world = u128::from_str_radix(&digits, 16).ok()?.to_be_bytes();
    (write(&world) == text).then_some(world)
}
