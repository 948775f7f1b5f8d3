//! The differences of a world between two positions, for people: `+` what came, `-` what went, `~`
//! what changed.

use folkmoot::core::ids::AgentName;
use folkmoot::run::Waiting;
use folkmoot::view::replay::{AgentView, CallView, MessageView};
use folkmoot::view::state_diff::{Changes, MemoryDiff, StateDiff, ValueChange};
use serde::Serialize;

use super::item::told;
use super::style::{BOLD, DIM, paint};
use super::usage::cost;
use super::{clip, grant, one_line, request};
use crate::text::counted;

/// The longest text that is shown in a line, in characters.
const TEXT_MAX: usize = 200;

/// The lines of a comparison.
pub(crate) fn lines(diff: &StateDiff) -> Vec<String> {
    let name = diff
        .world
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let mut lines = vec![format!(
        "{} from event {} to event {}",
        paint(BOLD, &name),
        diff.at.before,
        diff.at.after
    )];
    lines.extend(values(diff));
    lines.extend(section("roster", &diff.agents, agent));
    lines.extend(section("people", &diff.people, |one| {
        format!("{}  {} {}", one.display, one.method, one.subject)
    }));
    lines.extend(section("transcript", &diff.transcript, message));
    lines.extend(
        diff.memories
            .iter()
            .flat_map(|(agent, memory)| remembered(agent, memory)),
    );
    lines.extend(section("waiting for people", &diff.pending, waiting));
    lines.extend(section("grants", &diff.grants, |one| {
        line(&[&one.name, &grant::lines(one).join("; ")])
    }));
    let episode = |one: &folkmoot::view::replay::EpisodeView| {
        format!(
            "episode {}: {}",
            one.episode,
            counted(one.model_calls_total, "model call")
        )
    };
    lines.extend(section("budgets of open episodes", &diff.episodes, episode));
    if lines.len() == 1 {
        lines.push("nothing is different".to_owned());
    }
    lines
}

/// Tells the differences of properties that are one value each.
fn values(diff: &StateDiff) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(
        diff.spec
            .as_ref()
            .map(|spec| format!("~ definition {} → {}", spec.before, spec.after)),
    );
    lines.extend(
        diff.limits
            .as_ref()
            .map(|_| "~ limits (--json shows them)".to_owned()),
    );
    let word = |value| json(value).trim_matches('"').to_owned();
    lines.extend(
        diff.activity
            .as_ref()
            .map(|ValueChange { before, after }| format!("~ {} → {}", word(before), word(after))),
    );
    lines.extend(diff.usage.as_ref().map(|ValueChange { before, after }| {
        let calls = format!("{} → {}", before.calls, counted(after.calls, "model call"));
        format!("~ usage: {calls}, {} → {}", cost(before), cost(after))
    }));
    lines
}

fn section<T>(head: &str, changes: &Changes<T>, show: impl Fn(&T) -> String) -> Vec<String> {
    if changes.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![paint(BOLD, &format!("{head}:"))];
    lines.extend(marked(changes, show));
    lines
}

fn marked<T>(changes: &Changes<T>, show: impl Fn(&T) -> String) -> Vec<String> {
    let Changes {
        removed,
        added,
        changed,
    } = changes;
    let gone = removed.iter().map(|one| format!("- {}", show(one)));
    let new = added.iter().map(|one| format!("+ {}", show(one)));
    let other = changed
        .iter()
        .map(|one| format!("~ {} → {}", show(&one.before), show(&one.after)));
    gone.chain(new).chain(other).collect()
}

fn remembered(agent: &AgentName, memory: &MemoryDiff) -> Vec<String> {
    let MemoryDiff {
        same,
        removed,
        added,
        open_calls,
        inbox,
        note,
    } = memory;
    let same = paint(DIM, &format!("({} as before)", counted(*same, "item")));
    let mut lines = vec![format!(
        "{} {same}",
        paint(BOLD, &format!("memory of {agent}:"))
    )];
    let item = |item| clip(&one_line(&told(item)), TEXT_MAX);
    lines.extend(removed.iter().map(|one| format!("- {}", item(one))));
    lines.extend(added.iter().map(|one| format!("+ {}", item(one))));
    lines.extend(marked(open_calls, call));
    lines.extend(marked(inbox, |at| format!("inbox {at}")));
    lines.extend(note.as_ref().map(|note| {
        format!(
            "~ note {}",
            line(&[note.after.as_deref().unwrap_or("none")])
        )
    }));
    lines
}

fn agent(agent: &AgentView) -> String {
    let tools: Vec<String> = agent.tools.iter().map(ToString::to_string).collect();
    let model = agent
        .model
        .as_ref()
        .map_or_else(|| "in code".to_owned(), |model| format!("model {model}"));
    let doing = json(&agent.doing).trim_matches('"').replace('_', " ");
    line(&[
        &format!("@{}", agent.name),
        &model,
        &tools.join(" "),
        &doing,
    ])
}

fn message(message: &MessageView) -> String {
    let text = message.text.as_deref().unwrap_or("[erased]");
    line(&[&format!("{} {}:", message.at, message.from), text])
}

fn waiting(one: &Waiting) -> String {
    line(&[&one.name, &request::asked(one).join("; ")])
}

fn call(call: &CallView) -> String {
    let tool = call
        .tool
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    line(&[
        "open call",
        &tool,
        call.arguments.as_deref().unwrap_or("[erased]"),
    ])
}

fn line(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts
        .iter()
        .filter(|part| !part.is_empty())
        .copied()
        .collect();
    clip(&one_line(&parts.join("  ")), TEXT_MAX)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
