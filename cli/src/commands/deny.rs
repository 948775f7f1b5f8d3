//! `folkmoot deny`.

use crate::arguments::{Common, Deny};
use crate::commands::decision::decide;
use crate::desk::decision::What;
use crate::exit::CliError;

/// Denies a call.
pub(crate) async fn deny(common: &Common, arguments: Deny) -> Result<(), CliError> {
    let Deny {
        decided,
        reason,
        tell_agent,
        shown,
    } = arguments;
    decide(
        common,
        decided,
        What::Deny {
            shown,
            reason,
            shares_reason: tell_agent,
        },
    )
    .await
}
