//! Errors in words.

use std::error::Error;

/// Gives errors a `Debug` for people: their words with their causes, as
/// `fn main() -> Result<(), E>` prints them.
///
/// ```
/// #[derive(thiserror::Error)]
/// #[error("the room is full")]
/// struct Full;
///
/// folkmoot_core::debug_in_words!(Full);
/// assert_eq!(format!("{Full:?}"), "the room is full");
/// ```
#[macro_export]
macro_rules! debug_in_words {
    ($($error:ty),+ $(,)?) => {
        $(impl ::std::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(&$crate::port::causes::with_causes(self))
            }
        })+
    };
}

/// An error with its causes, in one line: `the log does not read: the disk is full`.
#[must_use]
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}
