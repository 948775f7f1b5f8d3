//! The causes of an event, in words.

use folkmoot::core::audit::why::{TurnEnd, Verdicts};
use folkmoot::core::event::{Author, CloseReason, Verdict};
use folkmoot::core::ids::AgentName;
use folkmoot::core::ids::principal::Principal;
use folkmoot::view::why::{WakeView, WhyApprovalView, WhyTurnView, WhyView};
use folkmoot::words::{answering, routing_rule, silent_because};

use super::style::{BOLD, DIM, paint};
use super::{clean, one_line, time};
use crate::text::gutter::hung;

mod tree;

/// Tells people about an event.
pub(crate) fn lines(view: &WhyView) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(node) = view.nodes.first() {
        lines.push(format!(
            "{} {}",
            paint(
                BOLD,
                &format!("{}#{} {}", view.world, view.at, node.node.kind)
            ),
            hung(&node.gist, 2)
        ));
        let (first, last) = view.commit;
        let commit = if first == last {
            String::new()
        } else {
            format!(", with the events {first} to {last}")
        };
        lines.push(paint(
            DIM,
            &format!("recorded {}{commit}", time(node.node.time)),
        ));
    }
    lines.extend(view.routing.as_ref().map(routing).unwrap_or_default());
    lines.extend(view.turn.as_ref().map(turn).unwrap_or_default());
    lines.extend(view.approval.as_ref().map(approval).unwrap_or_default());
    lines.extend(view.forbidden.as_deref().map(one_line));
    lines.push(head("because"));
    lines.extend(tree::lines(view));
    lines
}

fn head(text: &str) -> String {
    paint(BOLD, &format!("{text}:"))
}

/// A line for every agent: whether it answers the message, and why.
fn routing(verdicts: &Verdicts) -> Vec<String> {
    let mut lines = vec![head(&format!("who answers message {}", verdicts.message))];
    lines.push(format!("  {}", rule(verdicts)));
    let names = verdicts
        .answers
        .iter()
        .map(|one| &one.agent)
        .chain(verdicts.silent.iter().map(|one| &one.agent));
    let width = names
        .map(|name| clean(name.as_str()).chars().count())
        .max()
        .unwrap_or_default();
    let line = |name: &AgentName, what: &str| format!("  {:<width$}  {what}", clean(name.as_str()));
    let answers = verdicts.answers.iter();
    lines.extend(
        answers.map(|one| line(&one.agent, &format!("answers: {}", answering(one.reason)))),
    );
    let silent = verdicts.silent.iter();
    lines.extend(silent.map(|one| {
        line(
            &one.agent,
            &format!("is silent: {}", silent_because(verdicts, one.reason)),
        )
    }));
    if verdicts.more > 0 {
        lines.push(format!(
            "  and {} more are silent like the last one",
            verdicts.more
        ));
    }
    lines
}

/// The rule that decided, and what it went by.
fn rule(verdicts: &Verdicts) -> String {
    let mut text = routing_rule(verdicts.rule).to_owned();
    let people: Vec<String> = verdicts
        .people
        .iter()
        .map(|name| clean(name.as_str()))
        .collect();
    if !people.is_empty() {
        text = format!("{text}; it is for {}", people.join(" and "));
    }
    let unknown: Vec<String> = verdicts
        .unknown
        .iter()
        .map(|name| format!("@{}", one_line(name)))
        .collect();
    if !unknown.is_empty() {
        text = format!("{text}; nobody here is {}", unknown.join(" or "));
    }
    let nearest: Vec<String> = verdicts
        .nearest
        .iter()
        .map(|name| format!("@{}", clean(name.as_str())))
        .collect();
    if !nearest.is_empty() {
        text = format!("{text}; the nearest names are {}", nearest.join(", "));
    }
    text
}

