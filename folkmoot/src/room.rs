//! From definitions to rooms: models and tools out of their recorded settings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot_agents::{Assemble, AssembleError, Parts};
use folkmoot_core::ids::{ModelName, ToolName};
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{Model, Tool};
use folkmoot_core::spec::{Definition, ModelSpec, SpecText};
use folkmoot_providers::{Preset, Recorder, build_model_recorded};
use folkmoot_tools::{
    Built, Kind, Shared, ToolRoot, build_tool_among, kinds, root_holds, roots_touch,
};

use crate::script::{OWN, nearest};

mod compile;
mod in_code;
mod secrets;
#[cfg(test)]
mod tests;

pub use compile::{DefinitionError, definition_but_own, definition_of};
pub use in_code::{Room, RoomError};
use secrets::RoomSecrets;

/// Makes rooms of the models and tools that ship with Folkmoot, and of what an embedder adds.
#[derive(Debug, Clone, Default)]
pub struct Shipped {
    own: Parts,
    store: Option<PathBuf>,
    /// The files and folders that no tool may change.
    unwritten: Vec<PathBuf>,
    recorder: Option<Arc<dyn Recorder>>,
    is_reached: bool,
}

impl Shipped {
    /// Takes the embedder's own models, tools and agents before the shipped ones.
    #[must_use]
    pub fn with(own: Parts) -> Self {
        Self {
            own,
            ..Self::default()
        }
    }

    /// Refuses tools that reach into the folder of the store.
    #[must_use]
    pub fn keeping_off(mut self, store: impl Into<PathBuf>) -> Self {
        self.store = Some(store.into());
        self
    }

    /// Refuses tools that may change `place`, a file or a folder: whoever writes the templates of a
    /// server, or the file of its tokens, could do more than their room allows.
    #[must_use]
    pub fn keeping_writers_off(mut self, place: impl Into<PathBuf>) -> Self {
        self.unwritten.push(place.into());
        self
    }

    /// Refuses rooms with tools that work on this machine, unless they say `local: true`: for a
    /// server that other machines reach.
    #[must_use]
    pub fn reached_from_elsewhere(mut self) -> Self {
        self.is_reached = true;
        self
    }

    /// Tells `recorder` of what shipped models exchange over the network.
    #[must_use]
    pub fn recorded_by(mut self, recorder: Arc<dyn Recorder>) -> Self {
        self.recorder = Some(recorder);
        self
    }

    fn models(
        &self,
        definition: &Definition,
        text: &SpecText,
        base: &Path,
    ) -> Result<Models, AssembleError> {
        let used = definition
            .spec
            .agents
            .iter()
            .flat_map(|agent| definition.spec.models_of(agent));
        let mut models = self.own.models.clone();
        for name in used {
            let Some(spec) = definition
                .spec
                .models
                .get(name)
                .filter(|_| !models.contains_key(name))
            else {
                continue;
            };
            if spec.provider == OWN {
                return Err(unbound(
                    "model",
                    name.as_str(),
                    models.keys().map(ModelName::as_str),
                ));
            }
            let settings = within_total(
                text.models.get(name).unwrap_or(&serde_json::Value::Null),
                spec,
            );
            let model = build_model_recorded(
                &spec.provider,
                &settings,
                &text.replies,
                Some(base),
                self.recorder.as_ref(),
            );
            models.insert(
                name.clone(),
                model.map_err(|error| fault(format!("model {name}"), &error))?,
            );
        }
        Ok(models)
    }

    fn tools(
        &self,
        definition: &Definition,
        text: &SpecText,
        base: &Path,
    ) -> Result<Tools, AssembleError> {
        let mut tools = self.own.tools.clone();
        // One for each world: what one world's calls leave in a server is not for another.
        let shared = Shared::default();
        for name in definition.spec.tools.keys() {
            let Some(settings) = text.tools.get(name).filter(|_| !tools.contains_key(name)) else {
                continue;
            };
            if settings.get("use").is_some_and(|uses| uses == OWN) {
                return Err(unbound(
                    "tool",
                    name.as_str(),
                    self.own.tools.keys().map(ToolName::as_str),
                ));
            }
            self.keep_local(name, settings, text)?;
            let built = build_tool_among(name, settings, base, &shared)
                .map_err(|error| fault(format!("tool {name}"), &error))?;
            self.keep_off(name, &built)?;
            tools.insert(name.clone(), built.tool);
        }
        Ok(tools)
    }

