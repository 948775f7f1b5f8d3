//! `folkmoot mcp tools`.

use std::sync::Arc;
use std::time::Duration;

use folkmoot::ProcessHost;
use folkmoot::core::ids::ToolName;
use folkmoot::script::{Script, nearest};
use folkmoot::servers::{Offer, OfferError, offers};
use serde_json::{Value, json};

use crate::arguments::{CommonArgs, McpToolsArgs};
use crate::exit::{CliError, STORE, USAGE};
use crate::session::own_program;
use crate::terminal::Terminal;

/// Prints what the servers of a script offer.
pub(crate) async fn tools(common: &CommonArgs, arguments: &McpToolsArgs) -> Result<(), CliError> {
    let script = Script::load(&arguments.script)?;
    let servers = &script.spec.servers;
    let is_wanted = |name: &&ToolName| {
        let wanted = arguments.only.as_deref();
        wanted.is_none_or(|wanted| wanted == name.as_str())
    };
    let wanted: Vec<&ToolName> = servers.keys().filter(is_wanted).collect();
    if wanted.is_empty() {
        return Err(CliError::other(USAGE, nothing(&script, arguments)));
    }
    // No store is needed, so none is made.
    let locks = tempfile::tempdir().map_err(CliError::output)?;
    let host = Arc::new(ProcessHost::new(own_program()?, locks.path()));
    let limit = Duration::from_secs(arguments.wait);
    let mut found = Vec::new();
    for name in wanted {
        let settings = servers.get(name).unwrap_or(&Value::Null);
        let offered = offers(name, settings, &script.base, host.clone(), limit).await;
        let code = |error: &OfferError| match error {
            OfferError::Settings(_) => USAGE,
            OfferError::Server(_) | OfferError::Late { .. } | _ => STORE,
        };
        let offered = offered.map_err(|error| CliError::other(code(&error), error.to_string()))?;
        found.push((name, offered));
    }
    let mut terminal = Terminal::new();
    if common.json {
        let servers = found.iter().map(|(name, offers)| {
            let tools: Vec<Value> = offers.iter().map(json_of).collect();
            json!({ "server": name, "tools": tools })
        });
        return terminal.document(&servers.collect::<Vec<Value>>());
    }
    terminal.whole("# Paste what agents may use. The words and hints are the servers': read them, and do not believe them.")?;
    for (name, offers) in found {
        terminal.whole(&format!("  {name}:\n    tools:"))?;
        for offer in offers {
            terminal.whole(offer.to_string().trim_end())?;
        }
    }
    Ok(())
}

fn json_of(offer: &Offer) -> Value {
    let Offer {
        name,
        description,
        schema,
        hints,
    } = offer;
    json!({ "name": name, "description": description, "schema": schema, "hints": hints })
}

fn nothing(script: &Script, arguments: &McpToolsArgs) -> String {
    let file = arguments.script.display();
    let names = || script.spec.servers.keys().map(ToolName::as_str);
    match &arguments.only {
        None => format!(
            "{file} names no server: add one under `tools`, e.g. `files: {{ use: mcp, command: [mcp-server, .], cwd: . }}`"
        ),
        Some(wanted) => {
            let near = nearest(wanted, names());
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            format!("{file} names no server `{wanted}`{near}")
        }
    }
}
