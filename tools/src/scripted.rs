//! `scripted`: a tool that plays results from its settings, with whatever effect they declare.
//!
//! It keeps no memory: which result a run gets depends on its arguments and on whether a person has answered, so that a
//! restart changes nothing. The first result that fits is taken:
//!
//! * one with `when` fits the arguments that it names (`when: { path: a.md }`), or all in whose texts the words stand
//!   (`when: urgent`); one without fits always;
//! * `needs_input` fits only as long as no person has answered. Afterwards the ones behind it are tried, and `{input}` in
//!   their texts is the answer.
//!
//! A result has two tracks, and what stands in it together is one result. People see its `table`, its `json` and its
//! `artifacts`, of the kinds that the tool declares. A model reads its `text`, or its `summary`, or aggregates of its
//! table, as the tool's view policy says; without a `text`, that is the data as JSON. Pictures need a store for their
//! bytes, which tools cannot reach: only embedders give them.
//!
//! `counts` names a file that gets one line per run, durable before the run goes on: the idempotency key and the attempt.
//! It stands for the tool's effect, and with `reconciles: true` it is where a lost run is looked up.
//!
//! `progress` lists what a run reports, before it takes its time.

use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    PathArguments, Reconciliation, ToolErrorCode, ToolOutcome, ToolOutput, ToolSpec,
};

use crate::build::{BuildError, Built, Declared, Kind, ToolDraft, ToolRoot};
use crate::output::cut;

mod counter;
mod output;
mod result;
mod settings;
#[cfg(test)]
mod tests;

use result::{Gives, ScriptedResult};
use settings::ScriptSettings;

pub(crate) const SCRIPTED: Kind = Kind {
    name: "scripted",
    summary: "Plays results from its settings",
    keys: &[
        "effect",
        "idempotent",
        "reconciles",
        "open_world",
        "schema",
        "paths",
        "artifacts",
        "results",
    ],
    is_local: false,
    build,
};

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    let settings: ScriptSettings = draft.settings()?;
    let effect = settings.effect.ok_or_else(|| draft.no_effect())?;
    let results = settings.results(draft)?;
    let roots = results
        .iter()
        .filter_map(|result| result.counts.as_deref().cloned())
        .map(|path| ToolRoot {
            setting: "counts".to_owned(),
            path,
        })
        .collect();
    let spec = draft.spec(Declared {
        description: "Plays a part in a rehearsal.".into(),
        effect,
        repeat: settings.repeat(),
        schema: settings
            .schema
            .unwrap_or_else(|| serde_json::json!({ "type": "object" })),
    })?;
    let ScriptSettings {
        reconciles,
        open_world,
        artifacts,
        paths,
        ..
    } = settings;
    let spec = ToolSpec {
        paths: PathArguments::at(paths),
        reconciles,
        open_world,
        artifacts,
        ..spec
    };
    Ok(Built::new(Scripted { spec, results }).within(roots))
}

#[derive(Debug)]
struct Scripted {
    spec: ToolSpec,
    results: Vec<ScriptedResult>,
}

#[async_trait]
impl Tool for Scripted {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let Some(result) = self.chosen(call) else {
            return no_result(call);
        };
        if let Some(file) = &result.counts {
            let (file, key, attempt) =
                (Arc::clone(file), call.idempotency_key.clone(), call.attempt);
            // Counted before the wait: a run that is lost in it has taken place, and `reconcile`
            // says so.
            let counted =
                tokio::task::spawn_blocking(move || counter::count(&file, &key, attempt)).await;
            // An uncounted run must not look like one that took place.
            match counted {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    return ToolOutcome::failed(
                        ToolErrorCode::Failed,
                        format!("cannot count: {error}"),
                    );
                }
                Err(error) => return ToolOutcome::failed(ToolErrorCode::Failed, error.to_string()),
            }
        }
        result
            .progress
            .iter()
            .for_each(|text| call.progress.report(text));
        if let Some(wait) = result.takes {
            call.clock.sleep_until(call.clock.now().after(wait)).await;
        }
        self.outcome(result, call)
    }

    async fn reconcile(&self, call: &ToolCall) -> Reconciliation {
        let Some((result, file)) = self
            .chosen(call)
            .and_then(|result| Some((result, result.counts.clone()?)))
        else {
            return Reconciliation::CannotTell;
        };
        let key = call.idempotency_key.clone();
        match tokio::task::spawn_blocking(move || counter::has_counted(&file, &key)).await {
            Ok(Ok(true)) => Reconciliation::Landed(self.outcome(result, call)),
            Ok(Ok(false)) => Reconciliation::DidNot,
            // A file that cannot be read says nothing: to call the run undone would run it again.
            Ok(Err(_)) | Err(_) => Reconciliation::CannotTell,
        }
    }
}

impl Scripted {
    fn chosen(&self, call: &ToolCall) -> Option<&ScriptedResult> {
        self.results.iter().find(|result| result.fits(call))
    }

    fn outcome(&self, result: &ScriptedResult, call: &ToolCall) -> ToolOutcome {
        match &result.gives {
            Gives::Output(output) => ToolOutcome::Done(self.filled(output, call)),
            Gives::Failure(failure) => ToolOutcome::Failed(failure.clone()),
            Gives::Question(question) => ToolOutcome::NeedsInput(question.clone()),
        }
    }
}

impl Scripted {
    /// Returns the output for this call: with the person's answer in its place, and within the
    /// limits.
    fn filled(&self, output: &ToolOutput, call: &ToolCall) -> ToolOutput {
        let input = call.input.as_ref().map_or("", |input| input.text.as_str());
        let filled =
            |text: &String| cut(text.replace("{input}", input), self.spec.output_bytes_max);
        ToolOutput {
            text: filled(&output.text),
            summary: output.summary.as_ref().map(filled),
            views: output.views.clone(),
            whole: None,
            files: Vec::new(),
        }
    }
}

fn no_result(call: &ToolCall) -> ToolOutcome {
    ToolOutcome::failed(
        ToolErrorCode::Failed,
        format!(
            "no result fits {}: add one without `when` as the last",
            call.arguments
        ),
    )
}
