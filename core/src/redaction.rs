//! Personal data and keys taken out of texts and values.
//!
//! A match is replaced by a fixed marker, e.g. `[email]`, which is not matched again. Values are walked, never their
//! written form, so what comes out is as well-formed as what went in. Every kind reads a text once, with bounded steps
//! aside: the time is linear in the text's length, whatever stands in it.

use serde::{Deserialize, Serialize};

/// A kind of text that can be taken out, in the order in which the kinds are looked for: a key may hold what looks like
/// an address, and an account number what looks like a card.
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

impl RedactionKind {
    /// All kinds, in their order.
    pub const ALL: [Self; 5] = [Self::Key, Self::Email, Self::Iban, Self::Card, Self::Phone];

    /// What stands in the place of a match.
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
}
