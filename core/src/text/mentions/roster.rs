//! The names that can be mentioned, and the one that a text begins with.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Addressee;
use super::names::{Names, SearchEnd};
use super::nearest::{UNKNOWN_MAX, is_near};
use crate::ids::letters::fold::{cluster_len, push_fold};
use crate::ids::letters::{is_blank, is_ignorable, is_punctuation, is_white, is_word};
use crate::ids::{AgentName, PersonName, Position};

/// The most bytes that a name may be written with behind `@`, with all that nobody sees in it.
pub(crate) const WRITTEN_MAX: usize = 512;

/// A person who joined the room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// The person's name.
    pub person: PersonName,
    /// The position of the join.
    pub at: Position,
}

/// The agents and the people of a room at one position of its log.
#[derive(Debug, Clone)]
pub struct Roster {
    agents: Arc<Names<AgentName>>,
    people: Arc<Names<Joined>>,
    until: Position,
}

/// A text, of which more may come.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard<'t> {
    /// What is there.
    pub(crate) text: &'t str,
    /// True if nothing more will come.
    pub(crate) is_whole: bool,
}

/// More text is needed to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct More;

impl<'t> Heard<'t> {
    pub(crate) const fn whole(text: &'t str) -> Self {
        Self {
            text,
            is_whole: true,
        }
    }

    /// The text behind the first `at` bytes.
    pub(crate) fn behind(self, at: usize) -> Self {
        Self {
            text: self.text.get(at..).unwrap_or_default(),
            ..self
        }
    }

    /// Returns its first [`WRITTEN_MAX`] bytes. Whatever is longer is not waited for.
    pub(crate) fn capped(self) -> Self {
        match self.text.get(..self.text.floor_char_boundary(WRITTEN_MAX)) {
            Some(text) if text.len() < self.text.len() => Self {
                text,
                is_whole: true,
            },
            Some(_) | None => self,
        }
    }

    /// `found`, or else nothing, if nothing more will come.
    pub(crate) fn or_more<T>(self, found: Option<T>) -> Result<Option<T>, More> {
        if found.is_none() && !self.is_whole {
            Err(More)
        } else {
            Ok(found)
        }
    }
}

impl Roster {
    /// A roster of `agents`, under their names and display names, and all `people`.
    #[must_use]
    pub const fn new(agents: Arc<Names<AgentName>>, people: Arc<Names<Joined>>) -> Self {
        Self {
            agents,
            people,
            until: Position::new(u64::MAX),
        }
    }

    /// The same without the people who joined behind `until`.
    #[must_use]
    pub fn at(self, until: Position) -> Self {
        Self { until, ..self }
    }

    /// The same with `person`, who joins at `at`. Who bore the name before keeps it.
    #[must_use]
    pub fn with(mut self, person: &PersonName, at: Position) -> Self {
        let joined = Joined {
            person: person.clone(),
            at,
        };
        Arc::make_mut(&mut self.people).insert(person.as_str(), joined);
        self
    }

    /// Those of the `unknown` names that somebody may have mistyped: they are near to the name of
    /// an agent or a person. Of many the first ones are looked at.
    #[must_use]
    pub fn mistyped(&self, unknown: &[String]) -> Vec<String> {
        let is_typo = |name: &&String| is_near(name, &self.agents) || is_near(name, &self.people);
        unknown
            .iter()
            .take(UNKNOWN_MAX)
            .filter(is_typo)
            .cloned()
            .collect()
    }

    /// The agents, by their names and display names.
    #[must_use]
    pub fn agents(&self) -> &Names<AgentName> {
        &self.agents
    }

    /// Returns who is called `name` as a whole, however it is written.
    #[must_use]
    pub fn called(&self, name: &str) -> Addressee {
        let person = || {
            self.people
                .find(name)
                .filter(|joined| joined.at <= self.until)
        };
        match self.agents.find(name) {
            Some(agent) => Addressee::Agent(agent.clone()),
            None => person().map_or_else(
                || Addressee::Unknown(name.to_owned()),
                |joined| Addressee::Person(joined.person.clone()),
            ),
        }
    }

    /// Returns whom `rest`, the text behind an `@`, names, and how many bytes the name takes;
    /// `None` if nobody.
    ///
    /// The longest name that fits decides; if it does not end where it should, no shorter one is
    /// tried.
    pub(crate) fn named(&self, rest: Heard<'_>) -> Result<Option<(Addressee, usize)>, More> {
        let Some((who, len)) = self.longest(rest.capped())? else {
            return Ok(None);
        };
        Ok(ends(rest.behind(len))?.then_some((who, len)))
    }

    fn longest(&self, rest: Heard<'_>) -> Result<Option<(Addressee, usize)>, More> {
        let mut folded = String::new();
        let mut at = 0;
        let mut best = None;
        while let Some(tail) = rest.text.get(at..).filter(|tail| !tail.is_empty()) {
            let len = cluster_len(tail);
            if len == tail.len() && !rest.is_whole {
                return Err(More);
            }
            push_fold(&mut folded, tail.get(..len).unwrap_or_default());
            at += len;
            match self.reach(&folded) {
                Some(Some(who)) => best = Some((who, at)),
                Some(None) => {}
                None => return Ok(best),
            }
        }
        if rest.is_whole { Ok(best) } else { Err(More) }
    }

    /// Returns who is called `folded`; `None` if nobody's name even begins so. Agents come before
    /// people.
    fn reach(&self, folded: &str) -> Option<Option<Addressee>> {
        let person = match self.people.reach(folded) {
            SearchEnd::Nowhere => None,
            SearchEnd::Further => Some(None),
            SearchEnd::Name(joined) => {
                Some((joined.at <= self.until).then(|| Addressee::Person(joined.person.clone())))
            }
        };
        match self.agents.reach(folded) {
            SearchEnd::Name(agent) => Some(Some(Addressee::Agent(agent.clone()))),
            SearchEnd::Further => Some(person.flatten()),
            SearchEnd::Nowhere => person,
        }
    }
}

/// Tells whether a name ends before `rest`: at the end, white space, `'s`, or punctuation before no
/// letter or digit.
fn ends(rest: Heard<'_>) -> Result<bool, More> {
    let rest = rest.capped();
    let mut chars = rest
        .text
        .chars()
        .filter(|c| !is_ignorable(*c) || is_white(*c));
    let mut next = || rest.or_more(chars.next());
    let Some(first) = next()? else {
        return Ok(true);
    };
    if is_white(first) {
        return Ok(true);
    }
    if !is_punctuation(first) {
        return Ok(false);
    }
    match next()? {
        Some('s' | 'S') if is_apostrophe(first) => Ok(!next()?.is_some_and(is_word)),
        Some(second) => Ok(!is_word(second)),
        None => Ok(true),
    }
}

pub(crate) const fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '＇')
}

/// The bytes of the blanks that `text` begins with.
pub(crate) fn blank_len(text: &str) -> usize {
    text.find(|c| !is_blank(c)).unwrap_or(text.len())
}
