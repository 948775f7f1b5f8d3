//! Items of an agent's memory, a line each.

use folkmoot::core::model::response::Part;
use folkmoot::core::prompt::Item;

/// An item of a memory, in words.
pub(crate) fn told(item: &Item<String>) -> String {
    match item {
        Item::Heard {
            from,
            text,
            attachments,
        } => {
            let files: String = attachments.iter().map(|file| format!(" {file}")).collect();
            format!("heard {from}: {text}{files}")
        }
        Item::Said { parts } => {
            let part = |part: &Part| match part {
                Part::Text(text) | Part::Refusal(text) => text.clone(),
                Part::Call(call) => format!("→ {} {}", call.tool, call.arguments),
                Part::Reasoning(_) => "(reasoning)".to_owned(),
                Part::Opaque(_) => "(opaque)".to_owned(),
            };
            format!(
                "said {}",
                parts.iter().map(part).collect::<Vec<_>>().join(" ")
            )
        }
        Item::Result { text, failed, .. } => {
            format!("{} {text}", if *failed { "failed" } else { "result" })
        }
        Item::Notice { text } => format!("notice {text}"),
        Item::State { text } => format!("state {text}"),
        Item::Summary { text } => format!("summary {text}"),
    }
}
