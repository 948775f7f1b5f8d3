//! `folkmoot answer`.

use folkmoot::core::command::{Reply, Resolution};

use crate::arguments::{AnswerArgs, CommonArgs};
use crate::commands::decision::decide;
use crate::exit::{CliError, USAGE};

/// Answers a tool's question.
pub(crate) async fn answer(common: &CommonArgs, arguments: AnswerArgs) -> Result<(), CliError> {
    let AnswerArgs {
        mut decided,
        mut text,
        option,
        none,
    } = arguments;
    let has_options = none || !option.is_empty();
    // Behind `WORLD#N` the next word is the answer.
    if decided.world.at.is_some() && text.is_none() && !has_options {
        text = decided.request.take();
    }
    if text.is_none() && !has_options {
        let how = "write WORLD#POSITION TEXT, or --option N, or --none";
        return Err(CliError::other(
            USAGE,
            format!("the answer is missing: {how}"),
        ));
    }
    let reply = text.map_or_else(|| Reply::Options(numbers(&option)), Reply::Text);
    decide(common, decided, Resolution::Answer(reply)).await
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
