//! Rooms put together in code.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot_agents::{Opening, Parts};
use folkmoot_core::content::Content;
use folkmoot_core::event::ClockKind;
use folkmoot_core::ids::{AgentName, ModelName, NameError, ToolName, WorldName};
use folkmoot_core::model::money::Price;
use folkmoot_core::port::{Agent, Model, Tool};
use folkmoot_core::spec::{
    AgentSpec, Definition, Limits, ModelSpec, Policy, RightsPolicy, SpecText, WorldSpec,
};
use folkmoot_tools::{BuildError, build_tool};
use serde_json::{Value, json};

use super::{DefinitionError, Shipped, definition_but_own};
use crate::script::{OWN, Script, ScriptError};

folkmoot_core::debug_in_words!(RoomError);

/// A room to open: its name, its definition, and the models, tools and agents that the program brings.
///
/// It comes from a script, from code, or from both: a script leaves a tool or a model to the program by `use: own` and
/// `provider: own`, and the program binds it under the same name.
///
/// ```
/// use folkmoot::{Effect, Room, Runtime, Store, Tool, ToolOutcome};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Refund {
///     cents: u32,
/// }
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let refund = Tool::typed::<Refund>("refund", Effect::Destructive, "Gives money back.", |refund, _call| async move {
///     ToolOutcome::text(format!("{} cents are back", refund.cents))
/// })?;
/// let room = Room::from_yaml(
///     "
/// world: desk
/// models: { scripted: { provider: scripted } }
/// agents: [{ name: clerk, model: scripted, tools: [refund] }]
/// tools: { refund: { use: own } }
/// replies: { clerk: [{ text: Hello! }] }
/// ",
/// )?
/// .tool("refund", refund)?
/// .main_agent("clerk")?;
///
/// let runtime = Runtime::builder(&Store::memory()).build();
/// let world = runtime.open_room(&room).await?;
/// assert_eq!(world.name().as_str(), "desk");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Room {
    name: WorldName,
    clock: ClockKind,
    base: Option<PathBuf>,
    definition: Definition,
    own: Parts,
}

/// Why a room cannot be put together.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum RoomError {
    /// Something has no possible name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The room has no such agent yet.
    #[error("the room has no agent called {0}: add it first")]
    NoAgent(String),
    /// The room has no such tool yet.
    #[error("the room has no tool called {0}: add it first")]
    NoTool(String),
    /// The room has no such model yet.
    #[error("the room has no model called {0}: add it first")]
    NoModel(String),
    /// The tool calls itself otherwise.
    #[error("the tool calls itself {declared}: bind it under that name, not as {name}")]
    OtherName {
        /// The name that it was bound under.
        name: String,
        /// The name that it declares.
        declared: String,
    },
    /// The script says what this part is, and does not leave it to the program.
    #[error(
        "the script defines {0} itself: only tools and models that it calls `own` can be bound"
    )]
    NotOwn(String),
    /// A shipped tool does not take these settings.
    #[error("the tool cannot be built")]
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
            base: None,
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
        Self::of(Script::parse(text, Path::new("room.yaml")), None)
    }

    /// The room that the world script in `file` describes. Its steps are left alone; relative paths are relative to its
    /// folder.
    ///
    /// # Errors
    /// [`RoomError::Definition`] with all that is wrong with it.
    pub fn load(file: impl AsRef<Path>) -> Result<Self, RoomError> {
        let script = Script::load(file.as_ref());
        let base = script
            .as_ref()
            .ok()
            .and_then(|script| std::path::absolute(&script.base).ok());
        Self::of(script, base)
    }

    fn of(script: Result<Script, ScriptError>, base: Option<PathBuf>) -> Result<Self, RoomError> {
        let script = script.map_err(DefinitionError::from)?;
        let definition = definition_but_own(&script, &script.spec)?;
        let clock = script.clock.unwrap_or(ClockKind::System);
        Ok(Self {
            name: script.world,
            clock,
            base,
            definition,
            own: Parts::default(),
        })
    }

    /// Opens the room as a world of another name: one room for each customer, say.
    ///
    /// # Errors
    /// [`RoomError::Name`].
    pub fn named(mut self, name: &str) -> Result<Self, RoomError> {
        self.name = WorldName::new(name)?;
        Ok(self)
    }

    /// Binds a model of the program: the one that the script calls `provider: own`, or another one.
    ///
    /// # Errors
    /// [`RoomError::Name`], or [`RoomError::NotOwn`].
    pub fn model(mut self, name: &str, model: impl Model + 'static) -> Result<Self, RoomError> {
        let name = ModelName::new(name)?;
        let models = &mut self.definition.spec.models;
        match models.get(&name) {
            Some(spec) if spec.provider != OWN => {
                return Err(RoomError::NotOwn(format!("the model {name}")));
            }
            Some(_) => {}
            None => {
                models.insert(name.clone(), ModelSpec::new(OWN, name.as_str()));
            }
        }
        if let Content::Present(text) = &mut self.definition.text {
            let settings = || json!({ "provider": OWN });
            text.models.entry(name.clone()).or_insert_with(settings);
        }
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

    /// Binds a tool of the program: the one that the script calls `use: own`, or another one, for [`Room::give_tool`]. The
    /// tool declares the same name.
    ///
    /// # Errors
    /// [`RoomError::Name`], [`RoomError::OtherName`] or [`RoomError::NotOwn`].
    pub fn tool(mut self, name: &str, tool: impl Tool + 'static) -> Result<Self, RoomError> {
        let name = ToolName::new(name)?;
        let spec = tool.spec().clone();
        if spec.name != name {
            return Err(RoomError::OtherName {
                name: name.to_string(),
                declared: spec.name.to_string(),
            });
        }
        if let Content::Present(text) = &mut self.definition.text {
            let settings = json!({ "use": OWN });
            if *text.tools.entry(name.clone()).or_insert(settings.clone()) != settings {
                return Err(RoomError::NotOwn(format!("the tool {name}")));
            }
        }
        self.definition.spec.tools.insert(name.clone(), spec);
        self.own.tools.insert(name, Arc::new(tool));
        Ok(self)
    }

    /// Adds a tool that ships with Folkmoot, with `settings` as in a world script.
    ///
    /// # Errors
    /// [`RoomError::Name`], or [`RoomError::Tool`] if the settings do not fit.
    pub fn shipped_tool(mut self, name: &str, settings: Value) -> Result<Self, RoomError> {
        let name = ToolName::new(name)?;
        let base = self.base.as_deref().unwrap_or_else(|| Path::new("."));
        let spec = build_tool(&name, &settings, base)?.tool.spec().clone();
        self.definition.spec.tools.insert(name.clone(), spec);
        if let Content::Present(text) = &mut self.definition.text {
            text.tools.insert(name, settings);
        }
        Ok(self)
    }

    /// Lets the agent called `agent` call the tool called `tool`.
    ///
    /// # Errors
    /// [`RoomError::NoAgent`] or [`RoomError::NoTool`].
    pub fn give_tool(mut self, agent: &str, tool: &str) -> Result<Self, RoomError> {
        let WorldSpec { agents, tools, .. } = &mut self.definition.spec;
        let tool = tools
            .keys()
            .find(|known| known.as_str() == tool)
            .ok_or_else(|| RoomError::NoTool(tool.into()))?;
        agents
            .iter_mut()
            .find(|known| known.name.as_str() == agent)
            .ok_or_else(|| RoomError::NoAgent(agent.into()))?
            .tools
            .push(tool.clone());
        Ok(self)
    }

    /// Lets the agent called `agent` answer what people address to nobody.
    ///
    /// # Errors
    /// [`RoomError::NoAgent`].
    pub fn main_agent(mut self, agent: &str) -> Result<Self, RoomError> {
        let WorldSpec { agents, policy, .. } = &mut self.definition.spec;
        let main = agents.iter().find(|known| known.name.as_str() == agent);
        let main = main.ok_or_else(|| RoomError::NoAgent(agent.into()))?;
        policy.main_agent = Some(main.name.clone());
        Ok(self)
    }

    /// Says who answers, which calls ask people, who may allow them, and which nobody can. A main agent and rights
    /// that were set before stay, unless the policy has its own.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        let before = std::mem::replace(&mut self.definition.spec.policy, policy);
        let policy = &mut self.definition.spec.policy;
        policy.main_agent = policy.main_agent.take().or(before.main_agent);
        if policy.rights == RightsPolicy::default() {
            policy.rights = before.rights;
        }
        self
    }

    /// Says what people may do in the room.
    #[must_use]
    pub fn rights(mut self, rights: RightsPolicy) -> Self {
        self.definition.spec.policy.rights = rights;
        self
    }

    /// Bounds the room: calls, messages, waits, tokens, money.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.definition.spec.limits = limits;
        self
    }

    /// Says what the model called `model` costs.
    ///
    /// # Errors
    /// [`RoomError::NoModel`].
    pub fn price(mut self, model: &str, price: Price) -> Result<Self, RoomError> {
        let mut models = self.definition.spec.models.iter_mut();
        let (_, spec) = models
            .find(|(known, _)| known.as_str() == model)
            .ok_or_else(|| RoomError::NoModel(model.into()))?;
        spec.price = Some(price);
        Ok(self)
    }

    /// Changes whatever else a script could say of the room's structure: display names, parameters, fallbacks, states.
    #[must_use]
    pub fn change(mut self, change: impl FnOnce(&mut WorldSpec)) -> Self {
        change(&mut self.definition.spec);
        self
    }

    /// Changes the words that agents are told: what the room is for, its rules, its context, their tasks.
    #[must_use]
    pub fn change_text(mut self, change: impl FnOnce(&mut SpecText)) -> Self {
        if let Content::Present(text) = &mut self.definition.text {
            change(text);
        }
        self
    }

    /// Gives the world another clock than the script's, or the machine's.
    #[must_use]
    pub const fn clock(mut self, clock: ClockKind) -> Self {
        self.clock = clock;
        self
    }

    /// Returns how it is opened: with its definition, or begun.
    #[must_use]
    pub fn opening(&self) -> Opening {
        Opening {
            clock: self.clock,
            base: self.base.clone(),
            assembler: Some(Arc::new(self.assembler())),
            ..Opening::with(self.name.clone(), self.definition.clone())
        }
    }

    /// Returns what makes its parts, for a runtime that opens the recorded room by its name.
    #[must_use]
    pub fn assembler(&self) -> Shipped {
        Shipped::with(self.own.clone())
    }

    fn join(&mut self, name: AgentName, model: Option<ModelName>) {
        self.definition
            .spec
            .agents
            .push(AgentSpec::new(name, model));
    }
}

impl From<&Room> for Opening {
    fn from(room: &Room) -> Self {
        room.opening()
    }
}
