//! Lists of calls as code: `[search(query="x"), get_weather(city="Paris")]`.

use super::arguments::{self, Strength};
use super::before::is_name;
use super::candidate::FoundArtifact;
use super::cursor::{Cursor, Stop};
use super::vocabulary::Known;
use super::word::canonical;
use crate::text::firewall::ArtifactFamily;

/// The longest name of a tool, in bytes.
const NAME_MAX: usize = 128;

/// The list of calls at `cursor`.
pub(super) fn find(mut cursor: Cursor<'_>, known: &Known) -> Result<FoundArtifact, Stop> {
    cursor.skip(1);
    let mut is_first = true;
    loop {
        cursor.skip_white()?;
        let name = cursor
            .take_while(NAME_MAX, is_name)
            .or_else(|stop| begun(cursor, stop, is_first, known))?;
        let called = known.called(&canonical(name));
        match (called, cursor.peek()?) {
            (Some((tool, _)), Some(b'(')) if is_first => {
                arguments::call(&mut cursor, tool, Strength::Told, known)?
            }
            (_, Some(b'(')) if !is_first => drop(arguments::skip_bracketed(&mut cursor)?),
            (_, None) if !is_first => break,
            _ => return Err(Stop::No),
        }
        is_first = false;
        cursor.skip_white()?;
        match cursor.peek()? {
            Some(b',') => cursor.skip(1),
            Some(b']') => {
                cursor.skip(1);
                break;
            }
            None => break,
            Some(_) => return Err(Stop::No),
        }
        cursor.skip_white()?;
        if cursor.eat(b']')? {
            break;
        }
    }
    Ok(FoundArtifact {
        from: 0,
        to: cursor.at,
        family: ArtifactFamily::LlamaCall,
        is_encoded: false,
        is_own: true,
    })
}

/// A name of which only the beginning is there.
fn begun<'t>(
    cursor: Cursor<'t>,
    stop: Stop,
    is_first: bool,
    known: &Known,
) -> Result<&'t [u8], Stop> {
    let name = canonical(cursor.rest());
    if is_first && !known.may_be_called(&name) {
        Err(Stop::No)
    } else {
        Err(stop)
    }
}
