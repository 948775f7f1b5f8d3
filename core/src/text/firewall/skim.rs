//! The end of a value that is known for a call, as far as can be told.

use super::comments::Comments;
use super::cursor::{Cursor, Stop};
use super::json::Reads;
use super::value::Value;
use super::vocabulary::Known;

/// The most bytes behind the place where a call breaks in which its end is looked for.
pub(super) const SKIM_MAX: usize = 4 * 1024;

/// The same where a closing tag tells better.
const SKIM_SHORT: usize = 256;

/// The extent of a value that is known to be part of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// The value is whole.
    Whole,
    /// The text ended in it.
    Cut,
    /// The value broke.
    Broken,
}

/// Skips the value at `cursor`, which is part of an artifact.
pub(super) fn skip_value(cursor: &mut Cursor<'_>, known: &Known) -> Result<Ends, Stop> {
    let mut value = Value::new(known.clone(), 0, None);
    let ends = match value.feed(cursor.rest(), cursor.at, &mut Comments::default()) {
        Reads::Whole => Ends::Whole,
        Reads::Broken => {
            let depth = value.depth();
            let end = broken_end(cursor.rest(), &value, depth, SKIM_SHORT, cursor.is_whole)?;
            cursor.skip(end);
            return Ok(Ends::Broken);
        }
        Reads::Further if cursor.is_whole => Ends::Cut,
        Reads::Further => return Err(Stop::More),
    };
    cursor.skip(value.len());
    Ok(ends)
}

/// Returns where a part of `value` ends that has `depth` brackets open, if `value` begins with
/// `bytes` and broke: with the bracket that closes it, if one does within `max` bytes on the lines
/// that still look like JSON; else with its last token.
pub(super) fn broken_end(
    bytes: &[u8],
    value: &Value,
    depth: usize,
    max: usize,
    is_whole: bool,
) -> Result<usize, Stop> {
    let mut cursor = Cursor::new(bytes, value.len() + max, is_whole);
    let mut depth = depth;
    let mut end = value.good();
    cursor.skip(value.len());
    while let Some(b) = cursor.peek()? {
        cursor.skip(1);
        match b {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                end = cursor.at;
            }
            b'\n' => {
                cursor.skip_white()?;
                if !matches!(
                    cursor.peek()?,
                    Some(b'"' | b'\'' | b'{' | b'}' | b'[' | b']' | b',')
                ) {
                    return Ok(end);
                }
            }
            _ => {}
        }
        if depth == 0 {
            return Ok(end);
        }
    }
    Ok(end)
}
