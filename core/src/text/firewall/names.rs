//! The names of the tools of this world, in an artifact.

use super::before::is_name;
use super::vocabulary::Known;
use super::word::canonical;
use super::work;

/// The longest name of a tool with what qualifies it, in bytes.
const NAME_MAX: usize = 128;

/// Tells whether a tool is named in `text`, where names stand: between marks. Names that are no
/// words of prose may stand anywhere.
pub(super) fn a_tool(text: &[u8], known: &Known) -> bool {
    work::note(text.len());
    let is_part = |b: u8| is_name(b) && !matches!(b, b'.' | b':');
    let mut at = 0_usize;
    text.split(|b| !is_part(*b)).any(|word| {
        let from = at;
        at += word.len() + 1;
        if word.is_empty() || word.len() > NAME_MAX {
            return false;
        }
        let before = from.checked_sub(1).and_then(|at| text.get(at));
        let behind = text.get(from + word.len());
        let is_told = before.is_some_and(|b| matches!(b, b'.' | b'=' | b':' | b'>'));
        let is_marked = |b: Option<&u8>| {
            b.is_none_or(|b| !matches!(b, b' ' | b'\t' | b',' | b'!' | b'?' | b';'))
        };
        let tool = known.tool(&canonical(word));
        tool.is_some_and(|tool| {
            !known.is_plain(tool) || is_told || is_marked(before) && is_marked(behind)
        })
    })
}
