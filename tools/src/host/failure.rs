//! The failure of a call whose program gave nothing.

use folkmoot_core::port::HostError;
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::tool::{ToolErrorCode, ToolOutcome};

/// The outcome of a call whose program gave `error`. Only a time limit and a lost helper leave it open whether the program
/// took effect.
pub(crate) fn failed(error: &HostError) -> ToolOutcome {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the enum may grow: its crate says so"
    )]
    let code = match error {
        HostError::TimedOut(_) => ToolErrorCode::TimedOut,
        HostError::Lost(_) => ToolErrorCode::Lost,
        HostError::Changed(_) | HostError::Unconfined(_) => ToolErrorCode::NotAllowed,
        _ => ToolErrorCode::Failed,
    };
    ToolOutcome::failed(code, with_causes(error))
}
