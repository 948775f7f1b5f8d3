//! Rooms put together in code.

use std::path::Path;
use std::sync::Arc;

use folkmoot_agents::{Opening, Parts};
use folkmoot_core::content::Content;
use folkmoot_core::event::ClockKind;
use folkmoot_core::ids::{AgentName, ModelName, NameError, ToolName, WorldName};
use folkmoot_core::port::{Agent, Model, Tool};
use folkmoot_core::spec::{AgentSpec, Definition, ModelSpec, SpecText};
use folkmoot_core::tool::ToolSpec;
use folkmoot_tools::{BuildError, build_tool};
use serde_json::Value;

use super::{DefinitionError, Shipped, definition_of};
use crate::script::Script;

/// A room to open: its name, its definition, and what acts in it beside what ships with Folkmoot.
///
/// ```
/// use folkmoot::Room;
///
/// let room = Room::from_yaml(
///     "
/// world: hello
/// models: { scripted: { provider: scripted } }
/// agents: [{ name: greeter, model: scripted }]
/// replies: { greeter: [{ text: Hello! }] }
/// ",
/// )?;
/// assert_eq!(room.opening().name.as_str(), "hello");
/// # Ok::<(), folkmoot::RoomError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Room {
    name: WorldName,
    clock: ClockKind,
    definition: Definition,
    own: Parts,
}

/// Why a room cannot be put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RoomError {
    /// Something has no possible name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The room has no such agent yet.
    #[error("the room has no agent called {0}: add it first")]
    NoAgent(String),
    /// A shipped tool does not take these settings.
    #[error("the tool cannot be built: {0}")]
    Tool(#[from] BuildError),
    /// Its text describes no room.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
}

impl Room {
    /// A room without anybody in it.
    ///
    /// # Errors
    /// [`RoomError::Name`].
    pub fn new(name: &str) -> Result<Self, RoomError> {
        let definition = Definition {
            text: Content::Present(SpecText::default()),
            ..Definition::default()
        };
        Ok(Self {
            name: WorldName::new(name)?,
            clock: ClockKind::System,
            definition,
            own: Parts::default(),
        })
    }

    /// The room that the world script `text` describes. Its steps are left alone; relative paths are relative to the
    /// working folder.
    ///
    /// # Errors
    /// [`RoomError::Definition`] with all that is wrong with it.
    pub fn from_yaml(text: &str) -> Result<Self, RoomError> {
        let script = Script::parse(text, Path::new("room.yaml")).map_err(DefinitionError::from)?;
        let definition = definition_of(&script, &script.spec)?;
        let clock = script.clock.unwrap_or(ClockKind::System);
        Ok(Self {
            name: script.world,
            clock,
            definition,
            own: Parts::default(),
        })
    }

    /// Adds a model of the embedder's own.
    ///
    /// # Errors
    /// [`RoomError::Name`].
    pub fn model(mut self, name: &str, model: impl Model + 'static) -> Result<Self, RoomError> {
        let name = ModelName::new(name)?;
        let spec = ModelSpec::new("own", name.as_str());
        self.definition.spec.models.insert(name.clone(), spec);
        self.own.models.insert(name, Arc::new(model));
        Ok(self)
    }

    /// Adds an agent behind which the model `model` stands.
    ///
    /// # Errors
    /// [`RoomError::Name`].
    pub fn agent(mut self, name: &str, model: &str, prompt: &str) -> Result<Self, RoomError> {
        let name = AgentName::new(name)?;
        if let Content::Present(text) = &mut self.definition.text {
            text.prompts.insert(name.clone(), prompt.to_owned());
        }
        self.join(name, Some(ModelName::new(model)?));
        Ok(self)
    }

    /// Adds an agent that is code.
    ///
    /// # Errors
    /// [`RoomError::Name`].
    pub fn agent_in_code(
        mut self,
        name: &str,
        agent: impl Agent + 'static,
    ) -> Result<Self, RoomError> {
        let name = AgentName::new(name)?;
        self.own.agents.insert(name.clone(), Arc::new(agent));
        self.join(name, None);
        Ok(self)
    }

    /// Gives the agent called `agent` a tool of the embedder's own, under the name that the tool declares.
    ///
    /// # Errors
    /// [`RoomError::NoAgent`].
    pub fn tool(mut self, agent: &str, tool: impl Tool + 'static) -> Result<Self, RoomError> {
        self.grant(agent, tool.spec().clone())?;
        self.own
            .tools
            .insert(tool.spec().name.clone(), Arc::new(tool));
        Ok(self)
    }

    /// Gives the agent called `agent` a tool that ships with Folkmoot, with `settings` as in a world script.
    ///
    /// # Errors
    /// [`RoomError::NoAgent`], or [`RoomError::Tool`] if the settings do not fit.
    pub fn shipped_tool(
        mut self,
        agent: &str,
        name: &str,
        settings: Value,
    ) -> Result<Self, RoomError> {
        let name = ToolName::new(name)?;
        let built = build_tool(&name, &settings, Path::new("."))?;
        self.grant(agent, built.tool.spec().clone())?;
        if let Content::Present(text) = &mut self.definition.text {
            text.tools.insert(name, settings);
        }
        Ok(self)
    }

    /// Returns how it is opened: with its definition, or begun.
    #[must_use]
    pub fn opening(&self) -> Opening {
        Opening {
            clock: self.clock,
            ..Opening::with(self.name.clone(), self.definition.clone())
        }
    }

    /// Returns what makes its parts, for a runtime that opens it.
    #[must_use]
    pub fn assembler(&self) -> Shipped {
        Shipped::with(self.own.clone())
    }

    fn grant(&mut self, agent: &str, tool: ToolSpec) -> Result<(), RoomError> {
        let mut agents = self.definition.spec.agents.iter_mut();
        let agent = agents
            .find(|known| known.name.as_str() == agent)
            .ok_or_else(|| RoomError::NoAgent(agent.into()))?;
        agent.tools.push(tool.name.clone());
        self.definition.spec.tools.insert(tool.name.clone(), tool);
        Ok(())
    }

    fn join(&mut self, name: AgentName, model: Option<ModelName>) {
        self.definition
            .spec
            .agents
            .push(AgentSpec::new(name, model));
    }
}
