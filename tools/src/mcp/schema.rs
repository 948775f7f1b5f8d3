//! The schema of a remote tool: as it was when the tool was classified, and as it is now.

use std::collections::BTreeSet;

use folkmoot_core::ids::Digest;
use folkmoot_core::port::Input;
use folkmoot_core::tool::Question;
use serde_json::Value;

use super::words::line;

/// The most differences that people are shown.
const DIFFERENCES_MAX: usize = 12;
/// The most bytes of a value in them.
const VALUE_MAX: usize = 160;
/// The hexadecimal digits by which a schema is named in an answer: nobody finds another one with the same.
const NAME_DIGITS: usize = 32;
const REFUSE: &str = "do not run it";

/// The digest of a schema, however its keys are ordered.
pub(super) fn digest_of(schema: &Value) -> Digest {
    let mut schema = schema.clone();
    schema.sort_all_objects();
    Digest::of(&[schema.to_string().as_bytes()])
}

/// An answer to the question whether a call may run with a changed schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    /// The call may run with the schema that was shown.
    Given,
    /// It may not run.
    Refused,
    /// The answer is to another question, or about another schema.
    Other,
}

/// Asks people whether a call may run on a tool whose schema is `present`, when it was `known` before.
pub(super) fn question(server: &str, tool: &str, known: &Value, present: &Value) -> Question {
    let differences = differences(known, present).join("\n");
    Question {
        text: format!(
            "The server `{server}` takes other arguments for `{tool}` than when that was classified. The words below are \
             the server's:\n{differences}\nMay this call run all the same? To classify the tool anew, put its schema into the script."
        ),
        options: vec![consent_to(digest_of(present)), REFUSE.to_owned()],
        ..Question::default()
    }
}

/// Returns the consent that `input` gives to a call with the schema of digest `present`.
pub(super) fn consent(input: &Input, present: Digest) -> Consent {
    // An option, not typed words: whoever is asked something else could be led to type the same.
    if input.options.len() != 1 {
        return Consent::Other;
    }
    if input.text == consent_to(present) {
        Consent::Given
    } else if input.text == REFUSE {
        Consent::Refused
    } else {
        Consent::Other
    }
}

fn consent_to(schema: Digest) -> String {
    let name: String = schema.to_string().chars().take(NAME_DIGITS).collect();
    format!("run it once with the schema {name}")
}

/// The places at which two schemas differ.
#[derive(Debug, Default)]
struct Differences {
    /// The first of them, each in a line of bounded length.
    lines: Vec<String>,
    /// The number of those that are left out.
    more: usize,
}

fn differences(known: &Value, present: &Value) -> Vec<String> {
    let mut found = Differences::default();
    found.compare(known, present, "");
    let Differences { mut lines, more } = found;
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    if lines.is_empty() {
        // The script has a schema of its own, and the digest of the server's.
        lines.push(format!("- all of it is now {}", shown(Some(present))));
    }
    lines
}

impl Differences {
    fn compare(&mut self, known: &Value, present: &Value, at: &str) {
        if known == present {
            return;
        }
        let (Value::Object(before), Value::Object(now)) = (known, present) else {
            return self.note(at, Some(known), Some(present));
        };
        let keys: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
        for key in keys {
            let at = format!("{at}/{}", line(key, VALUE_MAX));
            match (before.get(key), now.get(key)) {
                (Some(before), Some(now)) => self.compare(before, now, &at),
                (before, now) => self.note(&at, before, now),
            }
        }
    }

    fn note(&mut self, at: &str, before: Option<&Value>, now: Option<&Value>) {
        if self.lines.len() >= DIFFERENCES_MAX {
            self.more += 1;
            return;
        }
        let at = if at.is_empty() { "all of it" } else { at };
        let (before, now) = (shown(before), shown(now));
        self.lines.push(format!("- {at}: {before} became {now}"));
    }
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(
        || "nothing".to_owned(),
        |value| line(&value.to_string(), VALUE_MAX),
    )
}
