//! The settings of a remote tool, and of the server that has it.

use std::path::PathBuf;
use std::time::Duration;

use folkmoot_core::ids::Digest;
use folkmoot_core::port::Sandbox;
use folkmoot_core::tool::EffectClass;
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;

use super::words::is_clean;
use crate::build::{BuildError, ToolDraft, ToolFolder};
use crate::shell::reach::{Reach, variables};
use crate::variables::name_alone;

/// The most bytes of a name that a server gives.
const NAME_MAX: usize = 128;
/// The most bytes of a schema.
const SCHEMA_MAX: usize = 64 * 1024;
/// The time of a processor for a program that serves many calls.
const CPU: Duration = Duration::from_secs(3600);

/// The settings as they are recorded: one tool of one server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct McpSettings {
    server: String,
    command: Option<Vec<String>>,
    cwd: Option<PathBuf>,
    env: Option<Vec<String>>,
    sandbox: Option<Value>,
    url: Option<String>,
    token: Option<String>,
    pub(super) tool: String,
    pub(super) effect: Option<EffectClass>,
    pub(super) schema: Option<Value>,
    pub(super) digest: Option<Digest>,
}

/// The way to a server.
#[derive(Debug)]
pub(super) enum Endpoint {
    /// A program on this machine.
    Program(Box<ServerProgram>),
    /// An address.
    Address {
        /// The address.
        url: Url,
        /// The variable of the environment with the token, if it takes one.
        token: Option<String>,
    },
}

/// A program that is a server.
#[derive(Debug)]
pub(super) struct ServerProgram {
    /// The program and its arguments, at least one word.
    pub(super) argv: Vec<String>,
    /// Held open, so that no other folder can ever be taken for it.
    pub(super) folder: ToolFolder,
    /// The names of the variables that it gets.
    pub(super) variables: Vec<String>,
    /// The limits of its reach, with its folder; `None`: the rights of the user.
    pub(super) sandbox: Option<Sandbox>,
    /// The setting, whose places stay open for as long as the program may start.
    pub(super) reach: Reach,
}

impl McpSettings {
    /// Refuses names that are none, and a schema that is too long or not what it looks like.
    pub(super) fn check(&self, draft: &ToolDraft<'_>) -> Result<(), BuildError> {
        for (key, name) in [("server", &self.server), ("tool", &self.tool)] {
            if !is_name(name) {
                let why =
                    format!("write a name of 1 to {NAME_MAX} bytes without control characters");
                return Err(draft.bad(key, why));
            }
        }
        let Some(schema) = &self.schema else {
            return Err(draft.bad(
                "schema",
                "the tool needs the schema of its arguments: `folkmoot mcp tools SCRIPT` prints what the server offers",
            ));
        };
        if schema.to_string().len() > SCHEMA_MAX {
            return Err(draft.bad("schema", format!("at most {SCHEMA_MAX} bytes are taken")));
        }
        if !has_clean_texts(schema) {
            return Err(draft.bad(
                "schema",
                "a text in it has characters that nobody sees: take them out, and add the `digest` of the server's own",
            ));
        }
        Ok(())
    }

    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// The digest of all that makes the server what it is.
    pub(super) fn key(&self) -> Digest {
        let parts = serde_json::json!([
            self.server,
            self.command,
            self.cwd,
            self.env,
            self.sandbox,
            self.url,
            self.token
        ]);
        Digest::of(&[parts.to_string().as_bytes()])
    }

    pub(super) fn endpoint(self, draft: &ToolDraft<'_>) -> Result<Endpoint, BuildError> {
        let Self {
            command,
            cwd,
            env,
            sandbox,
            url,
            token,
            ..
        } = self;
        match (command, url) {
            (Some(argv), None) => {
                if token.is_some() {
                    return Err(draft.bad("token", "a program takes its secrets from `env`: leave `token` out"));
                }
                program(draft, argv, cwd, env, sandbox)
            }
            (None, Some(url)) => {
                let given = [("cwd", cwd.is_some()), ("env", env.is_some()), ("sandbox", sandbox.is_some())];
                if let Some((key, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
                    return Err(draft.bad(key, "this is about a `command`; a server at a `url` runs elsewhere"));
                }
                address(draft, &url, token)
            }
            (Some(_), Some(_)) => Err(draft.bad("url", "write either `command` or `url`")),
            (None, None) => Err(draft.bad(
                "command",
                "say where the server is: `command: [program, argument]` with `cwd`, or `url: https://…`",
            )),
        }
    }
}

fn program(
    draft: &ToolDraft<'_>,
    argv: Vec<String>,
    cwd: Option<PathBuf>,
    env: Option<Vec<String>>,
    sandbox: Option<Value>,
) -> Result<Endpoint, BuildError> {
    if argv.first().is_none_or(String::is_empty) {
        return Err(draft.bad("command", "begin it with the name of a program"));
    }
    if argv.iter().any(|word| word.contains("${")) {
        let why =
            "no variable is put in here, where every process could read it: name it under `env`";
        return Err(draft.bad("command", why));
    }
    let cwd = cwd.ok_or_else(|| draft.bad("cwd", "name the folder in which the program runs"))?;
    let folder = draft.folder("cwd", &cwd)?;
    let reach = Reach::read(draft, sandbox, CPU)?;
    let variables = variables(draft, env)?;
    Ok(Endpoint::Program(Box::new(ServerProgram {
        argv,
        folder,
        variables,
        // One program serves all tools of the server: what it may write, the script says.
        sandbox: reach.resident(),
        reach,
    })))
}

fn address(
    draft: &ToolDraft<'_>,
    url: &str,
    token: Option<String>,
) -> Result<Endpoint, BuildError> {
    let example = "write an address like https://example.com/mcp";
    let url = Url::parse(url).map_err(|error| draft.bad("url", format!("{error}: {example}")))?;
    let is_loopback = match url.host_str() {
        Some("localhost" | "127.0.0.1" | "[::1]") => true,
        Some(_) | None => false,
    };
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(draft.bad("url", example));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(draft.bad(
            "url",
            "no name and password may stand in it: write `token: ${NAME}`",
        ));
    }
    let token = token.map(|token| variable(draft, &token)).transpose()?;
    if token.is_some() && url.scheme() != "https" && !is_loopback {
        return Err(draft.bad("url", "a token goes over https, or to this machine, alone"));
    }
    Ok(Endpoint::Address { url, token })
}

/// The name in `${NAME}`.
fn variable(draft: &ToolDraft<'_>, token: &str) -> Result<String, BuildError> {
    // The text is not repeated: it may be the token.
    name_alone(token)
        .map(str::to_owned)
        .ok_or_else(|| draft.bad("token", "write `${NAME}`, and set NAME in the environment"))
}

/// Tells whether a tool with this name and schema can stand in a script as it is.
pub(super) fn is_fit(name: &str, schema: &Value) -> bool {
    is_name(name) && schema.to_string().len() <= SCHEMA_MAX && has_clean_texts(schema)
}

fn is_name(name: &str) -> bool {
    (1..=NAME_MAX).contains(&name.len()) && is_clean(name) && !name.contains('\n')
}

fn has_clean_texts(value: &Value) -> bool {
    match value {
        Value::String(text) => is_clean(text),
        Value::Array(items) => items.iter().all(has_clean_texts),
        Value::Object(entries) => entries
            .iter()
            .all(|(key, value)| is_clean(key) && has_clean_texts(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}
