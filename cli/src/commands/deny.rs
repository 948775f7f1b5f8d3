//! `folkmoot deny`.

use folkmoot::core::command::{Judgement, Resolution};
use folkmoot::core::event::Verdict;

use crate::arguments::{Common, Deny};
use crate::commands::decision::decide;
use crate::exit::CliError;

/// Denies a call.
pub(crate) async fn deny(common: &Common, arguments: Deny) -> Result<(), CliError> {
    let Deny {
        decided,
        reason,
        tell_agent,
        shown,
    } = arguments;
    let judgement = Judgement {
        shares_reason: tell_agent,
        ..Judgement::new(Verdict::Deny)
            .having_seen(shown)
            .because(reason)
    };
    decide(common, decided, Resolution::Judge(judgement)).await
}
