//! A recording beside the log: what models exchange with their providers.

use std::sync::Arc;

use folkmoot::core::port::causes::with_causes;
use folkmoot::core::spec::Definition;
use folkmoot::providers::{Preset, Recorder, RecordingFile};
use folkmoot::store::OpenError;

use crate::arguments;
use crate::exit::{CliError, STORE, USAGE};
use crate::show;
use crate::text::counted;

/// A recording that is being made, or none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recording(Option<Arc<RecordingFile>>);

impl Recording {
    /// Begins the one that was asked for, in a room with this definition, if that is known.
    pub(crate) fn begin(
        asked: &arguments::RecordingArgs,
        definition: Option<&Definition>,
    ) -> Result<Self, CliError> {
        let Some(path) = &asked.record else {
            return Ok(Self::default());
        };
        if definition.is_some_and(|definition| !asks_a_provider(definition)) {
            let why = "nothing to record: no agent's model asks a provider over the network";
            return Err(CliError::other(USAGE, why));
        }
        let file = RecordingFile::create(path, show::complain);
        Ok(Self(Some(Arc::new(file.map_err(|error| {
            CliError::other(STORE, with_causes(&error))
        })?))))
    }

    /// Refuses to record in a store that another process holds, as `in_use` says: the models are
    /// asked there. The new file is removed.
    pub(crate) fn refuse_held(&self, in_use: &OpenError) -> Result<(), CliError> {
        let Some(file) = &self.0 else { return Ok(()) };
        if let Err(error) = std::fs::remove_file(file.path()) {
            tracing::warn!(%error, "the recording that was begun was not removed");
        }
        let what = format!(
            "{in_use}, and --record writes down what this process asks models: that one asks them. \
             Leave --record out, or end the other process first"
        );
        Err(CliError::other(STORE, what))
    }

    /// Returns the recorder that takes the exchanges; `None` if nothing is recorded.
    pub(crate) fn recorder(&self) -> Option<Arc<dyn Recorder>> {
        self.0.clone().map(|file| file as Arc<dyn Recorder>)
    }

    /// Says what was recorded. A recording that broke off is an error, whatever else went well.
    pub(crate) fn end(&self, result: Result<(), CliError>) -> Result<(), CliError> {
        let Some(file) = &self.0 else { return result };
        if let Some(failure) = file.failure() {
            return result.and(Err(CliError::other(STORE, failure)));
        }
        let path = file.path().display();
        let said = match file.count() {
            0 => format!("nothing is recorded in {path}: no provider answered"),
            count => format!("recorded in {path}: {}", counted(count, "exchange")),
        };
        show::remark(&said);
        result
    }
}

fn asks_a_provider(definition: &Definition) -> bool {
    let models = definition
        .spec
        .agents
        .iter()
        .filter_map(|agent| agent.model.as_ref());
    let mut specs = models.filter_map(|name| definition.spec.models.get(name));
    specs.any(|model| Preset::named(&model.provider).is_some())
}
