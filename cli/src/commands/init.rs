//! `folkmoot init`.

use std::io::IsTerminal as _;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use folkmoot::core::ids::{AgentName, WorldName};
use folkmoot::providers::Preset;
use folkmoot::providers::transport::{Environment as _, ProcessEnvironment};
use folkmoot::script::{Script, json_schema};
use serde_json::json;

use crate::arguments::{CommonArgs, InitArgs};
use crate::exit::{CliError, USAGE};
use crate::new_file::NewFile;
use crate::show::remark;
use crate::terminal::{Terminal, ask};

/// The name of the file with the schema, beside the script.
const SCHEMA: &str = "folkmoot.schema.json";
/// The agent's name, if nobody gives another.
const AGENT: &str = "helper";
/// The time that a local Ollama may take to accept a connection.
const OLLAMA_PATIENCE: Duration = Duration::from_millis(300);
/// The providers that are offered where their key is set, each with a model to begin with.
const OFFERS: [(&str, &str); 8] = [
    ("openai-responses", "gpt-5-mini"),
    ("anthropic-messages", "claude-sonnet-5"),
    ("google-generate-content", "gemini-3-flash"),
    ("mistral", "mistral-small-latest"),
    ("deepseek", "deepseek-chat"),
    ("xai", "grok-4"),
    ("groq", "openai/gpt-oss-20b"),
    ("openrouter", "openrouter/auto"),
];
/// The model of a local Ollama to begin with.
const OLLAMA_MODEL: &str = "qwen3";

/// Writes a script of a room that talks, and the schema that editors check it with.
pub(crate) fn init(common: &CommonArgs, arguments: &InitArgs) -> Result<(), CliError> {
    let name = &arguments.name;
    let path = PathBuf::from(format!("{name}.yaml"));
    if path.exists() && !arguments.force {
        let how = "name another room, as in `folkmoot init NAME`, or overwrite it with --force";
        let what = format!("{} exists: {how}", path.display());
        return Err(CliError::other(USAGE, what));
    }
    if !arguments.yes && !std::io::stdin().is_terminal() {
        let what = "init asks which model answers: type it in a terminal, or say --yes";
        return Err(CliError::other(USAGE, what));
    }
    let choices = Mind::found();
    let (mind, agent) = if arguments.yes {
        let first = choices.into_iter().next().unwrap_or(Mind::Scripted);
        (first, AgentName::new(AGENT).map_err(usage)?)
    } else {
        asked(choices)?
    };
    let text = script(name, &mind, &agent)?;
    // A room that cannot be opened is not written.
    Script::parse(&text, &path)?;
    write_schema(Path::new(SCHEMA))?;
    write(&path, &text, arguments.force)?;
    if common.json {
        return Terminal::new().json(&json!({ "script": path, "schema": SCHEMA }));
    }
    let mut terminal = Terminal::new();
    terminal.line(&format!(
        "{} is written: a room with the agent {agent}, which {}.",
        path.display(),
        mind.told()
    ))?;
    terminal.line(&format!(
        "Talk in it: {} chat {}",
        common.program(),
        path.display()
    ))
}

fn usage(error: impl std::fmt::Display) -> CliError {
    CliError::other(USAGE, error.to_string())
}

/// The thing that answers in an agent's name.
enum Mind {
    /// A model of a provider.
    Provided {
        /// The provider.
        provider: &'static str,
        /// The provider's name of the model.
        model: String,
        /// The variable that holds its key; `None` if it needs none.
        key: Option<&'static str>,
    },
    /// The script itself.
    Scripted,
}

impl Mind {
    /// Those that can be asked from here, and the script.
    fn found() -> Vec<Self> {
        let set = |name: &&str| ProcessEnvironment.variable(name).is_some();
        let keyed = OFFERS.iter().filter_map(|(provider, model)| {
            let key = Preset::named(provider)?.key.filter(set)?;
            Some(Self::Provided {
                provider,
                model: (*model).to_owned(),
                key: Some(key),
            })
        });
        let ollama = has_ollama().then(|| Self::Provided {
            provider: "ollama",
            model: OLLAMA_MODEL.to_owned(),
            key: None,
        });
        keyed.chain(ollama).chain([Self::Scripted]).collect()
    }

    /// The words behind "which".
    fn told(&self) -> String {
        match self {
            Self::Provided {
                provider, model, ..
            } => format!("asks {model} ({provider})"),
            Self::Scripted => "plays replies of the script, without any model".to_owned(),
        }
    }
}

