//! The providers by the names that scripts use.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use folkmoot_core::ids::AgentName;
use folkmoot_core::port::Model;
use folkmoot_core::text::redaction::SecretRules;
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::cache::CachedModel;
use crate::codec::{Wire, names_of};
use crate::play::scripted::ReplyError;
use crate::play::{
    RecordedModel, RecordedSettings, RecordingError, ScriptedModel, ScriptedReply, ScriptedSettings,
};
use crate::record::Recorder;
use crate::transport::{
    Environment, HttpModel, HttpSettings, HttpSetupError, ProcessEnvironment, Template,
};

mod presets;
#[cfg(test)]
mod tests;

pub use presets::{PRESETS, Preset};

/// The names of all providers, sorted.
pub static PROVIDERS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut names: Vec<_> = PRESETS
        .iter()
        .map(|preset| preset.name)
        .chain(["recorded", "scripted"])
        .collect();
    names.sort_unstable();
    names
});

/// A reason why a model cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelBuildError {
    /// There is no such provider.
    #[error("there is no provider `{provider}`{}; the providers are {}", hint(*.nearest), PROVIDERS.join(", "))]
    UnknownProvider {
        /// The provider that was asked for.
        provider: String,
        /// The name that looks most like it, if one does.
        nearest: Option<&'static str>,
    },
    /// The provider has no such setting.
    #[error("the {provider} model has no setting `{setting}`{}; its settings are {}", hint(*.nearest), .known.join(", "))]
    UnknownSetting {
        /// The provider.
        provider: &'static str,
        /// The setting as it was written.
        setting: String,
        /// The name that looks most like it, if one does.
        nearest: Option<&'static str>,
        /// The names of all its settings, sorted.
        known: Vec<&'static str>,
    },
    /// The settings do not fit the provider.
    #[error("the settings of the {provider} model cannot be used")]
    Settings {
        /// The provider.
        provider: &'static str,
        /// The fault that serde found.
        source: serde_json::Error,
    },
    /// An agent's replies cannot be read.
    #[error("the replies of {agent} cannot be used")]
    Replies {
        /// The agent.
        agent: AgentName,
        /// The reply, and its fault.
        source: ReplyError,
    },
    /// The recording cannot be played.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The HTTP client cannot be made.
    #[error(transparent)]
    Http(#[from] HttpSetupError),
}

/// Makes the model that `settings` describe. `replies` are the script's, unread; only the scripted
/// model reads them. Relative paths in the settings begin at `base`. No connection is made, and no
/// variable but a proxy's looked up.
///
/// # Errors
/// [`ModelBuildError`].
pub fn build_model(
    provider: &str,
    settings: &Value,
    replies: &BTreeMap<AgentName, Value>,
    base: Option<&Path>,
) -> Result<Arc<dyn Model>, ModelBuildError> {
    build_model_recorded(provider, settings, replies, base, None)
}

/// The same; `recorder` is told of every exchange over HTTP. A model that is played makes none.
///
/// # Errors
/// [`ModelBuildError`].
pub fn build_model_recorded(
    provider: &str,
    settings: &Value,
    replies: &BTreeMap<AgentName, Value>,
    base: Option<&Path>,
    recorder: Option<&Arc<dyn Recorder>>,
) -> Result<Arc<dyn Model>, ModelBuildError> {
    Ok(match provider {
        "recorded" => Arc::new(RecordedModel::open(&read_recorded(settings)?, base)?),
        "scripted" => {
            let ScriptedSettings { .. } = read("scripted", settings)?;
            Arc::new(ScriptedModel::new(read_replies(replies)?))
        }
        other => {
            let preset = preset(other)?;
            // Before the cache takes its digest: one path from two folders is two files.
            let settings = rooted(object(settings), base);
            let model = http_model(preset, &settings, Arc::new(ProcessEnvironment))?;
            let cache = model.settings().response_cache;
            let model = match recorder {
                Some(recorder) => model.recorded_by(preset.wire, Arc::clone(recorder)),
                None => model,
            };
            match cache {
                Some(cache) => Arc::new(CachedModel::new(
                    model,
                    cache,
                    preset.name,
                    &Value::Object(settings),
                )),
                None => Arc::new(model),
            }
        }
    })
}

/// The settings, with a relative path of certificates made to begin at `base`.
fn rooted(settings: &Map<String, Value>, base: Option<&Path>) -> Map<String, Value> {
    let mut settings = settings.clone();
    if let (Some(Value::String(file)), Some(base)) = (settings.get_mut("ca_file"), base) {
        *file = base.join(&*file).display().to_string();
    }
    settings
}

/// Makes a model behind HTTP: `settings` as a script has them, with what they leave open as
/// `preset` has it. Variables are looked up in `environment` when a call is performed.
///
/// # Errors
/// [`ModelBuildError::Settings`], [`ModelBuildError::Http`].
pub fn http_model(
    preset: &'static Preset,
    settings: &Map<String, Value>,
    environment: Arc<dyn Environment>,
) -> Result<HttpModel, ModelBuildError> {
    let misfit = |source| ModelBuildError::Settings {
        provider: preset.name,
        source,
    };
    let http = http_settings(preset, settings)?;
    let codec = split(preset, settings).1;
    Ok(HttpModel::new(
        preset.wire.codec(&codec).map_err(misfit)?,
        http,
        environment,
    )?)
}

