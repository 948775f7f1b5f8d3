//! Fences: what stands between them is data.
//!
//! A fence has the written form `<name>…</name>`. Where the text inside holds something that could
//! be taken for the beginning or the end of one, in capitals or with blanks, its `<` is written as
//! `&lt;`.

use super::ModelText;

/// The kind of the data between two fences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fence {
    /// A call's result, as a tool, a person who settled a call, or another agent that was asked
    /// gave it.
    ToolOutput,
    /// A state of a client: what its user sees.
    ClientState,
}

impl Fence {
    const ALL: [Self; 2] = [Self::ToolOutput, Self::ClientState];

    const fn open(self) -> &'static str {
        match self {
            Self::ToolOutput => "<tool_output>",
            Self::ClientState => "<client_state>",
        }
    }

    const fn close(self) -> &'static str {
        match self {
            Self::ToolOutput => "</tool_output>",
            Self::ClientState => "</client_state>",
        }
    }

    fn name(self) -> &'static str {
        self.open().trim_matches(['<', '>'])
    }

    /// Returns what stands between this fence's two ends in `text`; the whole text if it does not
    /// stand between them.
    #[must_use]
    pub fn inside(self, text: &str) -> &str {
        text.strip_prefix(self.open())
            .and_then(|rest| rest.strip_suffix(self.close()))
            .unwrap_or(text)
    }

    /// Puts `text` between this fence's ends.
    pub(super) fn around(self, text: &str) -> ModelText {
        let mut fenced = String::with_capacity(text.len() + 2 * self.close().len());
        fenced.push_str(self.open());
        push_harmless(&mut fenced, text);
        fenced.push_str(self.close());
        ModelText(fenced)
    }
}

/// Adds `text`, with no fence in it.
fn push_harmless(into: &mut String, text: &str) {
    let mut pieces = text.split('<');
    into.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        into.push_str(if begins_fence(piece) { "&lt;" } else { "<" });
        into.push_str(piece);
    }
}

/// Tells whether what stands behind a `<` could be read as a fence.
fn begins_fence(rest: &str) -> bool {
    let rest = rest
        // Models read `< / TOOL_OUTPUT` as the end of a fence, too.
        .trim_start_matches(|c: char| c.is_whitespace() || c == '/')
        .as_bytes();
    Fence::ALL.iter().any(|fence| {
        let name = fence.name().as_bytes();
        rest.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    })
}
