//! The grammar of world scripts as data: the checks and the JSON Schema are both made from these
//! tables.

mod consent;
mod constraint;
mod data;
mod decision;
mod model;
pub(crate) mod parameters;
mod policy;
mod spec;
mod step;
mod tool;
mod web;

pub(crate) use spec::{INCLUDED, SCRIPT};
pub(crate) use tool::OWN;
#[cfg(test)]
pub(crate) use {model::MODEL, tool::MCP_TOOL, tool::TOOL};

pub(crate) use step::{REFUSALS, VERBS};

/// What may stand somewhere.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Any text.
    Text,
    /// A regular expression.
    Pattern,
    /// Nothing: `null`.
    Null,
    /// `true` or `false`.
    Flag,
    /// The word `true`.
    True,
    /// A whole number within these bounds.
    Count(u64, u64),
    /// A decimal within these bounds, both in thousandths.
    Decimal(u32, u32),
    /// Any number that JSON has.
    Number,
    /// An amount of money with at most so many decimals, in quotes or not: it is read as it is
    /// written.
    Amount(usize),
    /// A JSON pointer to a part of a document.
    Pointer,
    /// A text that says something.
    Filled,
    /// A path in a tool's folder, in its one spelling.
    PlainPath,
    /// How far a decision reaches.
    Scope,
    /// A duration within these bounds, in milliseconds.
    Duration(u64, u64),
    /// A size within these bounds, in bytes.
    Size(u64, u64),
    /// One of the first words. The second ones are known, but not to this build.
    Word(&'static [&'static str], &'static [&'static str]),
    /// A name that is given here.
    Name(Named),
    /// A name that is given elsewhere.
    Ref(Named),
    /// Any value.
    Json,
    /// Any map.
    JsonMap,
    /// A map with known keys.
    Record(&'static Record),
    /// A map with known keys, which depend on the value under one of them.
    Variant(&'static Variants),
    /// Items of one shape, at least so many.
    List(&'static Self, usize),
    /// A map from names to values of one shape.
    Entries(&'static Self, &'static Self),
    /// Whichever fits what is written: text, number, list or map.
    Either(&'static [Self]),
    /// A step of the script.
    Step,
}

/// What a name is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// The world.
    World,
    /// An agent.
    Agent,
    /// A tool.
    Tool,
    /// A model.
    Model,
    /// A step.
    Step,
    /// A state that clients may tell.
    State,
    /// Whoever gives a command: a person, `agent:NAME` or `tool:NAME`.
    Actor,
    /// Whoever speaks or is spoken to: an agent, a person that acts in the script, or `world`.
    Speaker,
}

/// A map with known keys.
#[derive(Debug)]
pub(crate) struct Record {
    /// What it is, e.g. `an agent`.
    pub(crate) what: &'static str,
    /// Its fields, in groups that records share.
    pub(crate) fields: &'static [&'static [Field]],
    /// Of these keys of a table that it is made from there is none here.
    lacks: &'static [&'static str],
    any_of: AnyOf,
    /// Of each of these groups, at most one may be there.
    pub(crate) clash: &'static [&'static [&'static str]],
    /// Of each of these pairs, the first may be there only if the second is.
    pub(crate) needs: &'static [(&'static str, &'static str)],
}

impl Record {
    pub(crate) const fn new(what: &'static str, fields: &'static [&'static [Field]]) -> Self {
        Self {
            what,
            fields,
            lacks: &[],
            any_of: AnyOf::Nothing,
            clash: &[],
            needs: &[],
        }
    }

    /// The same, of which at least one of `keys` must be there.
    pub(crate) const fn any_of(mut self, keys: &'static [&'static str]) -> Self {
        self.any_of = AnyOf::These(keys);
        self
    }

    /// The same, which must not be empty.
    pub(crate) const fn any(mut self) -> Self {
        self.any_of = AnyOf::All;
        self
    }

    /// The same under another name, without `keys`.
    pub(crate) const fn without(&self, what: &'static str, keys: &'static [&'static str]) -> Self {
        Self {
            what,
            lacks: keys,
            ..*self
        }
    }

    /// The keys of which at least one must be there; empty: none need be.
    pub(crate) fn wanted(&self) -> Vec<&'static str> {
        match self.any_of {
            AnyOf::Nothing => Vec::new(),
            AnyOf::These(keys) => keys.to_vec(),
            AnyOf::All => self.fields().map(|field| field.name).collect(),
        }
    }

    /// The same, of which at most one of each group may be there.
    pub(crate) const fn clash(mut self, groups: &'static [&'static [&'static str]]) -> Self {
        self.clash = groups;
        self
    }

    /// The same, of which the first of each pair may be there only if the second is.
    const fn needs(mut self, pairs: &'static [(&'static str, &'static str)]) -> Self {
        self.needs = pairs;
        self
    }

    /// All fields.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &'static Field> {
        let is_there = |field: &&Field| !self.lacks.contains(&field.name);
        self.fields.iter().copied().flatten().filter(is_there)
    }
}

/// The keys of a record of which at least one must be there.
#[derive(Debug, Clone, Copy)]
enum AnyOf {
    Nothing,
    These(&'static [&'static str]),
    All,
}

