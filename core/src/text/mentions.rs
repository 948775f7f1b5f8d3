//! Mentions: a small scanner over lines, not a Markdown parser.
//!
//! A mention is `@`, followed by the name of an agent or a person. It stands anywhere but within a
//! word, as in an e-mail address or the path of a web address, and but behind a backslash. The
//! longest name that fits is the one that is meant: it counts if it ends there, and else nothing
//! does. Quoted lines, fenced lines, spans of code and comments on one line mention nobody.

use std::collections::BTreeSet;

use crate::ids::{AgentName, PersonName};

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

use crate::ids::letters::{goes_on_with_a_word, is_at, is_blank, is_ignorable, is_word};
use lines::{Fences, Lead, lines};
use run::{Gap, Link, link};
use span::hidden;

/// The most agents named in mid-text that count.
const IN_TEXT_MAX: usize = 3;

/// The most different names that a text is searched for.
const NAMED_MAX: usize = 32;

/// The addressee of a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Addressee {
    /// An agent.
    Agent(AgentName),
    /// A person.
    Person(PersonName),
    /// A name that nobody has, as it was written. Empty for an `@` alone.
    Unknown(String),
}

/// Returns whom the lines of `text` address, each once, in the order of the text: the run of
/// mentions at the start of a line, behind an optional list bullet and an optional greeting, within
/// emphasis or brackets.
#[must_use]
pub fn addressed(text: &str, roster: &Roster) -> Vec<Addressee> {
    let mut found = FoundNames::default();
    prose(text)
        .filter_map(run_of)
        .for_each(|run| read(run, roster, &mut |who| found.add(who)));
    found.all
}

/// Returns whom `text` names behind an `@` anywhere outside of code, quotes and comments, each
/// once, in the order of the text: at most 32. Names that nobody has are among them.
#[must_use]
pub fn named(text: &str, roster: &Roster) -> Vec<Addressee> {
    let mut found = FoundNames::default();
    for line in prose(text).filter(|line| !is_quoted(line)) {
        in_line(line, roster, &mut found);
        if found.is_full() {
            break;
        }
    }
    found.all
}

/// The first agents that `text` names anywhere, each once, in the order of the text: at most three.
#[must_use]
pub fn mentioned(text: &str, roster: &Roster) -> Vec<AgentName> {
    let agent = |who| {
        if let Addressee::Agent(agent) = who {
            Some(agent)
        } else {
            None
        }
    };
    named(text, roster)
        .into_iter()
        .filter_map(agent)
        .take(IN_TEXT_MAX)
        .collect()
}

/// The names that were found, each once.
#[derive(Default)]
struct FoundNames {
    all: Vec<Addressee>,
    known: BTreeSet<Addressee>,
}

impl FoundNames {
    fn add(&mut self, who: Addressee) {
        if self.known.insert(who.clone()) {
            self.all.push(who);
        }
    }

    const fn is_full(&self) -> bool {
        self.all.len() >= NAMED_MAX
    }
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
        if let Lead::Mentions = lead {
            return line.get(at..);
        }
        if let Lead::Prose = lead {
            return None;
        }
    }
    None
}

fn read(run: &str, roster: &Roster, found: &mut impl FnMut(Addressee)) {
    let mut rest = Some(run);
    while let Some(text) = rest {
        let Ok(Link { who, len, gap }) = link(Heard::whole(text), roster) else {
            return;
        };
        found(who);
        rest = gap.and_then(|gap| text.get(len + gap.len()..));
    }
}

/// Adds those whom `line` names.
fn in_line(line: &str, roster: &Roster, found: &mut FoundNames) {
    let mut spans = hidden(line).into_iter().peekable();
    let mut may_begin = true;
    let mut skipped = 0;
    for (at, c) in line.char_indices() {
        while spans.next_if(|span| span.place.end <= at).is_some() {}
        if let Some(span) = spans.peek().filter(|span| span.place.contains(&at)) {
            may_begin = span.is_comment;
            continue;
        }
        if at < skipped || found.is_full() {
            continue;
        }
        if is_at(c) && may_begin {
            let Ok(Link { who, len, gap }) =
                link(Heard::whole(line.get(at..).unwrap_or_default()), roster)
            else {
                return;
            };
            if who != Addressee::Unknown(String::new()) {
                found.add(who);
            }
            skipped = at + len + gap.map_or(0, Gap::len);
            may_begin = gap.is_some();
            continue;
        }
        may_begin = match c {
            _ if is_ignorable(c) || goes_on_with_a_word(c) => may_begin,
            '\\' => false,
            _ => !is_word(c),
        };
    }
}
