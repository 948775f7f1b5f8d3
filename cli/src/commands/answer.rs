//! `folkmoot answer`.

use crate::arguments::{Answer, Common};
use crate::commands::decision::decide;
use crate::desk::decision::What;
use crate::exit::CliError;

/// Answers a tool's question.
pub(crate) async fn answer(common: &Common, arguments: Answer) -> Result<(), CliError> {
    let Answer {
        decided,
        text,
        option,
        ..
    } = arguments;
    let what = text.map_or_else(|| What::Options(numbers(&option)), What::Text);
    decide(common, decided, what).await
}

/// The numbers as the log counts them: from 0, ascending.
fn numbers(options: &[u32]) -> Vec<u32> {
    let mut numbers: Vec<u32> = options
        .iter()
        .map(|number| number.saturating_sub(1))
        .collect();
    numbers.sort_unstable();
    numbers
}
