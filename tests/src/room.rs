//! Rooms put together by hand, without a script.

use std::sync::Arc;

use folkmoot::core::event::ClockKind;
use folkmoot::core::ids::{AgentName, ModelName, ToolName, WorldName};
use folkmoot::core::port::{Agent, Model, Tool as _};
use folkmoot::core::spec::{AgentSpec, Definition, Mode, ModelSpec, SpecText, WorldSpec};
use folkmoot::{Gatekeeper, Opening, Parts, Proof, Runtime, Seat, Store, WorldHandle};

use crate::cast::FakeTool;

/// The definition of a room and what acts in it.
#[derive(Debug, Clone, Default)]
pub struct Room {
    spec: WorldSpec,
    parts: Parts,
}

impl Room {
    /// An empty room in which every call runs without asking.
    #[must_use]
    pub fn auto() -> Self {
        let mut room = Self::default();
        room.spec.policy.mode = Mode::Auto;
        room
    }

    /// An empty room in which whatever does more than read waits for a person.
    #[must_use]
    pub fn asking() -> Self {
        Self::default()
    }

    /// Adds an agent with a model of its own, who may call `tools`.
    #[must_use]
    pub fn agent(mut self, name: &str, tools: &[&str], model: Arc<dyn Model>) -> Self {
        let own = ModelName::new(name).expect("a fitting name");
        let spec = ModelSpec::new("fake", name);
        self.spec.models.insert(own.clone(), spec);
        self.parts.models.insert(own.clone(), model);
        self.add(name, tools, Some(own));
        self
    }

    /// Adds an agent in code, who may call `tools`.
    #[must_use]
    pub fn code(mut self, name: &str, tools: &[&str], agent: Arc<dyn Agent>) -> Self {
        self.parts.agents.insert(agent_name(name), agent);
        self.add(name, tools, None);
        self
    }

    /// Puts an agent in code in the place of the agent called `name`, whose model it may have asked.
    #[must_use]
    pub fn behind(mut self, name: &str, agent: Arc<dyn Agent>) -> Self {
        self.parts.agents.insert(agent_name(name), agent);
        self
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: FakeTool) -> Self {
        let spec = tool.spec().clone();
        self.parts.tools.insert(spec.name.clone(), Arc::new(tool));
        self.spec.tools.insert(spec.name.clone(), spec);
        self
    }

    /// Changes the definition.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut WorldSpec)) -> Self {
        change(&mut self.spec);
        self
    }

    fn add(&mut self, name: &str, tools: &[&str], model: Option<ModelName>) {
        let tools = tools
            .iter()
            .map(|tool| ToolName::new(*tool).expect("a fitting name"))
            .collect();
        let name = agent_name(name);
        self.spec.agents.push(AgentSpec {
            tools,
            ..AgentSpec::new(name, model)
        });
    }

    /// The definition.
    #[must_use]
    pub fn definition(&self) -> Definition {
        Definition {
            spec: self.spec.clone(),
            text: SpecText::default().into(),
            source: None,
        }
    }

    /// What acts in it.
    #[must_use]
    pub fn parts(&self) -> Parts {
        self.parts.clone()
    }

    /// Opens the room in a runtime of its own over `store`, or goes on with it.
    pub async fn open(&self, store: &Store) -> (Runtime, WorldHandle) {
        self.open_in(self.runtime(store)).await
    }

    /// Opens the room as [`Room::open`] does, with `keeper` between it and its log.
    pub async fn open_through(
        &self,
        store: &Store,
        keeper: Arc<dyn Gatekeeper>,
    ) -> (Runtime, WorldHandle) {
        self.open_in(self.runtime(store).through(keeper)).await
    }

    fn runtime(&self, store: &Store) -> Runtime {
        Runtime::builder(store)
            .assembler(self.parts.clone())
            .build()
    }

    async fn open_in(&self, runtime: Runtime) -> (Runtime, WorldHandle) {
        let world = runtime
            .open(Opening {
                clock: ClockKind::Simulated,
                ..Opening::with(room_name(), self.definition())
            })
            .await;
        let world = world.unwrap_or_else(|error| panic!("the room does not open: {error}"));
        (runtime, world)
    }
}

/// The name of all such rooms.
#[must_use]
pub fn room_name() -> WorldName {
    WorldName::new("room").expect("a fitting name")
}

/// An agent's name.
#[must_use]
pub fn agent_name(name: &str) -> AgentName {
    AgentName::new(name).expect("a fitting name")
}

/// The seat of the person called `name`.
#[must_use]
pub fn person(world: &WorldHandle, name: &str) -> Seat {
    world.as_principal(Proof::script(
        name.to_owned().try_into().expect("a fitting name"),
    ))
}
