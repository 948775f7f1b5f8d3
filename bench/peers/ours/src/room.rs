//! The room of all measurements: an agent whose model asks for calls of one tool, and then says something.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use folkmoot::core::model::response::{CallPart, Part, Reply};
use folkmoot::{
    Drafts, Effect, LLMResponse, Limits, Mode, Model, ModelCall, ModelError, PersonName, Policy,
    Post, Proof, Room, Runtime, Store, ToolCall, ToolName, ToolOutcome, ToolSpec, WorldHandle,
    WorldName, port,
};
use peers_common::{Fallible, Meter, Texts};
use serde_json::json;

const TOOL: &str = "record";

/// What all models and tools of a measurement share with it, and how often a model asks for calls.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) texts: Arc<Texts>,
    pub(crate) meter: Arc<Meter>,
    /// The answers that ask for calls, before the one that says something.
    rounds: usize,
    /// The calls of each of them.
    calls: usize,
}

impl Script {
    /// A model that only says something, and a meter for `time`.
    pub(crate) fn new(texts: Texts, time: Duration) -> Self {
        Self {
            texts: Arc::new(texts),
            meter: Arc::new(Meter::new(time)),
            rounds: 0,
            calls: 0,
        }
    }

    /// The same with a model that asks `rounds` times for `calls` calls before.
    pub(crate) fn calling(&self, rounds: usize, calls: usize) -> Self {
        Self {
            rounds,
            calls,
            ..self.clone()
        }
    }

    /// A room with one agent, who answers.
    pub(crate) fn room(&self, name: &str) -> Fallible<Room> {
        let room = self.empty(name)?.agent("worker", "own", "")?;
        Ok(room.give_tool("worker", TOOL)?.main_agent("worker")?)
    }

    /// A room with the model and the tool, and without anybody.
    pub(crate) fn empty(&self, name: &str) -> Fallible<Room> {
        let tool = Recorder {
            spec: tool_spec()?,
            script: self.clone(),
        };
        let model = Scripted {
            asked: AtomicUsize::new(0),
            script: self.clone(),
        };
        Ok(Room::new(name)?
            .model("own", model)?
            .tool(TOOL, tool)?
            .policy(Policy {
                mode: Mode::Auto,
                ..Policy::default()
            })
            .limits(limits())
            .change(|spec| {
                let models = spec.models.values_mut();
                models.for_each(|model| model.context_tokens_max = u32::MAX);
            }))
    }

    /// Asks something in `world`, and waits until all that comes of it is durable.
    pub(crate) async fn ask(&self, world: &WorldHandle) -> Fallible<()> {
        let ada = Proof::by("sign-in")
            .user("17")
            .called(PersonName::new("ada")?);
        world
            .as_principal(ada)
            .publish_message(Post::text(self.texts.next()))
            .await?;
        world.quiet().await?;
        Ok(())
    }

    /// Lets a new room have `turns` turns, and returns its name once all is at rest.
    pub(crate) async fn play(&self, store: &Store, turns: usize) -> Fallible<WorldName> {
        let runtime = Runtime::builder(store).build();
        let world = runtime.open_room(&self.room("long")?).await?;
        for _ in 0..turns {
            self.ask(&world).await?;
        }
        runtime.shutdown().await;
        Ok(world.name().clone())
    }

    /// Opens a room under this name, and asks something in it.
    pub(crate) async fn talk(&self, runtime: &Runtime, name: &str) -> Fallible<()> {
        self.ask(&runtime.open_room(&self.room(name)?).await?).await
    }
}

/// Limits that nobody reaches.
fn limits() -> Limits {
    Limits {
        model_calls_per_agent: u32::MAX,
        model_calls_per_episode: u32::MAX,
        tool_calls_per_answer: u32::MAX,
        broadcast_max: u32::MAX,
        items_max: u32::MAX,
        ..Limits::default()
    }
}

/// A tool that changes something and may not be run twice: its calls run one after another.
fn tool_spec() -> Fallible<ToolSpec> {
    let schema = json!({ "type": "object", "additionalProperties": false });
    let name = ToolName::new(TOOL)?;
    Ok(ToolSpec::new(
        name,
        Effect::Write,
        "Records something.",
        schema,
    ))
}

#[derive(Debug)]
struct Scripted {
    /// How often it was asked since its last word.
    asked: AtomicUsize,
    script: Script,
}

#[async_trait]
impl Model for Scripted {
    async fn call(&self, _: &ModelCall, _: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        let Script {
            texts,
            meter,
            rounds,
            calls,
        } = &self.script;
        if self.asked.fetch_add(1, Ordering::Relaxed) < *rounds && !meter.is_over() {
            return Ok(asking(*calls));
        }
        self.asked.store(0, Ordering::Relaxed);
        Ok(LLMResponse::text(texts.next()))
    }
}

fn asking(calls: usize) -> LLMResponse {
    let call = CallPart {
        label: String::new(),
        tool: TOOL.to_owned(),
        arguments: "{}".to_owned(),
    };
    LLMResponse::Calls(Reply {
        parts: vec![Part::Call(call); calls],
        ..Reply::default()
    })
}

#[derive(Debug)]
struct Recorder {
    spec: ToolSpec,
    script: Script,
}

#[async_trait]
impl port::Tool for Recorder {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, _: &ToolCall) -> ToolOutcome {
        self.script.meter.tick();
        ToolOutcome::text(self.script.texts.next())
    }
}
