//! `folkmoot schema`.

use crate::arguments::SchemaArgs;
use crate::exit::CliError;
use crate::terminal::Terminal;

/// Prints the JSON Schema of world scripts, in one line: editors read it. People read the reference.
pub(crate) fn schema(arguments: &SchemaArgs) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    if arguments.markdown {
        terminal.whole(folkmoot::script::reference().trim_end())
    } else {
        terminal.json(&folkmoot::script::json_schema())
    }
}
