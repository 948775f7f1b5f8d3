//! `folkmoot approve`.

use crate::arguments::{Approve, Common, Scope};
use crate::commands::decision::decide;
use crate::control::decision::What;
use crate::exit::CliError;

/// Allows a call.
pub(crate) async fn approve(common: &Common, arguments: Approve) -> Result<(), CliError> {
    let Approve { decided, scope: Scope::Once, shown } = arguments;
    decide(common, decided, What::Approve { shown }).await
}
