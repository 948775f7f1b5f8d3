//! The request of a model call, for people: every byte that the model reads, made safe for a
//! terminal.

use folkmoot::core::event::Purpose;
use folkmoot::core::model::response::Part;
use folkmoot::core::prompt::{Attached, Item, ToolDeclaration};
use folkmoot::view::prompt::PromptView;

use super::style::{BOLD, DIM, paint};
use super::{clean, one_line, parameters};
use crate::text::gutter::guarded;

/// Shows a request to a model, under heads.
pub(crate) fn lines(view: &PromptView) -> Vec<String> {
    let PromptView {
        world,
        call,
        attempt,
        agent,
        model,
        request,
        ..
    } = view;
    let agent = clean(agent.as_str());
    let asked = clean(&request.model);
    let mut lines = vec![
        paint(
            BOLD,
            &format!("{world}#{call} {agent} asks {model} ({asked}), attempt {attempt}"),
        ),
        format!(
            "{}; {}",
            purpose(view.purpose),
            parameters::line(&request.parameters)
        ),
        fingerprint(view),
    ];
    for layer in &request.system {
        lines.push(head(layer.kind.name()));
        lines.extend(text(&layer.text));
    }
    lines.push(head("tools"));
    lines.extend(request.tools.iter().flat_map(tool));
    for (number, item) in request.items.iter().enumerate() {
        lines.extend(shown(number + 1, item));
    }
    lines
}

const fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Turn => "for an answer",
        Purpose::Closing => "for the closing answer, without tools",
        Purpose::Compaction => "for a summary of what came first",
    }
}

fn fingerprint(view: &PromptView) -> String {
    let found = view.request.fingerprint;
    let recorded = view.recorded;
    if view.is_same {
        return paint(DIM, &format!("fingerprint {found}, as recorded"));
    }
    if view.erased.is_empty() {
        return format!("fingerprint {found}, and recorded is {recorded}");
    }
    let erased: Vec<String> = view.erased.iter().map(ToString::to_string).collect();
    format!(
        "fingerprint {recorded} is recorded and cannot be checked: the content of {} {} is erased",
        if erased.len() == 1 { "event" } else { "events" },
        erased.join(", ")
    )
}

fn head(text: &str) -> String {
    paint(BOLD, &format!("{text}:"))
}

/// The lines of a text, set off.
fn text(text: &str) -> Vec<String> {
    guarded(text)
        .into_iter()
        .map(|line| format!("  {line}"))
        .collect()
}

fn tool(tool: &ToolDeclaration<String>) -> Vec<String> {
    let mut lines = text(&format!("{}: {}", tool.name, tool.description));
    lines.extend(text(&format!("  {}", tool.schema)));
    lines
}

/// An item under its number: whose it is, then what the model reads.
fn shown(number: usize, item: &Item<String>) -> Vec<String> {
    let (who, body) = match item {
        Item::Heard {
            from,
            text,
            attachments,
        } => (format!("heard {}", clean(from)), heard(text, attachments)),
        Item::Said { parts } => ("said".to_owned(), parts.iter().flat_map(part).collect()),
        Item::Result {
            label,
            text: given,
            failed,
        } => {
            let what = if *failed { "failed result" } else { "result" };
            (format!("{what} of {}", clean(label)), text(given))
        }
        Item::Notice { text: told } => ("notice".to_owned(), text(told)),
        Item::State { text: told } => ("state".to_owned(), text(told)),
        Item::Summary { text: kept } => ("summary".to_owned(), text(kept)),
    };
    std::iter::once(head(&format!("{number} {who}")))
        .chain(body)
        .collect()
}

fn heard(said: &str, attachments: &[Attached<String>]) -> Vec<String> {
    let mut lines = text(said);
    let file = |file: &Attached<String>| {
        text(&format!(
            "[{}, {}, {} bytes, {}]",
            file.name,
            file.media_type,
            file.bytes,
            file.blob.short()
        ))
    };
    lines.extend(attachments.iter().flat_map(file));
    lines
}

fn part(part: &Part) -> Vec<String> {
    match part {
        Part::Text(said) | Part::Refusal(said) => text(said),
        Part::Call(call) => {
            let call = format!("{} {} {}", call.label, call.tool, call.arguments);
            vec![format!("  → {}", one_line(&call))]
        }
        Part::Reasoning(thought) => text(&format!("(reasoning) {thought}")),
        Part::Opaque(value) => text(&format!("(as it came) {value}")),
    }
}
