//! A place of the source and what is done to it.

use std::fmt;
use std::ops::Range;

/// One mutant: a place in a file and the change that is made there.
#[derive(Debug, Clone)]
pub struct Place {
    /// Its name, which stays while its function stays: `file:function:kind:ordinal`.
    pub id: String,
    /// The file, relative to the workspace.
    pub file: String,
    /// The line in the file as it is written.
    pub line: usize,
    /// The bytes that are replaced.
    pub range: Range<usize>,
    /// What is done.
    pub change: Change,
    /// What is done, for people.
    pub shown: String,
}

/// What kind of mistake a mutant stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The function gives a trivial value at once.
    Body,
    /// Another comparison.
    Compare,
    /// "And" for "or", and the reverse.
    Logic,
    /// Another operation on numbers.
    Arithmetic,
    /// A condition is turned around.
    Negate,
    /// A call is left out.
    Call,
    /// An assignment is left out.
    Assign,
    /// The guard of an arm always holds.
    Guard,
    /// Another literal.
    Literal,
    /// A constant is one more or one less.
    Limit,
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Body => "body",
            Self::Compare => "compare",
            Self::Logic => "logic",
            Self::Arithmetic => "arithmetic",
            Self::Negate => "negate",
            Self::Call => "call",
            Self::Assign => "assign",
            Self::Guard => "guard",
            Self::Literal => "literal",
            Self::Limit => "limit",
        })
    }
}

/// How the text at a place is changed.
#[derive(Debug, Clone)]
pub enum Change {
    /// This expression stands for it.
    Replace(String),
    /// The statement is skipped.
    Skip,
    /// The condition always holds.
    Always,
    /// The function returns this at its beginning.
    Return(String),
}

impl Change {
    /// What is written before and behind the place, so that mutant `number` can be switched on.
    pub fn around(&self, number: u32) -> (String, String) {
        let on = format!("crate::__mutant({number})");
        match self {
            Self::Replace(text) => (format!("(if {on} {{ {text} }} else {{ "), " })".to_owned()),
            Self::Skip => (format!("if !{on} {{ "), " }".to_owned()),
            Self::Always => (format!("({on} || ("), "))".to_owned()),
            Self::Return(value) => (format!(" if {on} {{ return {value}; }} "), String::new()),
        }
    }
}
