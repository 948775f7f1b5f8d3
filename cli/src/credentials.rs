//! Variables that models need: whether they are set, never their values.

use folkmoot::core::ids::ModelName;
use folkmoot::core::spec::{Definition, SpecText};
use folkmoot::providers::templates_of;
use folkmoot::providers::transport::ProcessEnvironment;

use crate::arguments::StorePlace;
use crate::control::client::Client;
use crate::exit::{CliError, STORE};

/// Refuses a definition whose agents use a model with a variable that is not set, as a missing file
/// is refused.
pub(crate) fn check(definition: &Definition) -> Result<(), CliError> {
    let Some(text) = definition.text.present() else {
        return Ok(());
    };
    let mut missing: Vec<String> = used(definition)
        .filter_map(|model| missing_of(model, definition, text))
        .collect();
    missing.sort();
    missing.dedup();
    match missing.as_slice() {
        [] => Ok(()),
        missing => Err(CliError::other(STORE, missing.join("; "))),
    }
}

/// The same, unless another process holds `store`: then the variables of that one count, and it
/// checks them itself.
pub(crate) async fn check_unless_held(
    definition: &Definition,
    store: &StorePlace,
) -> Result<(), CliError> {
    let checked = check(definition);
    match (&checked, store.as_folder()) {
        (Err(_), Some(folder)) if Client::connect(folder).await.is_ok() => Ok(()),
        (Ok(()) | Err(_), _) => checked,
    }
}

/// The models of agents, and those that stand in for them.
fn used(definition: &Definition) -> impl Iterator<Item = &ModelName> {
    let own = definition
        .spec
        .agents
        .iter()
        .filter_map(|agent| agent.model.as_ref());
    own.flat_map(|model| {
        let spec = definition.spec.models.get(model);
        std::iter::once(model).chain(spec.into_iter().flat_map(|spec| &spec.fallback))
    })
}

/// The first variable of `model` that is not set, in a sentence.
fn missing_of(model: &ModelName, definition: &Definition, text: &SpecText) -> Option<String> {
    let provider = &definition.spec.models.get(model)?.provider;
    let templates = templates_of(provider, text.models.get(model)?);
    let missing = templates
        .iter()
        .find_map(|template| template.expand(&ProcessEnvironment).err())?;
    Some(format!(
        "the model {model} ({provider}) needs the environment variable {}: set it and try again",
        missing.name
    ))
}