    fn keep_local(
        &self,
        tool: &ToolName,
        settings: &serde_json::Value,
        text: &SpecText,
    ) -> Result<(), AssembleError> {
        let uses = settings.get("use").and_then(serde_json::Value::as_str);
        let kind = kinds().find(|kind| Some(kind.name) == uses);
        let is_refused = |kind: &&Kind| kind.works_here(settings) && self.is_reached && !text.local;
        match kind.filter(is_refused) {
            None => Ok(()),
            Some(kind) => Err(AssembleError {
                part: format!("tool {tool}"),
                why: format!(
                    "`use: {}` works on this machine, and other machines reach this server: write `local: true` at the top \
                     of the script if its rooms may, or keep the server to this machine",
                    kind.name
                ),
            }),
        }
    }

    fn keep_off(&self, tool: &ToolName, built: &Built) -> Result<(), AssembleError> {
        let part = || format!("tool {tool}");
        for ToolRoot {
            setting,
            path: root,
        } in &built.roots
        {
            let refused = |why: &str, place: &Path, way: &str| AssembleError {
                part: part(),
                why: format!(
                    "`{setting}` ({}) {why} {}: give the tool another folder{way}",
                    root.display(),
                    place.display()
                ),
            };
            if let Some(store) = &self.store
                && roots_touch(root, store).map_err(|error| fault(part(), &error))?
            {
                let way = ", or put the store elsewhere with `--store`";
                return Err(refused("overlaps the store at", store, way));
            }
            for place in self.unwritten.iter().filter(|_| built.writes) {
                if root_holds(root, place).map_err(|error| fault(part(), &error))? {
                    return Err(refused("holds what no tool may change,", place, ""));
                }
            }
        }
        Ok(())
    }
}

type Models = BTreeMap<ModelName, Arc<dyn Model>>;
type Tools = BTreeMap<ToolName, Arc<dyn Tool>>;

/// The settings of a model behind HTTP with the room's own time limit of an attempt: what is recorded is the one that counts.
fn within_total(settings: &serde_json::Value, spec: &ModelSpec) -> serde_json::Value {
    let mut settings = settings.clone();
    if let Some(settings) = settings
        .as_object_mut()
        .filter(|_| Preset::named(&spec.provider).is_some())
    {
        let timeouts = settings
            .entry("timeouts")
            .or_insert_with(|| serde_json::json!({}));
        if let Some(timeouts) = timeouts.as_object_mut() {
            timeouts.insert("total".to_owned(), format!("{}ms", spec.timeout_ms).into());
        }
    }
    settings
}

/// The refusal of a room whose program has not bound this part of its own.
fn unbound<'a>(kind: &str, name: &str, bound: impl Iterator<Item = &'a str>) -> AssembleError {
    let hint = nearest(name, bound)
        .map(|near| format!("; did you mean `{near}`, which it binds?"))
        .unwrap_or_default();
    AssembleError {
        part: format!("{kind} {name}"),
        why: format!(
            "only a program can run this room: it binds the part with `room.{kind}({name:?}, …)`{hint}"
        ),
    }
}

fn fault(part: String, error: &dyn std::error::Error) -> AssembleError {
    AssembleError {
        part,
        why: with_causes(error),
    }
}

impl Assemble for Shipped {
    fn assemble(
        &self,
        definition: &Definition,
        base: Option<&Path>,
    ) -> Result<Parts, AssembleError> {
        let text = definition.text.present().ok_or_else(|| AssembleError {
            part: "definition".to_owned(),
            why: "the text of its definition was erased: the room can be read but not run"
                .to_owned(),
        })?;
        let base = base.unwrap_or_else(|| Path::new("."));
        Ok(Parts {
            models: self.models(definition, text, base)?,
            tools: self.tools(definition, text, base)?,
            agents: self.own.agents.clone(),
            secrets: Some(Arc::new(RoomSecrets::of(definition, text))),
        })
    }
}
