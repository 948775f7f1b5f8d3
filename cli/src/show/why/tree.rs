//! The causes of an event as a tree: the event at the top, below it what made it necessary.
//!
//! One cause stands right below its event, so that a long way back stays readable; several branch
//! off.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot::core::command::CommandKind;
use folkmoot::core::ids::Position;
use folkmoot::view::why::{NodeView, WhyView};

use super::{giver, woken};
use crate::show::style::{BOLD, DIM, paint};
use crate::show::{clean, one_line};

/// The indentation of the tree.
const INDENT: &str = "  ";

/// The lines of the tree.
pub(super) fn lines(view: &WhyView) -> Vec<String> {
    let nodes = view.nodes.iter().map(|node| (node.node.at, node)).collect();
    let mut tree = CauseTree {
        nodes,
        told: BTreeSet::new(),
        lines: Vec::new(),
    };
    tree.grow(view.at, INDENT, "");
    if view.is_cut {
        tree.lines.push(format!("{INDENT}… and so on"));
    }
    tree.lines
}

struct CauseTree<'v> {
    nodes: BTreeMap<Position, &'v NodeView>,
    /// The events that stand there already.
    told: BTreeSet<Position>,
    lines: Vec<String>,
}

impl CauseTree<'_> {
    /// Writes the event at `at` behind `mark`, and all its causes below, behind `indent`.
    fn grow(&mut self, at: Position, indent: &str, mark: &str) {
        let mut next = at;
        let mut before = format!("{indent}{mark}");
        let below = if mark.is_empty() {
            indent.to_owned()
        } else {
            format!("{indent}{}", under(mark))
        };
        loop {
            let Some(node) = self.nodes.get(&next).copied() else {
                return;
            };
            if !self.told.insert(next) {
                let what = format!("{} {} (above)", next.get(), node.node.kind);
                self.lines.push(format!("{before}{}", paint(DIM, &what)));
                return;
            }
            self.lines.push(format!("{before}{}", line(node)));
            match node.node.because.as_slice() {
                [] => return,
                [only] => (next, before) = (*only, format!("{below}└ ")),
                [more @ .., last] => {
                    more.iter()
                        .for_each(|cause| self.grow(*cause, &below, "├─ "));
                    self.grow(*last, &below, "└─ ");
                    return;
                }
            }
        }
    }
}

/// Returns the line below a branch.
fn under(mark: &str) -> &'static str {
    if mark.starts_with('├') {
        "│  "
    } else {
        "   "
    }
}

/// An event in one line: what, who, and why the command was given.
fn line(view: &NodeView) -> String {
    let NodeView {
        node,
        woken_by,
        actor,
        gist,
    } = view;
    let kind = paint(BOLD, &node.kind);
    let mut reasons: Vec<String> = woken_by
        .iter()
        .map(|wake| format!("woken by {}", woken(wake)))
        .collect();
    if reasons.is_empty() {
        reasons.extend(necessary(node.command).map(str::to_owned));
    }
    if node.because.is_empty() {
        reasons.push(format!(
            "a command of {}, which nothing before it made necessary",
            giver(&node.by)
        ));
    }
    let reasons = if reasons.is_empty() {
        String::new()
    } else {
        paint(DIM, &format!("  ({})", reasons.join("; ")))
    };
    let words: Vec<String> = [clean(actor), one_line(gist)]
        .into_iter()
        .filter(|word| !word.is_empty())
        .collect();
    format!("{} {kind}  {}{reasons}", node.at.get(), words.join("  "))
        .trim_end()
        .to_owned()
}

/// Says what made a command necessary; `None` if its events, or those before, say it all.
const fn necessary(command: CommandKind) -> Option<&'static str> {
    match command {
        CommandKind::ContinueTurn => Some("all calls of its last answer have their results"),
        CommandKind::RetryModel => Some("the attempt before failed or was lost"),
        CommandKind::StartTool => Some("nothing stands in the way of the call any more"),
        CommandKind::TimeOutTool => Some("the tool took too long"),
        CommandKind::RecordReconcile => Some("the tool told what became of a lost run"),
        CommandKind::DeclareUnknown => {
            Some("the process that ran the tool died, and nothing can tell what became of it")
        }
        CommandKind::Tick => Some("time passed"),
        CommandKind::Sign => Some("events had no signature yet"),
        CommandKind::RecordErased => Some("the content is gone from the store"),
        CommandKind::Create
        | CommandKind::Open
        | CommandKind::Revise
        | CommandKind::PostMessage
        | CommandKind::Edit
        | CommandKind::Retract
        | CommandKind::Regenerate
        | CommandKind::Join
        | CommandKind::Leave
        | CommandKind::Label
        | CommandKind::OpenTurn
        | CommandKind::FailAgent
        | CommandKind::StartStream
        | CommandKind::RecordAnswer
        | CommandKind::RecordFailure
        | CommandKind::FinishTool
        | CommandKind::Decide
        | CommandKind::Revoke
        | CommandKind::SetRights
        | CommandKind::Observe
        | CommandKind::Answer
        | CommandKind::Settle
        | CommandKind::Stop
        | CommandKind::Fork
        | CommandKind::Erase
        | CommandKind::ViewWithheld
        | CommandKind::RecordStep => None,
    }
}
