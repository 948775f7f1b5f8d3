//! `folkmoot deny`.

use folkmoot::core::command::{Judgement, Resolution};
use folkmoot::core::event::Verdict;

use crate::arguments::{CommonArgs, DenyArgs};
use crate::commands::decision::decide;
use crate::exit::CliError;

/// Denies a call.
pub(crate) async fn deny(common: &CommonArgs, arguments: DenyArgs) -> Result<(), CliError> {
    let DenyArgs {
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