/// Returns the texts of a model's settings that must not be shown: the values of their variables,
/// as they are now.
///
/// # Errors
/// [`ModelBuildError::Settings`] if they do not fit the provider.
pub fn secrets_of(
    provider: &str,
    settings: &Value,
    environment: &dyn Environment,
) -> Result<SecretRules, ModelBuildError> {
    match provider {
        "recorded" | "scripted" => Ok(SecretRules::default()),
        other => Ok(http_settings(preset(other)?, object(settings))?.secrets(environment)),
    }
}

/// The settings of the transport. Those of the codec are known to it, but not read.
fn http_settings(
    preset: &'static Preset,
    settings: &Map<String, Value>,
) -> Result<HttpSettings, ModelBuildError> {
    check_names(
        preset.name,
        settings,
        &[
            &HttpSettings::FIELDS,
            preset.wire.settings(),
            &["provider", "model"],
        ],
    )?;
    let misfit = |source| ModelBuildError::Settings {
        provider: preset.name,
        source,
    };
    HttpSettings::deserialize(Value::Object(split(preset, settings).0)).map_err(misfit)
}

/// Refuses settings that are not among the known ones.
fn check_names(
    provider: &'static str,
    settings: &Map<String, Value>,
    known: &[&[&'static str]],
) -> Result<(), ModelBuildError> {
    let mut known: Vec<&'static str> = known.concat();
    known.sort_unstable();
    match settings.keys().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(setting) => {
            let nearest = nearest(setting, &known);
            Err(ModelBuildError::UnknownSetting {
                provider,
                setting: setting.clone(),
                nearest,
                known,
            })
        }
    }
}

/// The texts of a model's settings that variables may stand in, defaults and all. None if it is not
/// behind HTTP, or if its settings do not fit: making the model says what is wrong with them.
#[must_use]
pub fn templates_of(provider: &str, settings: &Value) -> Vec<Template> {
    let preset = Preset::named(provider);
    let http = preset.and_then(|preset| http_settings(preset, object(settings)).ok());
    http.map(|http| http.templates().cloned().collect())
        .unwrap_or_default()
}

fn preset(name: &str) -> Result<&'static Preset, ModelBuildError> {
    let unknown = || ModelBuildError::UnknownProvider {
        provider: name.to_owned(),
        nearest: nearest(name, &PROVIDERS),
    };
    Preset::named(name).ok_or_else(unknown)
}

/// The settings of the transport, and those of the codec.
fn split(
    preset: &Preset,
    settings: &Map<String, Value>,
) -> (Map<String, Value>, Map<String, Value>) {
    let all = preset
        .complete(settings)
        .into_iter()
        .filter(|(name, _)| !matches!(name.as_str(), "provider" | "model"));
    all.partition(|(name, _)| HttpSettings::FIELDS.contains(&name.as_str()))
}

/// Returns the settings of a script; none if it gives none.
fn object(settings: &Value) -> &Map<String, Value> {
    static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    settings.as_object().unwrap_or(&NOTHING)
}

fn read<T: DeserializeOwned>(
    provider: &'static str,
    settings: &Value,
) -> Result<T, ModelBuildError> {
    check_names(provider, object(settings), &[names_of::<T>()])?;
    deserialize(provider, settings)
}

/// The settings of a recorded model: its own, and those of the codec of whatever was recorded.
fn read_recorded(settings: &Value) -> Result<RecordedSettings, ModelBuildError> {
    let codecs: Vec<&[&str]> = Wire::ALL.iter().map(|wire| wire.settings()).collect();
    let mut codecs = codecs.concat();
    codecs.sort_unstable();
    codecs.dedup();
    check_names(
        "recorded",
        object(settings),
        &[&RecordedSettings::FIELDS, &codecs],
    )?;
    deserialize("recorded", settings)
}

fn deserialize<T: DeserializeOwned>(
    provider: &'static str,
    settings: &Value,
) -> Result<T, ModelBuildError> {
    let settings = if settings.is_null() {
        Value::Object(Map::new())
    } else {
        settings.clone()
    };
    serde_json::from_value(settings)
        .map_err(|source| ModelBuildError::Settings { provider, source })
}

fn read_replies(
    replies: &BTreeMap<AgentName, Value>,
) -> Result<BTreeMap<AgentName, Vec<ScriptedReply>>, ModelBuildError> {
    let read = |(agent, list): (&AgentName, &Value)| match ScriptedReply::list(list) {
        Ok(replies) => Ok((agent.clone(), replies)),
        Err(source) => Err(ModelBuildError::Replies {
            agent: agent.clone(),
            source,
        }),
    };
    replies.iter().map(read).collect()
}

fn nearest(unknown: &str, known: &[&'static str]) -> Option<&'static str> {
    let likeness = |name: &&str| strsim::jaro_winkler(name, unknown);
    known
        .iter()
        .copied()
        .filter(|name| likeness(name) > 0.7)
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
}

fn hint(nearest: Option<&str>) -> String {
    nearest
        .map(|name| format!(" (did you mean `{name}`?)"))
        .unwrap_or_default()
}
