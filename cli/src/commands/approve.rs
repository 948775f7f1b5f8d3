//! `folkmoot approve`.

use folkmoot::core::command::{Judgement, Resolution};
use folkmoot::core::event::{Scope, Verdict, Wider};

use crate::arguments::{ApproveArgs, CommonArgs};
use crate::commands::decision::decide;
use crate::exit::{CliError, USAGE};

/// Allows a call, and calls like it to come if its scope says so.
pub(crate) async fn approve(common: &CommonArgs, arguments: ApproveArgs) -> Result<(), CliError> {
    let ApproveArgs {
        decided,
        scope,
        args,
        constraints,
        any_args,
        shown,
    } = arguments;
    let wider = match (any_args, constraints.is_empty()) {
        (true, _) => Wider::Any,
        (false, true) => Wider::Same,
        (false, false) => Wider::Where(constraints),
    };
    // Constraints free places of calls to come; this call runs as it was shown (decision 0013).
    if scope == Scope::Once && !wider.is_same() {
        let why = "--where and --any-args are about calls to come: say how far they reach with --scope turn, world or uses:N";
        return Err(CliError::other(USAGE, why));
    }
    let judgement = Judgement {
        wider,
        arguments: args,
        ..Judgement::new(Verdict::Allow)
            .having_seen(shown)
            .within(scope)
    };
    decide(common, decided, Resolution::Judge(judgement)).await
}