/// A key of a record.
#[derive(Debug)]
pub(crate) struct Field {
    /// The key.
    pub(crate) name: &'static str,
    /// What stands under it.
    pub(crate) shape: Shape,
    /// What it means: the schema says this.
    pub(crate) doc: &'static str,
    /// Whether it must, may or cannot yet be there.
    pub(crate) presence: Presence,
    /// What stands for it where it is left out, as a script would write it; `None` if that is no
    /// value of its own.
    pub(crate) default: Option<&'static str>,
}

impl Field {
    /// The same, which means `default` where it is left out.
    const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }
}

/// Whether a key must or may be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It must.
    Required,
    /// It may.
    Optional,
}

pub(crate) const fn field(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field {
        name,
        shape,
        doc,
        presence: Presence::Optional,
        default: None,
    }
}

const fn required(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field {
        name,
        shape,
        doc,
        presence: Presence::Required,
        default: None,
    }
}

/// Records told apart by the word under one key.
#[derive(Debug)]
pub(crate) struct Variants {
    /// What they are, e.g. `a tool`.
    pub(crate) what: &'static str,
    /// The key that tells them apart.
    pub(crate) tag: &'static str,
    /// The word under that key, and the record.
    pub(crate) records: &'static [(&'static str, &'static Record)],
}

impl Variants {
    /// The record that `word` stands for.
    pub(crate) fn record(&self, word: &str) -> Option<&'static Record> {
        self.records
            .iter()
            .find(|(name, _)| *name == word)
            .map(|(_, record)| *record)
    }

    /// All words.
    pub(crate) fn words(&self) -> impl Iterator<Item = &'static str> {
        self.records.iter().map(|(word, _)| *word)
    }
}

/// What a step does, and what may stand beside it.
#[derive(Debug)]
pub(crate) struct VerbShape {
    /// The key that names it.
    pub(crate) field: Field,
    /// The other keys that such a step may have.
    pub(crate) modifiers: &'static [&'static [Field]],
}

impl VerbShape {
    /// All modifiers.
    pub(crate) fn modifiers(&self) -> impl Iterator<Item = &'static Field> {
        self.modifiers.iter().copied().flatten()
    }
}

pub(crate) const NAMES_OF_AGENTS: Shape = Shape::Ref(Named::Agent);
pub(crate) const NAMES_OF_TOOLS: Shape = Shape::Ref(Named::Tool);
const SECOND: u64 = 1_000;
const HOUR: u64 = 3_600 * SECOND;
const YEAR: u64 = 365 * 24 * HOUR;
pub(crate) const WHOLE: Shape = Shape::Count(0, 1_000_000);