fn turn(view: &WhyTurnView) -> Vec<String> {
    let WhyTurnView { story, woken_by } = view;
    let agent = clean(story.agent.as_str());
    let mut lines = vec![head(&format!(
        "{agent}'s turn {}, in episode {}",
        story.turn, story.episode
    ))];
    lines.extend(
        woken_by
            .iter()
            .map(|wake| format!("  woken by {}", woken(wake))),
    );
    lines.push(format!(
        "  {} and {}",
        count(story.model_calls, "model call"),
        count(story.tool_calls, "tool call")
    ));
    lines.push(match &story.end {
        Some(end) => format!("  ended with event {}: {}", end.at, ended(end)),
        None => "  is open still".to_owned(),
    });
    lines
}

fn count(number: u32, what: &str) -> String {
    if number == 1 {
        format!("1 {what}")
    } else {
        format!("{number} {what}s")
    }
}

fn woken(wake: &WakeView) -> String {
    let from = wake
        .from
        .as_ref()
        .map(|author| format!(" of {}", speaker(author)))
        .unwrap_or_default();
    let why = wake.reason.map_or("it was to answer it", answering);
    format!("message {}{from}: {why}", wake.message)
}

fn speaker(author: &Author) -> String {
    match author {
        Author::Person(name) => clean(name.as_str()),
        Author::Service(name) => format!("{} (service)", clean(name.as_str())),
        Author::Agent(name) => clean(name.as_str()),
        Author::World => "the world".to_owned(),
    }
}

fn ended(end: &TurnEnd) -> String {
    let message = end
        .message
        .map(|at| format!(" (message {at})"))
        .unwrap_or_default();
    match end.reason {
        CloseReason::Answered => format!("it answered{message}"),
        CloseReason::Passed => "it had nothing to say".to_owned(),
        CloseReason::Failed => {
            let code = end
                .code
                .as_deref()
                .map(|code| format!(" ({})", clean(code)))
                .unwrap_or_default();
            format!("its model or the agent failed for good{code}")
        }
        CloseReason::Limit => "it had no model call left in this episode".to_owned(),
        CloseReason::Stopped => format!("{} stopped it", giver(&end.by)),
        CloseReason::Superseded => {
            format!("something newer took its place, or its news were taken back{message}")
        }
        CloseReason::HandedOff => {
            let to = end
                .to
                .as_ref()
                .map_or_else(|| "another agent".to_owned(), |to| clean(to.as_str()));
            format!("it handed over to {to}{message}")
        }
    }
}

fn approval(view: &WhyApprovalView) -> Vec<String> {
    let WhyApprovalView { asked, decision } = view;
    let mut lines = vec![head(&format!("request {}", asked.request))];
    let erased = || {
        format!(
            "{} asks to run {} ({}) with [erased]",
            asked.agent, asked.tool, asked.effect
        )
    };
    lines.push(format!(
        "  {}",
        hung(&asked.text.clone().unwrap_or_else(erased), 2)
    ));
    lines.push(format!(
        "  asked because the tool is {}, and what is not `read` asks in this room",
        asked.effect
    ));
    let shown = asked.shown.short();
    let until = time(asked.expires_at);
    lines.push(format!(
        "  shown {shown}, schema {}, expires {until}",
        asked.schema.short()
    ));
    if let Some(decision) = decision {
        let verdict = match decision.verdict {
            Verdict::Allow => "allows",
            Verdict::Deny => "denies",
        };
        let by = &decision.by;
        let confirmed = if decision.is_confirmed {
            "confirmed what was shown"
        } else {
            "did not confirm what was shown"
        };
        let who = format!(
            "{} ({} {})",
            clean(&by.to_string()),
            clean(by.method()),
            clean(by.subject())
        );
        let reason = decision
            .reason
            .as_deref()
            .map(|reason| format!(": {}", one_line(reason)))
            .unwrap_or_default();
        lines.push(format!("  {who} {verdict} it{reason}, and {confirmed}"));
    }
    lines
}

/// Returns the name of whoever gave a command.
fn giver(by: &Principal) -> String {
    match by {
        Principal::Person(person) => clean(person.display.as_str()),
        Principal::Service(service) => clean(&service.to_string()),
        Principal::Agent(agent) => format!("the agent {}", clean(agent.as_str())),
        Principal::Tool(tool) => format!("the tool {tool}"),
        Principal::World => "the world's script".to_owned(),
        Principal::Runtime => "the process that has the world open".to_owned(),
    }
}