/// True if an Ollama listens on this machine.
fn has_ollama() -> bool {
    let host = ProcessEnvironment.variable("OLLAMA_HOST");
    let host = host.unwrap_or_else(|| "127.0.0.1:11434".to_owned());
    let host = host.trim_start_matches("http://").trim_end_matches('/');
    let Ok(mut addresses) = host.to_socket_addrs() else {
        return false;
    };
    addresses.any(|address| TcpStream::connect_timeout(&address, OLLAMA_PATIENCE).is_ok())
}

/// Asks what answers, and how the agent is called: three questions at most.
fn asked(choices: Vec<Mind>) -> Result<(Mind, AgentName), CliError> {
    let mind = match chosen(choices)? {
        Mind::Scripted => Mind::Scripted,
        Mind::Provided {
            provider,
            model,
            key,
        } => {
            let typed = ask(&format!("Which model of {provider}? [{model}]"))?;
            let model = if typed.is_empty() { model } else { typed };
            Mind::Provided {
                provider,
                model,
                key,
            }
        }
    };
    Ok((mind, named()?))
}

/// The one of `choices` that the person wants: asked again, until it is one of them, and not at all
/// if there is one alone.
fn chosen(choices: Vec<Mind>) -> Result<Mind, CliError> {
    let most = choices.len();
    let number = if most > 1 { number(&choices)? } else { 1 };
    let chosen = choices.into_iter().nth(number.saturating_sub(1));
    Ok(chosen.unwrap_or(Mind::Scripted))
}

fn number(choices: &[Mind]) -> Result<usize, CliError> {
    let mut terminal = Terminal::new();
    for (number, mind) in choices.iter().enumerate() {
        terminal.line(&format!("{}  an agent which {}", number + 1, mind.told()))?;
    }
    let most = choices.len();
    loop {
        let typed = ask(&format!("Which of them? [1-{most}, Enter is 1]"))?;
        if typed.is_empty() {
            return Ok(1);
        }
        match typed.parse() {
            Ok(number) if (1..=most).contains(&number) => return Ok(number),
            Ok(_) | Err(_) => remark(&format!("type a number from 1 to {most}")),
        }
    }
}

/// The name that the person gives the agent: asked again, until one can write it behind an `@`.
fn named() -> Result<AgentName, CliError> {
    loop {
        let typed = ask(&format!("How is the agent called? [{AGENT}]"))?;
        let name = if typed.is_empty() { AGENT } else { &typed };
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
        if !name.chars().all(is_plain) {
            remark("a name has letters, digits, - and _, so that people can write @NAME in a line");
            continue;
        }
        match AgentName::new(name) {
            Ok(name) => return Ok(name),
            Err(error) => remark(&error.to_string()),
        }
    }
}

fn script(name: &WorldName, mind: &Mind, agent: &AgentName) -> Result<String, CliError> {
    let agent = yaml(agent.as_str())?;
    let head = format!(
        "# yaml-language-server: $schema=./{SCHEMA}
# A room that talks. Type into it: folkmoot chat {name}.yaml

world: {}
",
        yaml(name.as_str())?
    );
    let (model, replies) = match mind {
        Mind::Provided {
            provider,
            model,
            key,
        } => {
            let needs = key.map(|key| format!(" # needs {key}")).unwrap_or_default();
            let model = yaml(model)?;
            let line = format!("{{ provider: {provider}, model: {model} }}{needs}");
            (line, String::new())
        }
        Mind::Scripted => {
            let replies = format!(
                "replies:
  {agent}:
    - {{ when: {{ contains: hello }}, text: \"Hello. I play the replies of this script.\" }}
    \
                 - {{ when: {{ contains: \"\" }}, text: \"Name a model under `models`, and I can answer that.\" }}
"
            );
            ("{ provider: scripted }".to_owned(), replies)
        }
    };
    Ok(format!(
        "{head}models:
  main: {model}
defaults: {{ model: main }}
agents:
  - name: {agent}
    \
         prompt: You help the people in this room. Answer in a few short sentences.
policy: {{ main_agent: {agent} }}
{replies}"
    ))
}

/// A text as YAML writes it: in quotes, if it would be read as something else without.
fn yaml(text: &str) -> Result<String, CliError> {
    let written = serde_saphyr::to_string(&text).map_err(usage)?;
    Ok(written.trim_end().to_owned())
}

/// Writes the schema, unless another room was begun here before.
fn write_schema(path: &Path) -> Result<(), CliError> {
    if path.exists() {
        return Ok(());
    }
    write(path, &format!("{}\n", json_schema()), false)
}

fn write(path: &Path, text: &str, force: bool) -> Result<(), CliError> {
    let mut file = NewFile::beside(path)?;
    file.write(text.as_bytes())?;
    file.finish(path, force)
}
