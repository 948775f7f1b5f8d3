//! The gateway: one place for the calls of all models.
//!
//! What it says is put into the settings of each model when a script is read, so that the recorded
//! definition tells where its calls went.

use folkmoot_providers::Preset;
use serde_json::{Map, Value};

use super::fault::Faults;
use super::node::Node;

/// What stands for the name of a model's provider.
const PROVIDER: &str = "{provider}";

/// Checks where it is.
pub(crate) fn check(gateway: &Node, faults: &Faults) {
    let Some((node, url)) = gateway
        .get("base_url")
        .and_then(|node| Some((node, node.text()?)))
    else {
        return;
    };
    // `${NAME}` is checked with all settings.
    let rest = url.replace(PROVIDER, "").replace("${", "");
    if rest.contains('{') {
        let help = "write `{provider}` where the name of the provider belongs";
        faults.add_with_help(node.mark, "this place holder is not known", help);
    }
}

/// Leads the calls of a model through `gateway`, unless it is not behind HTTP or says itself where
/// it is.
pub(crate) fn lead(settings: &mut Map<String, Value>, provider: &str, gateway: &Node) {
    let Some(base_url) = gateway.text_of("base_url") else {
        return;
    };
    if Preset::named(provider).is_none() || settings.contains_key("base_url") {
        return;
    }
    settings.insert(
        "base_url".to_owned(),
        base_url.replace(PROVIDER, provider).into(),
    );
    if let Some(key) = gateway.get("key") {
        settings.entry("key").or_insert_with(|| key.json());
    }
    if let Some(Value::Object(mut headers)) = gateway.get("headers").map(Node::json) {
        if let Some(Value::Object(own)) = settings.get("headers") {
            headers.retain(|name, _| !own.keys().any(|own| own.eq_ignore_ascii_case(name)));
            headers.extend(own.clone());
        }
        settings.insert("headers".to_owned(), Value::Object(headers));
    }
}
