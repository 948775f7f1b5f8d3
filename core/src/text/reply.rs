//! The finalisation of agents' replies: from what an agent spoke to what people read, and where it
//! wants to go.
//!
//! Execution artifacts are withheld, see [`firewall`](crate::text::firewall). Routing tags are
//! obeyed and cut, wherever they stand, code included. An agent's own mention is cut from the run
//! of mentions at the start of a line. The blank or the empty line that a cut would leave behind
//! goes with it. A whole reply and one that streams take the same way, character by character:
//! [`ReplyCutter`].

use crate::text::UserText;
use crate::text::firewall::Withheld;

mod blanks;
pub(crate) mod bracket;
mod cutter;
mod own_mention;
mod piece;
mod routing_tag;
mod tags;
mod word;

#[cfg(test)]
mod tests;

pub use cutter::ReplyCutter;
pub use routing_tag::RoutingTag;

/// The warning about a routing tag with a word in it that nobody knows.
pub const UNKNOWN_ROUTING_TAG: &str = "unknown_routing_tag";

/// A reply as people read it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FinalReply {
    /// The text. Empty if nothing but white space remains.
    pub text: UserText,
    /// The byte ranges of the spoken text that are not part of it: ascending, neither empty nor
    /// touching.
    pub cut: Vec<(u32, u32)>,
    /// The artifacts in the spoken text, in order. They are cut.
    pub withheld: Vec<Withheld>,
    /// The strongest routing tag.
    pub tag: Option<RoutingTag>,
    /// The names of all `TO` tags, as they were written, without `@`. Empty unless the tag is
    /// [`RoutingTag::To`].
    pub to: Vec<String>,
    /// Codes, each once: [`UNKNOWN_ROUTING_TAG`].
    pub warnings: Vec<&'static str>,
}
