//! `folkmoot check`.

use folkmoot::definition_of;
use folkmoot::script::Script;
use serde_json::json;

use crate::arguments::{Check, Common};
use crate::exit::CliError;
use crate::terminal::Terminal;

/// Checks a script, its tools included.
pub(crate) fn check(common: &Common, arguments: &Check) -> Result<(), CliError> {
    let script = Script::load(&arguments.script)?;
    definition_of(&script, &script.spec)?;
    script.check_files(0)?;
    let mut terminal = Terminal::new();
    let (agents, steps) = (script.spec.agents.len(), script.steps.len());
    if common.json {
        return terminal.document(&json!({ "world": script.world, "agents": agents, "steps": steps }));
    }
    let file = arguments.script.display();
    terminal.line(&format!("{file} is fine: the world {}, {agents} agents, {steps} steps", script.world))
}
