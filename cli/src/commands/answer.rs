//! `folkmoot answer`.

use crate::arguments::{Answer, Common};
use crate::commands::decision::decide;
use crate::control::decision::What;
use crate::exit::CliError;

/// Answers a tool's question.
pub(crate) async fn answer(common: &Common, arguments: Answer) -> Result<(), CliError> {
    let Answer { decided, text, option } = arguments;
    let what = match option {
        Some(number) => What::Option(number.saturating_sub(1)),
        None => What::Text(text.unwrap_or_default()),
    };
    decide(common, decided, what).await
}
