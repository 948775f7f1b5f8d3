//! The one written form of each JSON value: what digests of arguments are made over.
//!
//! Keys are sorted by code point at every depth, whatever order the map they are in keeps. No white
//! space. Strings and numbers are as `serde_json` prints the value that it parsed: `1` and `1.0`
//! differ, and an integer that fits 64 bits stays exact. Of a key that stands twice in an object
//! the last value counts here, for the sake of old logs. [`read`] refuses such a text, and no call
//! with one runs.
//!
//! This is not RFC 8785. That rounds every number to a double, so 9007199254740993 and
//! 9007199254740992 would have one digest, and who allowed the one would have allowed the other.
//! Its keys are sorted by UTF-16 units, too.
//!
//! Equal bytes are of equal values, and equal values have equal bytes, but for `-0.0`: it keeps its
//! sign, though it compares as equal to `0.0`, because a tool can tell the two apart. Integers
//! beyond 64 bits are read as doubles: a tool is given the same double, too.

use serde_json::Value;

use crate::ids::Digest;

mod read;
#[cfg(test)]
mod tests;

pub use read::{JsonFault, read};

/// The canonical JSON of a call's arguments; `None` if they are no JSON or nest deeper than 127
/// levels.
#[must_use]
pub fn canonical(arguments: &str) -> Option<Vec<u8>> {
    serde_json::from_str(arguments)
        .ok()
        .as_ref()
        .map(canonical_json)
}

/// The digest of a value: over its canonical JSON.
#[must_use]
pub fn canonical_digest(value: &Value) -> Digest {
    Digest::of(&[&canonical_json(value)])
}

/// The digest of a call's arguments: over their canonical JSON, or over their bytes if they are no
/// JSON.
#[must_use]
pub fn arguments_digest(arguments: &str) -> Digest {
    canonical(arguments).map_or_else(
        || Digest::of(&[arguments.as_bytes()]),
        |bytes| Digest::of(&[&bytes]),
    )
}

/// The canonical JSON of a value, of any depth.
#[must_use]
pub fn canonical_json(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut left = vec![Unwritten::Value(value)];
    while let Some(piece) = left.pop() {
        match piece {
            Unwritten::Mark(mark) => bytes.push(mark),
            Unwritten::Key(key) => print(key, &mut bytes),
            Unwritten::Value(Value::Array(items)) => open_array(items, &mut left),
            Unwritten::Value(Value::Object(members)) => {
                open_object(members.iter().collect(), &mut left)
            }
            Unwritten::Value(scalar) => print(scalar, &mut bytes),
        }
    }
    bytes
}

/// The same as text.
pub(crate) fn canonical_text(value: &Value) -> String {
    // What is printed of JSON is UTF-8.
    String::from_utf8(canonical_json(value)).unwrap_or_default()
}

/// The rest to be written. The last is the next, so values are taken apart from behind.
enum Unwritten<'v> {
    Mark(u8),
    Key(&'v str),
    Value(&'v Value),
}

fn open_array<'v>(items: &'v [Value], left: &mut Vec<Unwritten<'v>>) {
    left.push(Unwritten::Mark(b']'));
    for (place, item) in items.iter().enumerate().rev() {
        left.push(Unwritten::Value(item));
        if place > 0 {
            left.push(Unwritten::Mark(b','));
        }
    }
    left.push(Unwritten::Mark(b'['));
}

fn open_object<'v>(mut members: Vec<(&'v String, &'v Value)>, left: &mut Vec<Unwritten<'v>>) {
    // The order of UTF-8 bytes is that of code points.
    members.sort_unstable_by_key(|(key, _)| *key);
    left.push(Unwritten::Mark(b'}'));
    for (place, (key, value)) in members.into_iter().enumerate().rev() {
        left.extend([
            Unwritten::Value(value),
            Unwritten::Mark(b':'),
            Unwritten::Key(key),
        ]);
        if place > 0 {
            left.push(Unwritten::Mark(b','));
        }
    }
    left.push(Unwritten::Mark(b'{'));
}

fn print<T: serde::Serialize + ?Sized>(scalar: &T, bytes: &mut Vec<u8>) {
    // Strings, numbers, booleans and null always serialise, and a buffer takes all that is written.
    serde_json::to_writer(bytes, scalar).unwrap_or_default();
}
