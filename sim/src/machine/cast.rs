//! Who plays: the shipped models and tools, each as slow as the lots say.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use folkmoot::core::content::Content;
use folkmoot::core::model::response::{LLMResponse, ModelError};
use folkmoot::core::port::{Drafts, DraftsClosed, Model, ModelCall};
use folkmoot::core::spec::Definition;
use folkmoot::{Assemble, AssembleError, Parts, Shipped};
use serde_json::Value;

use super::lots::{between_ms, working_time};
use super::outside::Outside;
use super::process::Pulse;
use super::tool::SimTool;

/// Makes the parts of rooms.
#[derive(Debug, Clone)]
pub(crate) struct Cast {
    /// Where files are, whatever a world says that it lies in.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) outside: Arc<Outside>,
    pub(crate) pulse: Arc<Pulse>,
}

impl Assemble for Cast {
    fn assemble(
        &self,
        definition: &Definition,
        base: Option<&Path>,
    ) -> Result<Parts, AssembleError> {
        playable(definition)?;
        let mut parts = Shipped::default()
            .assemble(&without_counts(definition), self.folder.as_deref().or(base))?;
        for model in parts.models.values_mut() {
            *model = Arc::new(SimModel {
                inner: Arc::clone(model),
                outside: Arc::clone(&self.outside),
                pulse: Arc::clone(&self.pulse),
            });
        }
        for (name, tool) in &mut parts.tools {
            let outside = Arc::clone(&self.outside);
            let pulse = Arc::clone(&self.pulse);
            let spec = definition
                .spec
                .tools
                .get(name)
                .unwrap_or_else(|| tool.spec())
                .clone();
            *tool = Arc::new(SimTool {
                inner: Arc::clone(tool),
                spec,
                outside,
                pulse,
            });
        }
        Ok(parts)
    }
}

/// The same definition, in which no tool counts its runs in a file: here the machine does.
fn without_counts(definition: &Definition) -> Definition {
    let mut definition = definition.clone();
    let Content::Present(text) = &mut definition.text else {
        return definition;
    };
    for settings in text.tools.values_mut().filter_map(Value::as_object_mut) {
        settings.remove("reconciles");
        let results = settings.get_mut("results").and_then(Value::as_array_mut);
        for result in results
            .into_iter()
            .flatten()
            .filter_map(Value::as_object_mut)
        {
            result.remove("counts");
        }
    }
    definition
}

/// Tells whether everything in a room can be played here.
///
/// # Errors
/// The model or tool that cannot.
pub(crate) fn playable(definition: &Definition) -> Result<(), AssembleError> {
    let spec = &definition.spec;
    let used = spec.agents.iter().flat_map(|agent| spec.models_of(agent));
    for name in used {
        let provider = spec
            .models
            .get(name)
            .map(|model| model.provider.to_string())
            .unwrap_or_default();
        if provider != "scripted" {
            let why = format!("its provider is {provider}: a simulation has scripted models only");
            return Err(AssembleError {
                part: format!("model {name}"),
                why,
            });
        }
    }
    for (name, tool) in &spec.tools {
        if tool.needs_host {
            let why =
                "it runs processes, and a simulation has none: use a scripted tool in its place"
                    .to_owned();
            return Err(AssembleError {
                part: format!("tool {name}"),
                why,
            });
        }
    }
    Ok(())
}

#[derive(Debug)]
struct SimModel {
    inner: Arc<dyn Model>,
    outside: Arc<Outside>,
    pulse: Arc<Pulse>,
}

impl SimModel {
    fn hangs(&self) -> bool {
        let mut books = self.outside.books();
        let hangs = books.models_hang > 0;
        if hangs {
            books.models_hang = books.models_hang.saturating_sub(1);
            books.counts.hit("model hangs");
        }
        hangs
    }
}

#[async_trait]
impl Model for SimModel {
    async fn call(&self, call: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        self.outside.acts(&self.pulse, "a model is asked");
        let mut lots = self.outside.lots(&call.idempotency_key);
        let hangs = self.hangs();
        if hangs && lots.bool() {
            return std::future::pending().await;
        }
        tokio::time::sleep(working_time(&mut lots)).await;
        let slow = SlowDrafts {
            inner: drafts,
            lots: Mutex::new(lots.fork()),
        };
        let answer = self.inner.call(call, &slow).await;
        if hangs {
            return std::future::pending().await;
        }
        tokio::time::sleep(between_ms(&mut lots, 0, 200)).await;
        answer
    }

    fn takes_file(&self, media_type: &str) -> bool {
        self.inner.takes_file(media_type)
    }
}

struct SlowDrafts<'a> {
    inner: &'a dyn Drafts,
    lots: Mutex<fastrand::Rng>,
}

#[async_trait]
impl Drafts for SlowDrafts<'_> {
    async fn push(&self, delta: &str) -> Result<(), DraftsClosed> {
        let pause = between_ms(
            &mut self.lots.lock().unwrap_or_else(PoisonError::into_inner),
            0,
            300,
        );
        tokio::time::sleep(pause).await;
        self.inner.push(delta).await
    }
}
