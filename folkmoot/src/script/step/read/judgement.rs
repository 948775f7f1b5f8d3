//! From a checked tree to what a person decides about a call.

use folkmoot_core::command::Judgement;
use folkmoot_core::event::{Scope, Verdict, Wider};
use folkmoot_core::tool::constraint::Constraint;

use super::optional;
use crate::script::node::Node;

/// Reads a yes; `None` if a part of it does not read.
pub(super) fn approval(node: &Node) -> Option<Judgement> {
    let scope = optional(node.text_of("scope"), |scope| scope.parse().ok())?;
    Some(Judgement {
        wider: wider(node)?,
        arguments: node
            .get("args")
            .map(|arguments| arguments.json().to_string()),
        ..Judgement::new(Verdict::Allow).within(scope.unwrap_or(Scope::Once))
    })
}

/// Reads a no.
pub(super) fn denial(node: &Node) -> Judgement {
    Judgement {
        shares_reason: node.text_of("share") == Some("true"),
        ..Judgement::new(Verdict::Deny).because(node.text_of("reason").map(str::to_owned))
    }
}

fn wider(node: &Node) -> Option<Wider> {
    if node.get("any_args").is_some() {
        return Some(Wider::Any);
    }
    let Some(constraints) = node.get("where") else {
        return Some(Wider::Same);
    };
    let read = |constraint: &Node| constraint.json().to_string().parse::<Constraint>().ok();
    constraints
        .items()
        .map(read)
        .collect::<Option<_>>()
        .map(Wider::Where)
}
