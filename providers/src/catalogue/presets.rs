//! The providers behind HTTP, in one table.

use serde_json::{Map, Value};

use crate::codec::Wire;
use crate::transport::Template;

/// A provider behind HTTP: which wire it speaks, where it is, and how it differs from the wire's
/// inventor.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// The provider's name in scripts.
    pub name: &'static str,
    /// The wire that it speaks.
    pub wire: Wire,
    /// The base URL, unless a script names another.
    pub base_url: &'static str,
    /// The variable that holds its key; `None` if it wants none.
    pub key: Option<&'static str>,
    /// Settings of the codec, by name.
    pub quirks: &'static [(&'static str, &'static str)],
}

/// All of them, with the reason for each quirk: a recording, or the provider's own reference.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "openai-chat",
        wire: Wire::OpenaiChat,
        base_url: "${OPENAI_BASE_URL:-https://api.openai.com/v1}",
        key: Some("OPENAI_API_KEY"),
        quirks: &[],
    },
    // The v1 API needs neither a dated `api-version` nor a deployment in the path (Microsoft, *API version lifecycle*).
    // The `model` is the deployment's name.
    Preset {
        name: "azure",
        wire: Wire::OpenaiChat,
        base_url: "${AZURE_OPENAI_ENDPOINT}/openai/v1",
        key: Some("AZURE_OPENAI_API_KEY"),
        quirks: &[("key_header", "api_key")],
    },
    // Recorded requests give reasoning back in a tool loop, and take `max_tokens` and a `reasoning` object; recorded
    // streams tell their usage unasked. The reference has `cache_control` for a whole request.
    Preset {
        name: "openrouter",
        wire: Wire::OpenaiChat,
        base_url: "https://openrouter.ai/api/v1",
        key: Some("OPENROUTER_API_KEY"),
        quirks: &[
            ("output_limit", "max_tokens"),
            ("reasoning_echo", "as_received"),
            ("reasoning_style", "object"),
            ("stream_usage", "unasked"),
            ("cache_hints", "cache_control"),
        ],
    },
    // Recorded requests choose `any`, send PDF as `document_url` and audio as bare data; recorded streams tell their usage
    // unasked. It answers other ids with *must be a-z, A-Z, 0-9, with a length of 9*, and documents `random_seed`.
    Preset {
        name: "mistral",
        wire: Wire::OpenaiChat,
        base_url: "https://api.mistral.ai/v1",
        key: Some("MISTRAL_API_KEY"),
        quirks: &[
            ("output_limit", "max_tokens"),
            ("call_ids", "nine"),
            ("stream_usage", "unasked"),
            ("choice_word", "any"),
            ("seed_field", "random_seed"),
            ("file_parts", "document_url"),
        ],
    },
    // Recorded requests have `thinking: {type}` and give reasoning back in a tool loop: the next step is refused without.
    // Every recorded file was refused with 400. The reference knows `text` and `json_object` as forms of an answer.
    Preset {
        name: "deepseek",
        wire: Wire::OpenaiChat,
        base_url: "https://api.deepseek.com",
        key: Some("DEEPSEEK_API_KEY"),
        quirks: &[
            ("output_limit", "max_tokens"),
            ("reasoning_echo", "as_received"),
            ("reasoning_style", "thinking"),
            ("output_forms", "json"),
            ("file_parts", "left_out"),
        ],
    },
    // The reference has images in messages of this wire, and no PDF.
    Preset {
        name: "groq",
        wire: Wire::OpenaiChat,
        base_url: "https://api.groq.com/openai/v1",
        key: Some("GROQ_API_KEY"),
        quirks: &[("file_parts", "images")],
    },
    // The reference has images in messages of this wire, and no PDF.
    Preset {
        name: "xai",
        wire: Wire::OpenaiChat,
        base_url: "https://api.x.ai/v1",
        key: Some("XAI_API_KEY"),
        quirks: &[("file_parts", "images")],
    },
    // Its list of fields has `max_tokens` and images as data; it marks `tool_choice` as not supported, and has no
    // `parallel_tool_calls`. It reads reasoning, or reads over it.
    Preset {
        name: "ollama",
        wire: Wire::OpenaiChat,
        base_url: "${OLLAMA_HOST:-http://127.0.0.1:11434}/v1",
        key: None,
        quirks: &[
            ("output_limit", "max_tokens"),
            ("reasoning_echo", "as_received"),
            ("choice_word", "left_out"),
            ("parallel_field", "left_out"),
            ("file_parts", "images"),
        ],
    },
    // The reference has images in messages of this wire, and no PDF. It reads reasoning, or reads over it.
    Preset {
        name: "vllm",
        wire: Wire::OpenaiChat,
        base_url: "http://127.0.0.1:8000/v1",
        key: None,
        quirks: &[("reasoning_echo", "as_received"), ("file_parts", "images")],
    },
    // Recorded requests have `max_tokens` and images, and give reasoning back in a tool loop. It takes a named tool for no
    // choice.
    Preset {
        name: "llamacpp",
        wire: Wire::OpenaiChat,
        base_url: "http://127.0.0.1:8080/v1",
        key: None,
        quirks: &[
            ("output_limit", "max_tokens"),
            ("reasoning_echo", "as_received"),
            ("choice_word", "unnamed"),
            ("file_parts", "images"),
        ],
    },
    // Its list of fields has `max_tokens`; an effort of reasoning cannot be asked for on this wire. It reads reasoning, or
    // reads over it. A script writes `reasoning_style: effort` where its server can.
    Preset {
        name: "lmstudio",
        wire: Wire::OpenaiChat,
        base_url: "http://127.0.0.1:1234/v1",
        key: None,
        quirks: &[
            ("output_limit", "max_tokens"),
            ("reasoning_echo", "as_received"),
            ("reasoning_style", "left_out"),
            ("file_parts", "images"),
        ],
    },
    Preset {
        name: "anthropic-messages",
        wire: Wire::AnthropicMessages,
        base_url: "${ANTHROPIC_BASE_URL:-https://api.anthropic.com}",
        key: Some("ANTHROPIC_API_KEY"),
        quirks: &[],
    },
    Preset {
        name: "openai-responses",
        wire: Wire::OpenaiResponses,
        base_url: "${OPENAI_BASE_URL:-https://api.openai.com/v1}",
        key: Some("OPENAI_API_KEY"),
        quirks: &[],
    },
    Preset {
        name: "google-generate-content",
        wire: Wire::GoogleGenerateContent,
        base_url: "${GEMINI_BASE_URL:-https://generativelanguage.googleapis.com}",
        key: Some("GEMINI_API_KEY"),
        quirks: &[],
    },
];

impl Preset {
    /// The preset called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// `settings`, and what they leave open as this provider has it.
    pub(super) fn complete(&self, settings: &Map<String, Value>) -> Map<String, Value> {
        let text = |text: &str| Value::String(text.to_owned());
        let mut all: Map<String, Value> = self
            .quirks
            .iter()
            .map(|(name, value)| ((*name).to_owned(), text(value)))
            .collect();
        all.insert("base_url".to_owned(), text(self.base_url));
        if let Some(variable) = self.key {
            all.insert("key".to_owned(), Value::String(format!("${{{variable}}}")));
        }
        all.extend(
            settings
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        all
    }

    /// The variables that it looks up unless a script says otherwise: that of its key first.
    pub fn variables(&self) -> impl Iterator<Item = String> + use<> {
        let of_url = Template::new(self.base_url)
            .map(|url| url.variables().map(str::to_owned).collect::<Vec<_>>());
        self.key
            .map(str::to_owned)
            .into_iter()
            .chain(of_url.into_iter().flatten())
    }
}
