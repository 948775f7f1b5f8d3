//! Expectations in words, for people whose expectation did not hold.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use folkmoot_core::ids::AgentName;
use serde::Serialize;

use super::{ArtifactMatch, GrantMatch, MessageMatch, Pending, Routing};
use crate::words::word;

/// Writes `word` and the value, if there is one.
fn part(f: &mut Formatter<'_>, word: &str, value: Option<&impl Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {word} {value}"))
}

/// A text in quotes.
fn quoted(text: &Option<String>) -> Option<String> {
    text.as_ref().map(|text| format!("{text:?}"))
}

impl Display for MessageMatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("message")?;
        part(f, "from", self.from.as_ref())?;
        part(f, "to", self.to.as_ref())?;
        part(f, "that contains", quoted(&self.contains).as_ref())?;
        part(f, "that is", quoted(&self.equals).as_ref())?;
        part(f, "that matches", quoted(&self.matches).as_ref())
    }
}

impl Display for Pending {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        part(f, "for", self.agent.as_ref())?;
        part(f, "to run", self.tool.as_ref())?;
        part(f, "with", self.arguments.as_ref())?;
        part(f, "that contains", quoted(&self.contains).as_ref())
    }
}

impl Display for GrantMatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a grant")?;
        part(f, "for", self.agent.as_ref())?;
        part(f, "to run", self.tool.as_ref())?;
        part(f, "of scope", self.scope.as_ref())?;
        part(f, "with uses left:", self.left.as_ref())?;
        part(f, "by", self.by.as_ref())
    }
}

impl Display for ArtifactMatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("artifact")?;
        part(f, "of the kind", self.kind.as_ref())?;
        part(f, "for", self.agent.as_ref())?;
        part(f, "from", self.tool.as_ref())?;
        part(f, "with", self.data.as_ref())?;
        part(f, "that contains", quoted(&self.contains).as_ref())
    }
}

impl Display for Routing {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.from.as_deref().unwrap_or("…"))?;
        match &self.respond {
            Some(to) if to.is_empty() => f.write_str(" → nobody")?,
            Some(to) => write!(f, " → {}", with_words(to))?,
            None => f.write_str(" → …")?,
        }
        part(f, "by the rule", self.rule.as_ref().map(word).as_ref())?;
        part(
            f,
            "with the people",
            self.people.as_ref().map(list).as_ref(),
        )?;
        let tag = self
            .tag
            .map(|tag| tag.map_or_else(|| "none".to_owned(), |tag| word(&tag)));
        part(f, "with the tag", tag.as_ref())?;
        part(f, "damped", self.damped.as_ref().map(with_words).as_ref())?;
        part(f, "undeliverable", self.undeliverable.as_ref())?;
        part(
            f,
            "with unknown names",
            self.unknown.as_ref().map(list).as_ref(),
        )?;
        part(f, "suggesting", self.nearest.as_ref().map(list).as_ref())
    }
}

fn list<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

fn with_words<T: Serialize>(agents: &BTreeMap<AgentName, T>) -> String {
    list(
        agents
            .iter()
            .map(|(agent, why)| format!("{agent} ({})", word(why))),
    )
}
