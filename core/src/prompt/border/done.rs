//! The item that tells an agent of calls that ran in a turn whose place another one takes.

use super::{Fence, ModelText, ModelView};
use crate::content::{Content, ERASED};
use crate::ids::{AgentName, ToolName};
use crate::prompt::Item;

/// The most calls that are told one by one: the newest.
const CALLS_MAX: usize = 16;

/// The words before the list.
const DONE_BEFORE: &str = "done before: This takes the place of earlier work, and in that work these calls ran. What they \
     did was not undone. Do not make such a call a second time unless that is wanted; a person is asked before it runs.";

/// The words about a call whose end nobody recorded.
const UNKNOWN: &str = "outcome_unknown: Whether it took effect is not known. It may have.";

/// A call that ran before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DoneCall<'c> {
    /// The tool.
    pub(crate) tool: &'c ToolName,
    /// The agent whose call it is, if it is another one: what it gave was told to that one only.
    pub(crate) by: Option<&'c AgentName>,
    /// The arguments.
    pub(crate) arguments: &'c Content<String>,
    /// The result as its agent was told it; `None` while nobody knows.
    pub(crate) gave: Option<&'c ModelView>,
}

/// The one item that tells of `calls`; `None` if there are none. It is data beside fixed words, and
/// no result of a call.
pub(crate) fn done_before(calls: &[DoneCall<'_>]) -> Option<Item> {
    let older = calls.len().saturating_sub(CALLS_MAX);
    let mut text = DONE_BEFORE.to_owned();
    if older > 0 {
        text.push_str(&format!(
            "\n- {older} earlier calls, which are not told one by one"
        ));
    }
    for call in calls.iter().skip(older) {
        text.push_str("\n- ");
        text.push_str(&line(call));
    }
    (!calls.is_empty()).then_some(Item::Notice {
        text: ModelText(text),
    })
}

fn line(call: &DoneCall<'_>) -> String {
    let tool = call.tool;
    let ended = call
        .gave
        .map_or(UNKNOWN.to_owned(), |gave| gave.told().to_string());
    match (call.by, call.arguments) {
        // Its result was for that agent alone (decision 0028).
        (Some(by), _) => {
            let known = if call.gave.is_some() {
                "It ended; what it gave was told to that agent only."
            } else {
                UNKNOWN
            };
            format!("{tool}, called by @{by}: {known}")
        }
        (None, Content::Present(arguments)) => {
            format!(
                "{tool}, called with {}: {ended}",
                &*Fence::ToolOutput.around(arguments)
            )
        }
        (None, Content::Erased { .. }) => {
            format!("{tool}, called with {}: {ended}", ERASED)
        }
    }
}
