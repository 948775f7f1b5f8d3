use std::path::{Component, Path, PathBuf};

use folkmoot_core::ids::{Digest, ToolName};
use folkmoot_core::tool::{EffectClass, Repeat, ToolSpec};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::common::CommonSettings;
use super::{BuildError, FEATURES, Kind, Shared};
use crate::roots::open_folder;

/// The declarations of a kind of tool; the rest of its spec comes from the settings.
#[derive(Debug)]
pub(crate) struct Declared {
    /// The words for the model, unless a script has its own.
    pub(crate) description: String,
    /// The worst that a run may do.
    pub(crate) effect: EffectClass,
    /// The answer to whether a lost run may be repeated.
    pub(crate) repeat: Repeat,
    /// The JSON Schema of the arguments, an object.
    pub(crate) schema: Value,
}

/// A folder that a tool has in hand.
#[derive(Debug)]
pub(crate) struct ToolFolder {
    /// Open for as long as the tool is there: whatever becomes of its path, the tool stays in it.
    pub(crate) handle: std::fs::File,
    /// The folder's path, with no link in it.
    pub(crate) path: PathBuf,
    /// The same, relative to the base of the tool's settings: how it is recorded.
    pub(crate) place: String,
}

/// A tool in the making.
#[derive(Debug)]
pub(crate) struct ToolDraft<'a> {
    /// The kind of tool that `use:` names.
    pub(crate) kind: &'static Kind,
    /// The tool's name in the script.
    name: &'a ToolName,
    /// The folder that relative paths are relative to.
    base: &'a Path,
    /// The settings that every tool has.
    common: CommonSettings,
    /// The settings of this kind alone, their keys in alphabetical order.
    own: Value,
    /// The digest of the kind and its own settings. A change of it makes another definition of the
    /// tool.
    digest: Digest,
    /// The things that it shares with other tools of its world.
    #[cfg_attr(
        not(feature = "mcp"),
        expect(dead_code, reason = "no kind of this build shares anything")
    )]
    pub(crate) shared: &'a Shared,
}

impl<'a> ToolDraft<'a> {
    pub(crate) fn read(
        name: &'a ToolName,
        settings: &Value,
        base: &'a Path,
        kinds: &[&'static Kind],
        shared: &'a Shared,
    ) -> Result<Self, BuildError> {
        let bad = |path: &str, why: String| BuildError::BadSetting {
            tool: name.clone(),
            path: path.into(),
            why,
        };
        let Value::Object(all) = settings else {
            return Err(bad("", "expected settings, e.g. `{ use: calc }`".into()));
        };
        // The kind first: which keys are unknown depends on it, and its name makes the better
        // error.
        let kind = kind(name, all, kinds)?;
        check_keys(name, kind, all)?;
        let is_common = |key: &str| Kind::COMMON_KEYS.contains(&key);
        let (common, own): (Map<_, _>, Map<_, _>) =
            all.clone().into_iter().partition(|(key, _)| is_common(key));
        let common: CommonSettings =
            deserialize(Value::Object(common)).map_err(|(path, why)| bad(&path, why))?;
        if let Some((key, why)) = common.fault() {
            return Err(bad(key, why));
        }
        let mut own = Value::Object(own);
        // The same however the script orders its keys. The common settings are in the spec themselves.
        own.sort_all_objects();
        let digest = Digest::of(&[kind.name.as_bytes(), own.to_string().as_bytes()]);
        Ok(Self {
            kind,
            name,
            base,
            common,
            own,
            digest,
            shared,
        })
    }

    /// The settings of this kind.
    pub(crate) fn settings<T: DeserializeOwned>(&self) -> Result<T, BuildError> {
        deserialize(self.own.clone()).map_err(|(path, why)| self.bad(path, why))
    }

    /// Fails if there are settings of this kind.
    pub(crate) fn no_settings(&self) -> Result<(), BuildError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct None {}
        let None {} = self.settings()?;
        Ok(())
    }

    pub(crate) fn bad(&self, path: impl Into<String>, why: impl Into<String>) -> BuildError {
        BuildError::BadSetting {
            tool: self.name.clone(),
            path: path.into(),
            why: why.into(),
        }
    }

    pub(crate) fn no_effect(&self) -> BuildError {
        BuildError::NoEffect {
            tool: self.name.clone(),
        }
    }

    /// The folder at `path`, which setting `key` names, with all symlinks followed, once and for all.
    pub(crate) fn folder(&self, key: &'static str, path: &Path) -> Result<ToolFolder, BuildError> {
        let path = self.base.join(path);
        let missing = |source| BuildError::MissingRoot {
            tool: self.name.clone(),
            key,
            path: path.clone(),
            source,
        };
        // ADR 0030: links are followed once, here. What comes in their place later is not.
        let there = path.canonicalize().map_err(missing)?;
        if !there.is_dir() {
            return Err(missing(std::io::ErrorKind::NotADirectory.into()));
        }
        let base = if self.base == Path::new("") {
            Path::new(".")
        } else {
            self.base
        };
        let base = base.canonicalize().map_err(missing)?;
        let cannot = |error| self.bad(key, format!("cannot open {}: {error}", there.display()));
        let handle = open_folder(&there).map_err(cannot)?;
        Ok(ToolFolder {
            handle,
            place: relative(&base, &there),
            path: there,
        })
    }

