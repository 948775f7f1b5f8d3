//! Personal data and keys taken out of texts and values.
//!
//! A match is replaced by a fixed marker, e.g. `[email]`, which is not matched again. Values are
//! walked, never their written form, and JSON that stands in a text is rewritten value by value:
//! what comes out is as well-formed as what went in. Every kind reads a text once and looks a
//! bounded way ahead: the time is linear in the text's length, whatever stands in it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

mod card;
mod email;
mod iban;
mod json;
mod key;
mod number;
mod phone;
mod secrets;
#[cfg(test)]
mod tests;
mod value;

pub use secrets::SecretRules;

/// A kind of text that can be taken out, in the order in which the kinds are looked for: a key may
/// hold what looks like an address, and an account number what looks like a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RedactionKind {
    /// Keys, tokens and passwords, by the formats of well-known ones or by the name before them.
    Key,
    /// Mail addresses.
    Email,
    /// International bank account numbers whose length and checksum are right.
    Iban,
    /// Numbers of payment cards whose first digits, length and checksum are right.
    Card,
    /// Telephone numbers, international or in common national forms.
    Phone,
}

/// Finds the first match in a text. A text begins at an edge: what was before it does not count.
type Find = fn(&str) -> Option<Range<usize>>;

impl RedactionKind {
    /// All kinds, in their order.
    pub const ALL: [Self; 5] = [Self::Key, Self::Email, Self::Iban, Self::Card, Self::Phone];

    /// Returns what stands in the place of a match.
    #[must_use]
    pub const fn marker(self) -> &'static str {
        match self {
            Self::Key => "[key]",
            Self::Email => "[email]",
            Self::Iban => "[iban]",
            Self::Card => "[card]",
            Self::Phone => "[phone]",
        }
    }

    const fn finders(self) -> &'static [Find] {
        match self {
            Self::Key => key::FINDERS,
            Self::Email => &[email::find],
            Self::Iban => &[iban::find],
            Self::Card => &[card::find],
            Self::Phone => &[phone::find],
        }
    }

    fn redact(self, text: Cow<'_, str>) -> Cow<'_, str> {
        self.finders()
            .iter()
            .fold(text, |text, find| replace(text, self.marker(), *find))
    }
}

/// `text` with every match of `kinds` replaced by its kind's marker. Where the text is JSON, or has
/// JSON in it, that is done to its values as [`redact_value`] does it: a number of which anything
/// is taken out becomes a string. A text without a match is borrowed, and doing it twice changes
/// nothing more.
#[must_use]
pub fn redact_text<'a>(kinds: &BTreeSet<RedactionKind>, text: &'a str) -> Cow<'a, str> {
    let mut redacted = Cow::Borrowed(text);
    // What stands beside a marker may begin only now. Each pass that changes anything leaves less
    // to find.
    for _ in 0..PASSES_MAX {
        match redacted_once(kinds, &redacted) {
            Cow::Borrowed(_) => break,
            Cow::Owned(next) => redacted = Cow::Owned(next),
        }
    }
    redacted
}

fn redacted_once<'a>(kinds: &BTreeSet<RedactionKind>, text: &'a str) -> Cow<'a, str> {
    json::replace(text, &|name, value| field(kinds, name, value), &|plain| {
        kinds
            .iter()
            .fold(Cow::Borrowed(plain), |text, kind| kind.redact(text))
    })
}

/// Returns what becomes of a string, or of a number as it is written, in the field `name`.
fn field<'a>(kinds: &BTreeSet<RedactionKind>, name: Option<&str>, text: &'a str) -> Cow<'a, str> {
    let hides =
        kinds.contains(&RedactionKind::Key) && name.is_some_and(|name| key::is_secret(name, text));
    if hides {
        Cow::Owned(RedactionKind::Key.marker().to_owned())
    } else {
        redact_text(kinds, text)
    }
}

/// The most times that a text is searched: a match may uncover another one, hardly a third.
const PASSES_MAX: usize = 8;

/// Redacts the strings and the numbers in `value` at every depth, the names of fields included. A
/// number becomes a string if anything is taken out of it. The count of what an array or object
/// holds stays: a second name that would become the same marker is numbered, e.g. `[email] 2`. With
/// [`RedactionKind::Key`], a string that looks random is taken out as a whole if the name of its
/// field is that of a secret.
pub fn redact_value(kinds: &BTreeSet<RedactionKind>, value: &mut Value) {
    value::walk(value, &|name, text| field(kinds, name, text));
}

fn replace<'a>(text: Cow<'a, str>, marker: &str, find: Find) -> Cow<'a, str> {
    let mut redacted = String::new();
    let mut rest = &*text;
    while let Some((before, behind)) =
        find(rest).and_then(|span| Some((rest.get(..span.start)?, rest.get(span.end..)?)))
    {
        redacted.push_str(before);
        redacted.push_str(marker);
        rest = behind;
    }
    if redacted.is_empty() {
        return text;
    }
    redacted.push_str(rest);
    Cow::Owned(redacted)
}
