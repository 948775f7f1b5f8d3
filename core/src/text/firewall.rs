//! The border to people: execution artifacts that agents speak never reach them.
//!
//! A [`Firewall`] scans what an agent says while it says it, and withholds calls, results of calls
//! and forged domain artifacts, each with its exact span. Everything else passes as it is: prose,
//! code, and JSON that somebody asked for.
//!
//! What an artifact is, is told by facts: an object with the form of a call *and* a tool of this
//! world in it, or with a marker that only a wire has. A key alone says nothing.

mod arguments;
mod artifact;
mod before;
mod call;
mod calls;
mod candidate;
mod comments;
mod cursor;
mod find;
mod forms;
mod json;
mod key;
mod kinds;
mod labels;
mod line;
mod list;
mod markup;
mod names;
mod sample;
mod skim;
mod spoken;
mod stream;
mod tag;
mod tried;
mod unclosed;
mod value;
mod vocabulary;
mod wide;
mod word;
mod work;
mod wrap;

#[cfg(test)]
mod tests;

pub use artifact::{ArtifactFamily, Withheld};
pub use stream::Firewall;
pub use vocabulary::Known;

/// A piece of a spoken text. Places are bytes of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpokenSpan<'t> {
    /// Text that people may read.
    Pass {
        /// The first byte.
        from: u32,
        /// The text.
        text: &'t str,
    },
    /// Text that they may not read. It is never empty.
    Withheld(Withheld),
}

/// The artifacts in a whole text, in order.
#[must_use]
pub fn scan(text: &str, known: &Known) -> Vec<Withheld> {
    let mut found = Vec::new();
    let mut out = |span: SpokenSpan<'_>| match span {
        SpokenSpan::Withheld(withheld) => found.push(withheld),
        SpokenSpan::Pass { .. } => {}
    };
    let mut firewall = Firewall::new(known.clone());
    firewall.push(text, &mut out);
    firewall.finish(&mut out);
    found
}
