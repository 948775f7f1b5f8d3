//! The setting `sandbox`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use folkmoot_core::ids::{duration, size};
use folkmoot_core::port::{Network, Sandbox};
use folkmoot_core::tool::EffectClass;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::build::{BuildError, ToolDraft};

const MEMORY_BYTES: u64 = 512 << 20;
/// The time of a processor for a program that runs for one call.
pub(crate) const CPU: Duration = Duration::from_secs(30);
const PROCESSES: u64 = 64;
const FILE_BYTES: u64 = 256 << 20;
/// The folder in which a program runs, to itself.
const HERE: &str = ".";

/// The keys of a sandbox.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SandboxKeys {
    #[serde(default)]
    network: Network,
    #[serde(default)]
    read: Vec<PathBuf>,
    #[serde(default)]
    write: Vec<PathBuf>,
    #[serde(default, deserialize_with = "size::deserialize_some")]
    memory: Option<u64>,
    #[serde(default, deserialize_with = "duration::deserialize_some")]
    cpu: Option<Duration>,
    processes: Option<u64>,
    #[serde(default, deserialize_with = "size::deserialize_some")]
    files: Option<u64>,
    required: Option<bool>,
}

/// The reach of the programs of a tool.
#[derive(Debug)]
pub(crate) struct Reach {
    /// The sandbox, without the tool's folder; `None`: programs have the rights of the user.
    sandbox: Option<Sandbox>,
}

impl Reach {
    /// Reads the setting: left out, `none`, `required`, or the keys. Programs have `cpu` unless it says more.
    pub(crate) fn read(
        draft: &ToolDraft<'_>,
        setting: Option<Value>,
        cpu: Duration,
    ) -> Result<Self, BuildError> {
        let is_word = |word: &str| setting.as_ref().is_some_and(|setting| setting == word);
        if is_word("none") {
            return Ok(Self { sandbox: None });
        }
        let is_required = is_word("required");
        let keys = match setting {
            Some(Value::Object(keys)) => Value::Object(keys),
            Some(_) if !is_required => {
                return Err(draft.bad("sandbox", "write `none`, `required`, or a map of limits"));
            }
            Some(_) | None => Value::Object(Map::new()),
        };
        let keys: SandboxKeys = serde_json::from_value(keys)
            .map_err(|error| draft.bad("sandbox", error.to_string()))?;
        let there = |path: &PathBuf| draft.place("sandbox", path);
        Ok(Self {
            sandbox: Some(Sandbox {
                network: keys.network,
                read: keys.read.iter().map(there).collect::<Result<_, _>>()?,
                write: keys.write.iter().map(there).collect::<Result<_, _>>()?,
                memory_bytes: keys.memory.unwrap_or(MEMORY_BYTES),
                cpu_s: keys.cpu.unwrap_or(cpu).as_secs().max(1),
                processes: keys.processes.unwrap_or(PROCESSES),
                file_bytes: keys.files.unwrap_or(FILE_BYTES),
                is_required: if is_required {
                    Some(true)
                } else {
                    keys.required
                },
            }),
        })
    }

    /// The folders and files outside of the tool's own.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Path> {
        let places = self.sandbox.iter();
        places.flat_map(|sandbox| {
            sandbox
                .read
                .iter()
                .chain(&sandbox.write)
                .map(PathBuf::as_path)
        })
    }

    /// The sandbox of a call with `effect`: one that only reads may not write to the tool's folder.
    pub(crate) fn of(&self, effect: EffectClass) -> Option<Sandbox> {
        let mut sandbox = self.sandbox.clone()?;
        let own = match effect {
            EffectClass::Read => &mut sandbox.read,
            EffectClass::Write | EffectClass::Destructive => &mut sandbox.write,
        };
        own.push(PathBuf::from(HERE));
        Some(sandbox)
    }
}
