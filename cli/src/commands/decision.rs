//! What `approve`, `deny`, `answer` and `settle` have in common.

use folkmoot::core::ids::WorldName;

use crate::arguments::{Common, Decided, Resume};
use crate::commands::{place, resume};
use crate::control::decision::{Decision, Taken, What};
use crate::exit::CliError;
use crate::show::{clean, clip};
use crate::source::Source;
use crate::terminal::Terminal;

/// The longest arguments that are repeated, in characters.
const ARGUMENTS_MAX: usize = 200;

/// Takes a decision: in the store, or through the process that holds it.
pub(crate) async fn decide(common: &Common, decided: Decided, what: What) -> Result<(), CliError> {
    let Decided { world, request, by, resume } = decided;
    let request = place::of(&world, &request, "request")?;
    let source = Source::open(common).await?;
    let is_held = source.is_held();
    let taken = Box::pin(source.decide(&Decision { world: world.clone(), request, by, what })).await?;
    say(common, &world, &taken, is_held, resume)?;
    if resume && !is_held {
        return Box::pin(resume::resume(common, &Resume { world, base: None, wait: false })).await;
    }
    Ok(())
}

fn say(common: &Common, world: &WorldName, taken: &Taken, is_held: bool, resumes: bool) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    if common.json {
        return terminal.json(taken);
    }
    let tool = taken.tool.as_ref().map(|tool| format!(" {tool}")).unwrap_or_default();
    let arguments = taken.arguments.as_deref().map(|text| format!(" {}", clip(&clean(text), ARGUMENTS_MAX)));
    terminal.line(&format!("{} {}: {}{tool}{}", taken.how, taken.name, taken.agent, arguments.unwrap_or_default()))?;
    match (is_held, resumes) {
        (true, _) => terminal.line("The process that holds the store goes on with it."),
        (false, true) => Ok(()),
        (false, false) => terminal.line(&format!("Go on with: {} resume {world}", common.program())),
    }
}
