//! Tools in code whose arguments are a type of the program.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::ids::{NameError, ToolName};
use folkmoot_core::port::{self, ToolCall};
use folkmoot_core::tool::{EffectClass, Reconciliation, ToolOutcome, ToolSpec};
use futures_core::future::BoxFuture;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;

use crate::arguments;

#[cfg(test)]
mod tests;

/// Code that gets a call's arguments as `Args`, and gives an `Answer`. A closure is one.
pub trait Handler<Args, Answer>:
    Fn(Args, ToolCall) -> <Self as Handler<Args, Answer>>::Run + Send + Sync + 'static
{
    /// The run of the closure.
    type Run: Future<Output = Answer> + Send + 'static;
}

impl<F, Args, Answer, Run> Handler<Args, Answer> for F
where
    F: Fn(Args, ToolCall) -> Run + Send + Sync + 'static,
    Run: Future<Output = Answer> + Send + 'static,
{
    type Run = Run;
}

/// A handler whatever its run is called.
type Boxed<Args, Answer> = Arc<dyn Fn(Args, ToolCall) -> BoxFuture<'static, Answer> + Send + Sync>;

/// A tool in code: a type for its arguments, and a handler.
///
/// Models are told the JSON Schema of `Args`. Arguments that do not fit it, or that `Args` does not read, never reach the
/// handler.
///
/// ```
/// use folkmoot_core::port::Tool as _;
/// use folkmoot_core::tool::{EffectClass, Reconciliation, ToolOutcome};
/// use folkmoot_tools::Tool;
///
/// /// Money to give back.
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Refund {
///     /// The order.
///     order: u64,
///     cents: u32,
/// }
///
/// let refund = Tool::typed::<Refund>(
///     "refund",
///     EffectClass::Destructive,
///     "Gives money back.",
///     // A bank takes `call.idempotency_key`, so that it can tell later whether this payment was made.
///     |refund, _call| async move { ToolOutcome::text(format!("{} cents are back", refund.cents)) },
/// )?
/// .reconcile(|_refund, _call| async { Reconciliation::DidNot });
/// assert_eq!(refund.spec().schema["required"], serde_json::json!(["order", "cents"]));
/// # Ok::<(), folkmoot_core::ids::NameError>(())
/// ```
pub struct Tool<Args = serde_json::Value> {
    spec: ToolSpec,
    handler: Boxed<Args, ToolOutcome>,
    reconcile: Option<Boxed<Args, Reconciliation>>,
    arguments: PhantomData<fn() -> Args>,
}

impl Tool {
    /// A tool that runs `handler`, with default limits: it stays on this machine and must not be run a second time.
    ///
    /// Arguments that `Args` does not name are refused, unless `Args` says what becomes of them (`serde(flatten)` of a map).
    ///
    /// # Errors
    /// [`NameError`]: no tool can be called `name`.
    pub fn typed<Args: JsonSchema + DeserializeOwned + Send + 'static>(
        name: &str,
        effect: EffectClass,
        description: &str,
        handler: impl Handler<Args, ToolOutcome>,
    ) -> Result<Tool<Args>, NameError> {
        let name = ToolName::new(name)?;
        Ok(Tool {
            spec: ToolSpec::new(name, effect, description, schema_of::<Args>()),
            handler: boxed(handler),
            reconcile: None,
            arguments: PhantomData,
        })
    }
}

impl<Args: DeserializeOwned + Send + 'static> Tool<Args> {
    /// Asks `handler` what became of a run that was lost, before any person is asked.
    #[must_use]
    pub fn reconcile(mut self, handler: impl Handler<Args, Reconciliation>) -> Self {
        self.reconcile = Some(boxed(handler));
        self.spec.reconciles = true;
        self
    }

    /// Changes what the tool declares beside its name, effect and arguments, such as its time limit.
    ///
    /// ```
    /// # use folkmoot_core::port::Tool as _;
    /// # use folkmoot_core::tool::{EffectClass, Repeat, ToolOutcome};
    /// # use folkmoot_tools::Tool;
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// # struct Note { text: String }
    /// let tool = Tool::typed::<Note>("note", EffectClass::Write, "Takes a note.", |note, _call| async move {
    ///     ToolOutcome::text(note.text)
    /// })?
    /// .declare(|spec| spec.repeat = Repeat::Always);
    /// assert_eq!(tool.spec().repeat, Repeat::Always);
    /// # Ok::<(), folkmoot_core::ids::NameError>(())
    /// ```
    #[must_use]
    pub fn declare(mut self, change: impl FnOnce(&mut ToolSpec)) -> Self {
        change(&mut self.spec);
        self
    }
}

impl<Args> fmt::Debug for Tool<Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl<Args: DeserializeOwned + Send + 'static> port::Tool for Tool<Args> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let run = match arguments::read(call) {
            Ok(arguments) => (self.handler)(arguments, call.clone()),
            Err(failure) => return ToolOutcome::Failed(failure),
        };
        run.await
    }

    async fn reconcile(&self, call: &ToolCall) -> Reconciliation {
        let asked = match (&self.reconcile, arguments::read(call)) {
            (Some(handler), Ok(arguments)) => handler(arguments, call.clone()),
            // Arguments of an older version of the type: people are asked.
            (Some(_), Err(_)) | (None, _) => return Reconciliation::CannotTell,
        };
        asked.await
    }
}

fn boxed<Args: 'static, Answer: 'static>(
    handler: impl Handler<Args, Answer>,
) -> Boxed<Args, Answer> {
    Arc::new(move |arguments, call| Box::pin(handler(arguments, call)))
}

/// The JSON Schema of `Args`. An object that does not say what becomes of other arguments takes none.
fn schema_of<Args: JsonSchema>() -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let mut schema: Schema = settings.into_generator().into_root_schema_for::<Args>();
    let says = [
        "additionalProperties",
        "unevaluatedProperties",
        "$ref",
        "allOf",
        "anyOf",
        "oneOf",
    ];
    let is_open = says.iter().all(|word| schema.get(*word).is_none());
    if is_open && schema.get("type").is_some_and(|kind| kind == "object") {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    schema.to_value()
}