    /// The folder or file at `path`, which setting `key` names, with all symlinks followed. It must be there.
    pub(crate) fn place(&self, key: &str, path: &Path) -> Result<PathBuf, BuildError> {
        let path = self.base.join(path);
        path.canonicalize()
            .map_err(|error| self.bad(key, format!("{}: {error}", path.display())))
    }

    /// The file at `path`, in a folder that must be there.
    pub(crate) fn file(&self, key: &'static str, path: &Path) -> Result<PathBuf, BuildError> {
        let name = path
            .file_name()
            .ok_or_else(|| self.bad(key, format!("{} names no file", path.display())))?;
        let folder = self.folder(key, path.parent().unwrap_or(Path::new("")))?;
        Ok(folder.path.join(name))
    }

    /// Returns the keys of those of its settings that are about runs.
    pub(crate) fn run_settings(&self) -> impl Iterator<Item = &'static str> {
        self.common.about_runs()
    }

    /// The spec of a tool that the shell runs, without programs, and that cannot tell what became of a lost run.
    pub(crate) fn spec(&self, declared: Declared) -> Result<ToolSpec, BuildError> {
        self.spec_from(declared, |spec| spec)
    }

    /// The same, with the kind's own limits where the settings have none.
    pub(crate) fn spec_from(
        &self,
        declared: Declared,
        limits: impl FnOnce(ToolSpec) -> ToolSpec,
    ) -> Result<ToolSpec, BuildError> {
        self.check_schema(&declared.schema)?;
        if let Some(why) = self.common.memo_fault(declared.effect) {
            return Err(self.bad("memoise", why));
        }
        let description = self
            .common
            .description
            .clone()
            .unwrap_or(declared.description);
        Ok(self.common.set(limits(ToolSpec {
            repeat: declared.repeat,
            settings: self.digest,
            ..ToolSpec::new(
                self.name.clone(),
                declared.effect,
                description,
                declared.schema,
            )
        })))
    }

    fn check_schema(&self, schema: &Value) -> Result<(), BuildError> {
        let bad = |path: String, why: String| BuildError::BadSchema {
            tool: self.name.clone(),
            path,
            why,
        };
        if schema.get("type") != Some(&Value::from("object")) {
            return Err(bad(
                String::new(),
                "arguments are an object: add `type: object`".into(),
            ));
        }
        folkmoot_core::tool::schema::check(schema)
            .map_err(|error| bad(error.at, error.fault.to_string()))
    }
}

fn deserialize<T: DeserializeOwned>(value: Value) -> Result<T, (String, String)> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        match error.path().to_string().as_str() {
            "." => (String::new(), error.into_inner().to_string()),
            path => (path.to_owned(), error.inner().to_string()),
        }
    })
}

fn kind(
    name: &ToolName,
    settings: &Map<String, Value>,
    kinds: &[&'static Kind],
) -> Result<&'static Kind, BuildError> {
    let tool = name.clone();
    let names = || kinds.iter().map(|kind| kind.name);
    match settings.get("use") {
        Some(Value::String(found)) => kinds
            .iter()
            .copied()
            .find(|kind| kind.name == found)
            .ok_or_else(|| match FEATURES.iter().find(|(name, _)| name == found) {
                Some((kind, feature)) => BuildError::NotInBuild {
                    tool,
                    kind,
                    feature,
                },
                None => BuildError::UnknownUse {
                    tool,
                    found: found.clone(),
                    nearest: nearest(found, names()),
                    known: listed(names()),
                },
            }),
        Some(_) | None => Err(BuildError::NoUse {
            tool,
            known: listed(names()),
        }),
    }
}

fn check_keys(
    name: &ToolName,
    kind: &'static Kind,
    settings: &Map<String, Value>,
) -> Result<(), BuildError> {
    let known = || kind.keys.iter().copied().chain(Kind::COMMON_KEYS);
    match settings
        .keys()
        .find(|key| !known().any(|known| known == key.as_str()))
    {
        None => Ok(()),
        Some(key) => Err(BuildError::UnknownKey {
            tool: name.clone(),
            kind: kind.name,
            key: key.clone(),
            nearest: nearest(key, known()),
            known: listed(known()),
        }),
    }
}

fn nearest(word: &str, known: impl Iterator<Item = &'static str>) -> &'static str {
    known
        .min_by_key(|known| strsim::damerau_levenshtein(word, known))
        .unwrap_or_default()
}

fn listed<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The way from `base` to `path`, both absolute and without links. `.` if they are the same.
fn relative(base: &Path, path: &Path) -> String {
    let shared = base
        .components()
        .zip(path.components())
        .take_while(|(one, other)| one == other)
        .count();
    let up = base.components().skip(shared).map(|_| "..".to_owned());
    // Bytes that are no text are written as escapes: two folders have two names.
    let name = |part: Component<'_>| match part.as_os_str().to_str() {
        Some(name) => name.to_owned(),
        None => part
            .as_os_str()
            .as_encoded_bytes()
            .escape_ascii()
            .to_string(),
    };
    let parts: Vec<String> = up.chain(path.components().skip(shared).map(name)).collect();
    if parts.is_empty() {
        ".".to_owned()
    } else {
        parts.join("/")
    }
}
