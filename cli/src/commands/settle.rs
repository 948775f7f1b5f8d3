//! `folkmoot settle`.

use crate::arguments::{Common, Settle};
use crate::commands::decision::decide;
use crate::desk::decision::What;
use crate::exit::CliError;

/// Says what became of a call whose outcome is unknown.
pub(crate) async fn settle(common: &Common, arguments: Settle) -> Result<(), CliError> {
    let Settle {
        decided,
        ran,
        run_again,
        ..
    } = arguments;
    let what = match (ran, run_again) {
        (Some(text), _) => What::Ran(text),
        (None, true) => What::RunAgain,
        (None, false) => What::NotRun,
    };
    decide(common, decided, what).await
}
