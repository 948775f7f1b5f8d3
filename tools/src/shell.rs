//! `shell`: programs from an allow-list, with no shell between.

use std::io;
use std::path::PathBuf;

use async_trait::async_trait;
use folkmoot_core::port::{HostCommand, Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolOutcome, ToolSpec, Unlisted,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft, ToolFolder};
use crate::host::{id_of, lock_of};

mod allow;
mod outcome;
pub(crate) mod reach;
#[cfg(test)]
mod tests;

use allow::AllowedCommand;
use outcome::{Confinement, not_run, outcome};
use reach::{CPU, Reach, variables};

pub(crate) const SHELL: Kind = Kind {
    name: "shell",
    summary: "Runs listed programs in the folder `cwd`",
    keys: &["cwd", "allow", "unlisted", "env", "sandbox"],
    is_local: true,
    build,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShellSettings {
    cwd: PathBuf,
    allow: Vec<Value>,
    #[serde(default)]
    unlisted: UnlistedCommands,
    env: Option<Vec<String>>,
    sandbox: Option<Value>,
}

/// The treatment of commands that are not listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum UnlistedCommands {
    /// Commands that are not listed are refused.
    #[default]
    Refuse,
    /// A person is asked.
    Ask,
}

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let ShellSettings {
        cwd,
        allow,
        unlisted,
        env,
        sandbox,
    } = draft.settings()?;
    let folder = draft.folder("cwd", &cwd)?;
    let reach = Reach::read(draft, sandbox, CPU)?;
    let variables = variables(draft, env)?;
    let allowed = allow
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            AllowedCommand::read(entry)
                .map_err(|why| draft.bad(format!("allow[{index}]"), why.to_string()))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let worst = allowed.iter().map(|entry| entry.effect).max();
    let worst = worst.ok_or_else(|| {
        draft.bad(
            "allow",
            "list at least one command, e.g. [wc, -l, notes.md]",
        )
    })?;
    if reach.writes_outside() && worst == EffectClass::Read && unlisted == UnlistedCommands::Refuse
    {
        return Err(draft.bad(
            "sandbox.write",
            "every line of `allow` has the effect `read`, and such a program writes nowhere: leave this out, or give a line \
             another effect",
        ));
    }
    let spec = draft.spec(Declared {
        description: describe(&allowed, unlisted),
        // Nobody knows what a command may do that is not listed.
        effect: if unlisted == UnlistedCommands::Ask { EffectClass::Destructive } else { worst },
        // Nobody knows what a command does when it runs twice, whatever its line says.
        repeat: Repeat::Never,
        schema: json!({
            "type": "object",
            "properties": {
                "argv": {
                    "type": "array",
                    "items": { "type": "string" },
                    "minItems": 1,
                    "description": "the program and its arguments, each by itself, e.g. [\"wc\", \"-l\", \"notes.md\"]",
                },
            },
            "required": ["argv"],
            "additionalProperties": false,
        }),
    })?;
    if spec.memoises {
        return Err(draft.bad(
            "memoise",
            "the result of a program depends on more than its arguments: leave this setting out",
        ));
    }
    let spec = ToolSpec {
        needs_host: true,
        folder: Some(folder.place.clone()),
        rules: allowed.iter().map(AllowedCommand::rule).collect(),
        unlisted: match unlisted {
            UnlistedCommands::Refuse => Unlisted::Refuse,
            UnlistedCommands::Ask => Unlisted::Ask,
        },
        ..spec
    };
    let roots = reach.roots(&folder);
    Ok(Built::new(Shell {
        spec,
        allowed,
        unlisted,
        folder,
        reach,
        variables,
    })
    .within(roots))
}

fn describe(allowed: &[AllowedCommand], unlisted: UnlistedCommands) -> String {
    let commands: Vec<String> = allowed.iter().map(ToString::to_string).collect();
    let others = match unlisted {
        UnlistedCommands::Refuse => "",
        UnlistedCommands::Ask => " A person is asked about any other.",
    };
    format!(
        "Runs one of these commands: {}.{others}",
        commands.join("; ")
    )
}

#[derive(Debug)]
struct Shell {
    /// The tool's declaration.
    spec: ToolSpec,
    /// The lines of the allow-list, at least one.
    allowed: Vec<AllowedCommand>,
    /// The treatment of commands that are not listed.
    unlisted: UnlistedCommands,
    /// Held open, so that no other folder can ever be taken for it.
    folder: ToolFolder,
    /// The limits of its programs.
    reach: Reach,
    /// The names of the variables that they get.
    variables: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShellArguments {
    argv: Vec<String>,
}

#[async_trait]
impl Tool for Shell {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let ShellArguments { argv } = match arguments::read(call) {
            Ok(arguments) => arguments,
            Err(failure) => return ToolOutcome::Failed(failure),
        };
        // The room has decided already; a call that came another way is refused here.
        if self.unlisted == UnlistedCommands::Refuse
            && !self.allowed.iter().any(|entry| entry.allows(&argv))
        {
            return ToolOutcome::failed(
                ToolErrorCode::NotAllowed,
                format!("{argv:?} is not in the tool's allow-list"),
            );
        }
        let Some(host) = &call.host else {
            return ToolOutcome::failed(
                ToolErrorCode::Failed,
                "the runtime has no host for programs",
            );
        };
        let command = match self.command(call, argv) {
            Ok(command) => command,
            Err(error) => return ToolOutcome::failed(ToolErrorCode::Failed, error.to_string()),
        };
        let confinement = match command.sandbox {
            None => Confinement::None,
            Some(_) => Confinement::Sandbox,
        };
        match host.run(command).await {
            Ok(output) => outcome(&output, confinement, self.spec.output_bytes_max),
            Err(error) => not_run(&error),
        }
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

impl Shell {
    fn command(&self, call: &ToolCall, argv: Vec<String>) -> io::Result<HostCommand> {
        let lines = || self.allowed.iter().filter(|entry| entry.allows(&argv));
        let pins = lines().filter_map(|entry| entry.pin).collect();
        // As the rules of the tool have it: the first line counts, and nobody knows what another command does.
        let effect = lines()
            .next()
            .map_or(EffectClass::Destructive, |entry| entry.effect);
        Ok(HostCommand {
            variables: self.variables.clone(),
            sandbox: self.reach.of(effect),
            argv,
            cwd: self.folder.path.clone(),
            folder: Some(id_of(&self.folder.handle)?),
            pins,
            timeout: self.spec.timeout(),
            input: None,
            output_max: usize::try_from(self.spec.output_bytes_max).unwrap_or(usize::MAX),
            lock: lock_of(call),
        })
    }
}
