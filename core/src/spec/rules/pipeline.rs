//! The stages between an answer and a run, and between a memory and a request: listed in their
//! order, with one digest.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Rules;
use crate::content::canonical::canonical_digest;
use crate::ids::Digest;
use crate::spec::limits::{
    ANSWER_CALLS_MAX, ARGUMENTS_BYTES_MAX, ARGUMENTS_DEPTH_MAX, CALL_NAME_BYTES_MAX,
    CONTENT_BYTES_MAX, FACTS_BYTES_MAX, OPEN_CALLS_MAX,
};
use crate::tool::{EffectClass, ToolSpec};

/// The stages of a room, in the order in which they act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pipeline {
    /// The digest of all stages.
    pub digest: Digest,
    /// The stages.
    pub stages: Vec<Stage>,
}

/// A stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// The name of the stage.
    pub name: String,
    /// The digest of its settings.
    pub digest: Digest,
    /// The work of the stage here, in a few words.
    pub summary: String,
}

impl Rules {
    /// Returns the stages that this room's calls and requests go through. A function of the
    /// definition alone.
    #[must_use]
    pub fn pipeline(&self) -> Pipeline {
        let stages: Vec<Stage> = self
            .call_stages()
            .into_iter()
            .chain(self.request_stages())
            .collect();
        let digests: Vec<&[u8]> = stages
            .iter()
            .flat_map(|stage| [stage.name.as_bytes(), stage.digest.as_bytes().as_slice()])
            .collect();
        Pipeline {
            digest: Digest::of(&digests),
            stages,
        }
    }

    /// From an answer to a run.
    fn call_stages(&self) -> Vec<Stage> {
        let policy = &self.spec().policy;
        let limits = &self.spec().limits;
        let calls = limits.tool_calls_per_answer;
        let deny = &policy.deny;
        let of_tools = |of: fn(&ToolSpec) -> Value| -> Value {
            self.spec()
                .tools
                .values()
                .map(|tool| (tool.name.to_string(), of(tool)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        let size = ARGUMENTS_BYTES_MAX;
        let depth = ARGUMENTS_DEPTH_MAX;
        let listing = self
            .spec()
            .tools
            .values()
            .filter(|tool| !tool.unlisted.is_by_effect())
            .count();
        let quotas = self
            .spec()
            .tools
            .values()
            .filter(|tool| tool.calls_per_episode_max.is_some())
            .count();
        let memos = self
            .spec()
            .tools
            .values()
            .filter(|tool| tool.memoises)
            .count();
        let eyes: Vec<String> = policy
            .four_eyes
            .iter()
            .map(EffectClass::to_string)
            .collect();
        vec![
            stage(
                "answer",
                &json!([
                    CONTENT_BYTES_MAX,
                    FACTS_BYTES_MAX,
                    ANSWER_CALLS_MAX,
                    CALL_NAME_BYTES_MAX
                ]),
                format!(
                    "an answer of at most {CONTENT_BYTES_MAX} bytes and {ANSWER_CALLS_MAX} calls, each with a label and a tool name of at most {CALL_NAME_BYTES_MAX} bytes"
                ),
            ),
            stage(
                "calls_per_answer",
                &json!([calls, OPEN_CALLS_MAX]),
                format!(
                    "at most {calls} calls of an answer, and {OPEN_CALLS_MAX} open ones in the room"
                ),
            ),
            stage(
                "size",
                &json!(size),
                format!("arguments of at most {size} bytes"),
            ),
            stage(
                "depth",
                &json!(depth),
                format!("lists and objects at most {depth} deep"),
            ),
            stage(
                "json",
                &json!("each key once"),
                "arguments are a JSON object, with each key once",
            ),
            stage(
                "characters",
                &Value::Null,
                "no hidden characters; control characters are a warning",
            ),
            stage(
                "paths",
                &of_tools(|tool| json!(tool.paths)),
                "arguments that are paths are plain ones",
            ),
            stage(
                "schema",
                &of_tools(|tool| tool.schema.clone()),
                "arguments fit the tool's schema",
            ),
            stage(
                "deny",
                &json!(deny),
                counted(deny.len(), "deny rule", "deny rules"),
            ),
            stage(
                "listed",
                &of_tools(|tool| json!([tool.rules, tool.unlisted])),
                counted(listing, "tool lists its calls", "tools list their calls"),
            ),
            stage(
                "quota",
                &of_tools(|tool| json!(tool.calls_per_episode_max)),
                counted(quotas, "tool has a quota", "tools have a quota"),
            ),
            stage(
                "mode",
                &json!([policy.mode, of_tools(|tool| json!(tool.effect))]),
                mode(&json!(policy.mode)),
            ),
            stage(
                "memo",
                &of_tools(|tool| json!(tool.memoises)),
                counted(memos, "tool memoises", "tools memoise"),
            ),
            stage(
                "grants",
                &of_tools(|tool| json!(tool.grants_any)),
                "a grant stands for a person's yes",
            ),
            stage("four_eyes", &json!(policy.four_eyes), second_person(&eyes)),
        ]
    }

    /// From a memory to a request.
    fn request_stages(&self) -> Vec<Stage> {
        let redact = &self.spec().policy.redact;
        let views: serde_json::Map<_, _> = self
            .spec()
            .tools
            .values()
            .map(|tool| (tool.name.to_string(), json!(tool.view)))
            .collect();
        let kinds = redact.len();
        vec![
            stage(
                "views",
                &Value::Object(views),
                "models see of outputs what each tool's view allows",
            ),
            stage(
                "redaction",
                &json!(redact),
                counted(
                    kinds,
                    "kind of text is taken out",
                    "kinds of text are taken out",
                ),
            ),
            stage("fences", &Value::Null, "what tools and people say is data"),
            stage(
                "schema_strip",
                &Value::Null,
                "models are told of schemas without noise",
            ),
            stage("egress", &Value::Null, "none"),
        ]
    }
}

fn stage(name: &str, settings: &Value, summary: impl Into<String>) -> Stage {
    Stage {
        name: name.to_owned(),
        digest: canonical_digest(settings),
        summary: summary.into(),
    }
}

fn counted(number: usize, one: &str, more: &str) -> String {
    let what = if number == 1 { one } else { more };
    format!("{number} {what}")
}

fn mode(mode: &Value) -> String {
    format!("mode {}", mode.as_str().unwrap_or_default())
}

fn second_person(effects: &[String]) -> String {
    if effects.is_empty() {
        "no effect needs a second person".to_owned()
    } else {
        effects.join(", ")
    }
}
