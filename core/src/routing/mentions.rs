//! Mentions: a small scanner over lines, not a Markdown parser.
//!
//! A mention is `@` at the start, behind white space or behind opening punctuation, followed by the name of an agent or
//! a person. The longest name that fits is the one that is meant: it counts if it ends there, and else nothing does.
//! Quoted lines, fenced lines and spans of code mention nobody.

use std::collections::BTreeSet;

use crate::ids::{AgentName, PersonName};

pub(crate) mod fold;
pub(crate) mod letters;
pub(crate) mod lines;
mod names;
mod nearest;
pub(crate) mod roster;
pub(crate) mod run;
mod span;

#[cfg(test)]
mod tests;

pub use names::{Names, name_fault};
pub use nearest::nearest;
pub(crate) use roster::Heard;
pub use roster::{Joined, Roster};

use letters::{is_at, is_blank, is_ignorable, is_opening, is_white};
use lines::{Fences, Lead, lines};
use run::{Link, link};
use span::code_spans;

/// How many mentions in mid-text count.
const IN_TEXT_MAX: usize = 3;

/// Whom a text addresses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Addressee {
    /// An agent.
    Agent(AgentName),
    /// A person.
    Person(PersonName),
    /// A name that nobody has, as it was written. Empty for an `@` alone.
    Unknown(String),
}

/// Whom the lines of `text` address, each once, in the order of the text: the run of mentions at the start of a line,
/// behind an optional list bullet and an optional greeting.
#[must_use]
pub fn addressed(text: &str, roster: &Roster) -> Vec<Addressee> {
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    let mut once = |who: Addressee| {
        if known.insert(who.clone()) {
            found.push(who);
        }
    };
    prose(text).filter_map(run_of).for_each(|run| read(run, roster, &mut once));
    found
}

/// The first agents that `text` mentions anywhere, each once, in the order of the text: at most three.
#[must_use]
pub fn mentioned(text: &str, roster: &Roster) -> Vec<AgentName> {
    let mut found = Vec::new();
    for line in prose(text).filter(|line| !is_quoted(line)) {
        in_line(line, roster, &mut found);
        if found.len() == IN_TEXT_MAX {
            break;
        }
    }
    found
}

/// The lines of `text` that are not fenced.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fences = Fences::default();
    lines(text).filter(move |line| {
        let is_code = fences.is_open();
        line.chars().for_each(|c| fences.feed(c));
        fences.end_line();
        !is_code
    })
}

fn is_quoted(line: &str) -> bool {
    line.chars().find(|c| !is_blank(*c)) == Some('>')
}

/// The part of `line` that begins with its run of mentions; `None` if it has none.
fn run_of(line: &str) -> Option<&str> {
    let mut lead = Lead::START;
    for (at, c) in line.char_indices() {
        lead = lead.then(c);
        match lead {
            Lead::Mentions => return line.get(at..),
            Lead::Prose => return None,
            Lead::Blank { .. } | Lead::Number { .. } | Lead::Bullet | Lead::Letters { .. } | Lead::Greeted { .. } => {}
        }
    }
    None
}

fn read(run: &str, roster: &Roster, found: &mut impl FnMut(Addressee)) {
    let mut rest = Some(run);
    while let Some(text) = rest {
        let Ok(Link { who, len, gap }) = link(Heard::whole(text), roster) else { return };
        found(who);
        rest = gap.and_then(|gap| text.get(len.saturating_add(gap)..));
    }
}

/// Adds the agents that `line` mentions and that are not yet in `found`.
fn in_line(line: &str, roster: &Roster, found: &mut Vec<AgentName>) {
    let mut spans = code_spans(line).into_iter().peekable();
    let (mut may_begin, mut skipped) = (true, 0);
    for (at, c) in line.char_indices() {
        while spans.next_if(|span| span.end <= at).is_some() {}
        let is_code = spans.peek().is_some_and(|span| span.contains(&at));
        if at < skipped || found.len() == IN_TEXT_MAX {
            continue;
        }
        if is_at(c) && may_begin && !is_code {
            let behind = at.saturating_add(c.len_utf8());
            let rest = Heard::whole(line.get(behind..).unwrap_or_default());
            if let Ok(Some((who, len))) = roster.named(rest) {
                skipped = behind.saturating_add(len);
                note(who, found);
            }
        }
        may_begin = match c {
            _ if is_ignorable(c) => may_begin,
            '"' | '\'' => may_begin,
            _ => is_white(c) || is_opening(c),
        };
    }
}

fn note(who: Addressee, found: &mut Vec<AgentName>) {
    match who {
        Addressee::Agent(agent) if !found.contains(&agent) => found.push(agent),
        Addressee::Agent(_) | Addressee::Person(_) | Addressee::Unknown(_) => {}
    }
}
