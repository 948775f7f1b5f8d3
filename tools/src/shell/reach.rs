//! The setting `sandbox`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use folkmoot_core::ids::{duration, size};
use folkmoot_core::port::{Network, Sandbox, SandboxPlace};
use folkmoot_core::tool::EffectClass;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::build::{BuildError, ToolDraft, ToolFolder, ToolRoot};
use crate::host::{handle_of, id_of, usual_variables};

const MEMORY_BYTES: u64 = 512 << 20;
/// The time of a processor for a program that runs for one call.
pub(crate) const CPU: Duration = Duration::from_secs(30);
const PROCESSES: u64 = 64;
const FILE_BYTES: u64 = 256 << 20;
/// The folder in which a program runs, to itself.
const HERE: &str = ".";
/// The folders of the kernel: who writes there changes the machine.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];
/// The one beneath them that holds files.
const MEMORY: &str = "/dev/shm";

/// Reads the setting `env`: the names of the variables that programs get.
pub(crate) fn variables(
    draft: &ToolDraft<'_>,
    env: Option<Vec<String>>,
) -> Result<Vec<String>, BuildError> {
    let variables = env.unwrap_or_else(usual_variables);
    let is_name = |name: &String| !name.is_empty() && !name.contains(['=', '\0']);
    match variables.iter().position(|name| !is_name(name)) {
        None => Ok(variables),
        Some(index) => Err(draft.bad(
            format!("env[{index}]"),
            "write the name of a variable, e.g. PATH: its value is that of this program's environment",
        )),
    }
}

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
    /// Its places, open for as long as the tool is there: no other place can get their identities.
    _handles: Vec<File>,
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
            return Ok(Self {
                sandbox: None,
                _handles: Vec::new(),
            });
        }
        let is_required = is_word("required");
        let keys = match setting {
            Some(Value::Object(keys)) => Value::Object(keys),
            Some(Value::Bool(false)) => {
                return Err(draft.bad("sandbox", "write `none`, in place of `false`"));
            }
            Some(_) if !is_required => {
                return Err(draft.bad("sandbox", "write `none`, `required`, or a map of limits"));
            }
            Some(_) | None => Value::Object(Map::new()),
        };
        let keys: SandboxKeys = serde_path_to_error::deserialize(keys).map_err(|error| {
            let path = match error.path().to_string().as_str() {
                "." => "sandbox".to_owned(),
                path => format!("sandbox.{path}"),
            };
            draft.bad(path, error.inner().to_string())
        })?;
        let mut handles = Vec::new();
        let mut places = |key: &str, paths: &[PathBuf]| -> Result<Vec<SandboxPlace>, BuildError> {
            let mut places = Vec::new();
            for (index, path) in paths.iter().enumerate() {
                let (place, handle) = place(draft, &format!("sandbox.{key}[{index}]"), path)?;
                places.push(place);
                handles.push(handle);
            }
            Ok(places)
        };
        let (read, write) = (places("read", &keys.read)?, places("write", &keys.write)?);
        if let Some(index) = write.iter().position(|place| is_of_kernel(&place.path)) {
            return Err(draft.bad(
                format!("sandbox.write[{index}]"),
                "this would open the kernel's own files: name the folders that the program writes to",
            ));
        }
        Ok(Self {
            _handles: handles,
            sandbox: Some(Sandbox {
                network: keys.network,
                read,
                write,
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

    /// The folders and files that programs reach which run in `folder`, with the settings that name them.
    pub(crate) fn roots(&self, folder: &ToolFolder) -> Vec<ToolRoot> {
        let cwd = ToolRoot {
            setting: "cwd".to_owned(),
            path: folder.path.clone(),
        };
        let outside = self.places().map(|(setting, path)| ToolRoot {
            setting,
            path: path.to_owned(),
        });
        std::iter::once(cwd).chain(outside).collect()
    }

    /// The folders and files outside of the tool's own, with the settings that name them.
    fn places(&self) -> impl Iterator<Item = (String, &Path)> {
        let named = |key: &'static str, places: &'_ Vec<SandboxPlace>| {
            let name = move |index: usize| format!("sandbox.{key}[{index}]");
            (0..places.len()).map(name).collect::<Vec<_>>()
        };
        self.sandbox.iter().flat_map(move |sandbox| {
            let names = named("read", &sandbox.read).into_iter();
            let names = names.chain(named("write", &sandbox.write));
            let places = sandbox.read.iter().chain(&sandbox.write);
            names.zip(places.map(|place| place.path.as_path()))
        })
    }

    /// True if programs may write outside of the tool's own folder.
    pub(crate) fn writes_outside(&self) -> bool {
        let sandbox = self.sandbox.as_ref();
        sandbox.is_some_and(|sandbox| !sandbox.write.is_empty())
    }

    /// The sandbox of a program that serves calls of all effects: it reads its folder, and writes what the setting lists.
    #[cfg(feature = "mcp")]
    pub(crate) fn resident(&self) -> Option<Sandbox> {
        let mut sandbox = self.sandbox.clone()?;
        sandbox.read.push(HERE.into());
        Some(sandbox)
    }

    /// The sandbox of a call with `effect`: one that only reads writes nowhere.
    pub(crate) fn of(&self, effect: EffectClass) -> Option<Sandbox> {
        let mut sandbox = self.sandbox.clone()?;
        match effect {
            EffectClass::Read => {
                sandbox.read.append(&mut sandbox.write);
                sandbox.read.push(HERE.into());
            }
            EffectClass::Write | EffectClass::Destructive => sandbox.write.push(HERE.into()),
        }
        Some(sandbox)
    }
}

/// The place at `path`, which setting `key` names, and a handle on it.
fn place(
    draft: &ToolDraft<'_>,
    key: &str,
    path: &Path,
) -> Result<(SandboxPlace, File), BuildError> {
    let is_shorthand = path.starts_with("~") || path.to_string_lossy().contains("${");
    if is_shorthand {
        let why = format!(
            "{}: write the whole path; `~` and variables are not replaced here",
            path.display()
        );
        return Err(draft.bad(key, why));
    }
    let path = draft.place(key, path)?;
    let cannot = |error| draft.bad(key, format!("cannot open {}: {error}", path.display()));
    let handle = handle_of(&path).map_err(cannot)?;
    let id = Some(id_of(&handle).map_err(cannot)?);
    Ok((SandboxPlace { path, id }, handle))
}

fn is_of_kernel(path: &Path) -> bool {
    let is_beneath = KERNEL.iter().any(|folder| path.starts_with(folder));
    path == Path::new("/") || (is_beneath && !path.starts_with(MEMORY))
}
