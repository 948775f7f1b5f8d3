//! `folkmoot settle`.

use folkmoot::core::command::{Resolution, Settlement};

use crate::arguments::{CommonArgs, SettleArgs};
use crate::commands::decision::decide;
use crate::exit::CliError;

/// Says what became of a call whose outcome is unknown.
pub(crate) async fn settle(common: &CommonArgs, arguments: SettleArgs) -> Result<(), CliError> {
    let SettleArgs {
        decided,
        ran,
        run_again,
        ..
    } = arguments;
    let settlement = match (ran, run_again) {
        (Some(text), _) => Settlement::Ran(text),
        (None, true) => Settlement::RunAgain,
        (None, false) => Settlement::NotRun,
    };
    decide(common, decided, Resolution::Settle(settlement)).await
}
