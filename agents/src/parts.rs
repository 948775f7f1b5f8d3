//! What a room needs beside its definition: the things that act.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use folkmoot_core::ids::{AgentName, ModelName, ToolName};
use folkmoot_core::port::{Agent, Model, Tool};
use folkmoot_core::spec::Definition;

use crate::model_agent::ModelAgent;
use crate::secrets::Secrets;

folkmoot_core::debug_in_words!(AssembleError);

/// The models, tools and agents in code of a room.
#[derive(Clone, Default)]
pub struct Parts {
    /// The models, by their names in the spec.
    pub models: BTreeMap<ModelName, Arc<dyn Model>>,
    /// The tools, by their names in the spec.
    pub tools: BTreeMap<ToolName, Arc<dyn Tool>>,
    /// The agents in code. An agent with a model needs none.
    pub agents: BTreeMap<AgentName, Arc<dyn Agent>>,
    /// What must not be in the log; `None`: nothing.
    pub secrets: Option<Arc<dyn Secrets>>,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("models", &self.models.keys())
            .field("tools", &self.tools.keys())
            .field("agents", &self.agents.keys())
            .finish()
    }
}

impl Parts {
    /// Every agent of `definition` with what stands behind it.
    pub(crate) fn attendants(&self, definition: &Definition) -> Vec<(AgentName, Arc<dyn Agent>)> {
        let behind = |name: &AgentName, has_model: bool| -> Option<Arc<dyn Agent>> {
            let own = self.agents.get(name).cloned();
            own.or_else(|| has_model.then(|| Arc::new(ModelAgent) as Arc<dyn Agent>))
        };
        let agents = definition.spec.agents.iter();
        agents
            .filter_map(|spec| Some((spec.name.clone(), behind(&spec.name, spec.model.is_some())?)))
            .collect()
    }
}

/// Why a room's parts could not be made.
#[derive(thiserror::Error)]
#[error("{part}: {why}")]
pub struct AssembleError {
    /// Which part.
    pub part: String,
    /// What is wrong with it, and what to do.
    pub why: String,
}

/// Makes a room's parts from its recorded definition, so that it can be opened without the script
/// that began it.
pub trait Assemble: Send + Sync + fmt::Debug {
    /// Makes the parts. Relative paths are relative to `base`.
    ///
    /// # Errors
    /// [`AssembleError`] names the part and what to do about it.
    fn assemble(
        &self,
        definition: &Definition,
        base: Option<&Path>,
    ) -> Result<Parts, AssembleError>;
}

/// Parts that are there already, whatever the definition says.
impl Assemble for Parts {
    fn assemble(
        &self,
        _definition: &Definition,
        _base: Option<&Path>,
    ) -> Result<Parts, AssembleError> {
        Ok(self.clone())
    }
}
