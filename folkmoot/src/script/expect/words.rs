//! Expectations in words, for people whose expectation did not hold.

use std::fmt::{self, Display, Formatter};

use super::{MessageMatch, Pending, Routing, TextMatch};

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
        self.text.fmt(f)
    }
}

impl Display for TextMatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
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

impl Display for Routing {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("routing")?;
        if let Some(rule) = &self.rule {
            write!(f, " by the rule {rule:?}")?;
        }
        if let Some(respond) = &self.respond {
            let names: Vec<String> = respond.keys().map(ToString::to_string).collect();
            write!(f, " to {}", if names.is_empty() { "nobody".to_owned() } else { names.join(", ") })?;
        }
        part(f, "with undeliverable names:", self.undeliverable.as_ref())
    }
}
