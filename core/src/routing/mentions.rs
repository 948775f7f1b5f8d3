//! Line-start mentions: a small scanner over lines, not a Markdown parser.

use crate::ids::{AgentName, PersonName};
use crate::spec::WorldSpec;

/// Whom a line addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Addressee {
    /// An agent.
    Agent(AgentName),
    /// A person.
    Person(PersonName),
    /// A name that nobody has, as it was written.
    Unknown(String),
}

/// The names that can be mentioned.
#[derive(Debug, Clone)]
pub struct Roster {
    /// Lower-cased names, longest first.
    names: Vec<(String, Addressee)>,
}

impl Roster {
    /// Collects the names of agents, their display names, and people.
    #[must_use]
    pub fn new<'p>(spec: &WorldSpec, people: impl Iterator<Item = &'p PersonName>) -> Self {
        let agents = spec.agents.iter().flat_map(|agent| {
            let names = [Some(&agent.name), agent.display.as_ref()];
            names.into_iter().flatten().map(|name| (fold(name.as_str()), Addressee::Agent(agent.name.clone())))
        });
        let people = people.map(|person| (fold(person.as_str()), Addressee::Person(person.clone())));
        let mut names: Vec<_> = agents.chain(people).collect();
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self { names }
    }

    /// The longest name that `text` begins with, if it ends there, and the rest of the text.
    fn longest<'t>(&self, text: &'t str) -> Option<(Addressee, &'t str)> {
        let (rest, addressee) = self.names.iter().find_map(|(name, who)| Some((strip_folded(text, name)?, who)))?;
        ends(rest).then(|| (addressee.clone(), rest))
    }
}

/// Whom `text` addresses, line by line: the run of mentions at the start of each line that is neither quoted nor fenced.
#[must_use]
pub fn addressed(text: &str, roster: &Roster) -> Vec<Addressee> {
    let mut fence = None;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim_start) {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) if !line.starts_with('>') => found.extend(run(line, roster)),
            (Some(_), _) | (None, None) => {}
        }
    }
    found
}

/// The mentions at the start of a line, separated by blanks, commas or `and`.
fn run(line: &str, roster: &Roster) -> Vec<Addressee> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(behind) = rest.strip_prefix('@') {
        let (addressee, after) = roster.longest(behind).unwrap_or_else(|| {
            let end = behind.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(behind.len());
            let (name, after) = behind.split_at(end);
            (Addressee::Unknown(name.to_owned()), after)
        });
        found.push(addressee);
        let after = after.trim_start_matches([' ', '\t', ',']);
        rest = after.strip_prefix("and ").map_or(after, str::trim_start);
    }
    found
}

/// Whether a name that was found ends here: at the end, white space, or punctuation before no letter or digit.
fn ends(rest: &str) -> bool {
    let mut chars = rest.chars();
    match (chars.next(), chars.next()) {
        (None, _) => true,
        (Some(c), _) if c.is_whitespace() => true,
        (Some('\'' | '’'), Some('s')) => true,
        (Some(c), next) => !c.is_alphanumeric() && c != '_' && next.is_none_or(|next| !next.is_alphanumeric()),
    }
}

fn fold(name: &str) -> String {
    name.to_lowercase()
}

/// What is left of `text` behind `name`, compared without regard to case.
fn strip_folded<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut wanted = name.chars();
    for (at, c) in text.char_indices() {
        if wanted.as_str().is_empty() {
            return text.get(at..);
        }
        if !c.to_lowercase().all(|c| wanted.next() == Some(c)) {
            return None;
        }
    }
    wanted.as_str().is_empty().then_some("")
}
