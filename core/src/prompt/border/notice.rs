//! Words of the runtime: fixed sentences.

use super::ModelText;
use crate::event::{OutcomeSettled, SettledHow};
use crate::prompt::Item;
use crate::tool::ToolOutcome;

/// The instruction behind the items that a model is to summarise.
const SUMMARY: &str = "Your memory is full. Write a summary of everything above, for yourself: it will take the \
     place of these messages. Keep who asked for what, what was decided, done and found out, and what is still open; \
     keep names, numbers and paths as they are. Write the summary only. Nobody else will read it.";

/// The last item of a request for a summary.
pub(crate) fn summary_instruction() -> Item {
    notice(SUMMARY.to_owned())
}

/// Returns what stands in the place of results whose calls were erased: a request must not end in
/// the agent's own words.
pub(crate) fn erased_notice() -> Item {
    notice(
        "What you said here was erased, and with it the calls that you made and their results."
            .to_owned(),
    )
}

/// Returns what an agent is told when the outcome of a closed call becomes known.
pub(crate) fn settled_notice(event: &OutcomeSettled) -> Item {
    let late = event
        .text
        .present()
        .and_then(|text| text.late.as_ref())
        .map(|(_, outcome)| outcome);
    let what = match (event.how, late) {
        (SettledHow::Ran, _) => "A person found that it took effect.",
        (SettledHow::NotRun, None) => "A person found that it did not take effect.",
        (SettledHow::NotRun, Some(_)) => "It asked for something first, and did nothing.",
        (SettledHow::Late, Some(ToolOutcome::Failed(_))) => "It failed.",
        (SettledHow::Late, _) => "Its result arrived after all: it took effect.",
        (SettledHow::RunAgain, _) => "It runs again.",
    };
    notice(format!(
        "About an earlier call whose outcome was not known: {what}"
    ))
}

fn notice(text: String) -> Item {
    Item::Notice {
        text: ModelText(text),
    }
}
