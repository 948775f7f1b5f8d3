//! The providers behind HTTP, in one table.

use serde_json::{Map, Value};

use crate::codec::Wire;

/// A provider behind HTTP: which wire it speaks, where it is, and how it differs from the wire's inventor.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Its name in scripts.
    pub name: &'static str,
    /// What it speaks.
    pub wire: Wire,
    /// Where it is, unless a script says otherwise.
    pub base_url: &'static str,
    /// The variable that holds its key; `None` if it wants none.
    pub key: Option<&'static str>,
    /// Settings of the codec, by name.
    pub quirks: &'static [(&'static str, &'static str)],
}

/// All of them.
pub const PRESETS: &[Preset] = &[Preset {
    name: "openai-chat",
    wire: Wire::OpenaiChat,
    base_url: "${OPENAI_BASE_URL:-https://api.openai.com/v1}",
    key: Some("OPENAI_API_KEY"),
    quirks: &[],
}];

impl Preset {
    /// The preset called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// `settings`, and what they leave open as this provider has it.
    pub(super) fn complete(&self, settings: &Map<String, Value>) -> Map<String, Value> {
        let text = |text: &str| Value::String(text.to_owned());
        let mut all: Map<String, Value> =
            self.quirks.iter().map(|(name, value)| ((*name).to_owned(), text(value))).collect();
        all.insert("base_url".to_owned(), text(self.base_url));
        if let Some(variable) = self.key {
            all.insert("key".to_owned(), Value::String(format!("${{{variable}}}")));
        }
        all.extend(settings.iter().map(|(name, value)| (name.clone(), value.clone())));
        all
    }
}
