//! The reference of world scripts for people, made from the tables that scripts are checked with.

use std::collections::VecDeque;
use std::fmt::Write as _;

use super::grammar::{Field, Named, Presence, Record, SCRIPT, Shape, VERBS, Variants};

/// The text above the sections.
const HEAD: &str = "# Reference of world scripts\n\n\
    Each table lists the keys of one part: the value that a key takes, the value that stands for it where it is left out, and its meaning. \
    The tables are made from those that scripts are checked with (`folkmoot schema --markdown`).\n";

/// The reference, as Markdown.
#[must_use]
pub fn reference() -> String {
    let mut reference = Reference::default();
    reference.text.push_str(HEAD);
    reference.link(Part::Record(&SCRIPT));
    while let Some((part, title)) = reference.queue.pop_front() {
        reference.section(&title);
        match part {
            Part::Record(record) => reference.fields(record.fields()),
            Part::Variants(variants) => reference.variants(variants),
            Part::Steps => reference.steps(),
        }
    }
    reference.text
}

/// A part of a script that has a section of its own.
#[derive(Debug, Clone, Copy)]
enum Part {
    Record(&'static Record),
    Variants(&'static Variants),
    Steps,
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Self::Record(record) => record.what,
            Self::Variants(variants) => variants.what,
            Self::Steps => "a step",
        }
    }

    /// Tells whether it is the same table: two may have one name.
    fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Record(one), Self::Record(other)) => std::ptr::eq(one, other),
            (Self::Variants(one), Self::Variants(other)) => std::ptr::eq(one, other),
            (Self::Steps, Self::Steps) => true,
            (Self::Record(_) | Self::Variants(_) | Self::Steps, _) => false,
        }
    }
}

/// The reference as far as it is written.
#[derive(Default)]
struct Reference {
    text: String,
    /// The parts that have a section, or will have one, under their titles.
    known: Vec<(Part, String)>,
    /// The parts whose section is still to be written.
    queue: VecDeque<(Part, String)>,
}

impl Reference {
    fn section(&mut self, title: &str) {
        self.line(&format!("\n## {title}\n"));
    }

    fn line(&mut self, line: &str) {
        // Writing to a text cannot fail.
        let _written = writeln!(self.text, "{line}");
    }

    /// A link to the section of a part, which is written later if it has none yet.
    fn link(&mut self, part: Part) -> String {
        let known = self.known.iter().find(|(known, _)| known.is(part));
        let title = known.map(|(_, title)| title.clone());
        let title = title.unwrap_or_else(|| {
            let name = part.name();
            let namesakes = self.known.iter().filter(|(known, _)| known.name() == name);
            let title = match namesakes.count() {
                0 => name.to_owned(),
                others => format!("{name} {}", others + 1),
            };
            self.known.push((part, title.clone()));
            self.queue.push_back((part, title.clone()));
            title
        });
        let anchor = title.replace(' ', "-").replace(['.', '\''], "");
        format!("[{title}](#{anchor})")
    }

    fn fields(&mut self, fields: impl Iterator<Item = &'static Field>) {
        for field in fields {
            let value = self.value(&field.shape);
            let default = match (field.presence, field.default) {
                (Presence::Required, _) => ", required".to_owned(),
                (Presence::Optional, Some(default)) => format!(", default `{default}`"),
                (Presence::Optional, None) => String::new(),
            };
            self.line(&format!(
                "* `{}` ({value}{default}): {}",
                field.name, field.doc
            ));
        }
    }

    /// The tables of a part whose keys depend on a word: each group of keys once, under the words that have it.
    fn variants(&mut self, variants: &'static Variants) {
        let groups = variants
            .records
            .iter()
            .flat_map(|(word, record)| record.fields.iter().map(move |group| (*word, *group)));
        self.line(&format!("`{}` says which keys there are.", variants.tag));
        self.groups(&groups.collect::<Vec<_>>(), variants.records.len());
    }

    fn steps(&mut self) {
        self.line("A step has one of these keys:\n");
        self.fields(VERBS.iter().map(|verb| &verb.field));
        let groups = VERBS.iter().flat_map(|verb| {
            verb.modifiers
                .iter()
                .map(move |group| (verb.field.name, *group))
        });
        self.line("\nBeside it may stand:");
        self.groups(&groups.collect::<Vec<_>>(), VERBS.len());
    }

    fn groups(&mut self, groups: &[(&'static str, &'static [Field])], all: usize) {
        let mut written: Vec<&'static [Field]> = Vec::new();
        for (_, group) in groups {
            if written.iter().any(|known| std::ptr::eq(*known, *group)) {
                continue;
            }
            written.push(group);
            let same = groups
                .iter()
                .filter(|(_, other)| std::ptr::eq(*other, *group));
            let words: Vec<String> = same.map(|(word, _)| format!("`{word}`")).collect();
            let of = if words.len() == all {
                "all".to_owned()
            } else {
                words.join(", ")
            };
            self.line(&format!("\nFor {of}:\n"));
            self.fields(group.iter());
        }
    }

    /// The value that a key takes, in words.
    fn value(&mut self, shape: &'static Shape) -> String {
        match shape {
            Shape::Text => "text".to_owned(),
            Shape::Pattern => "regular expression".to_owned(),
            Shape::Null => "`null`".to_owned(),
            Shape::Flag => "flag".to_owned(),
            Shape::True => "`true`".to_owned(),
            Shape::Count(least, u64::MAX) => format!("number from {least}"),
            Shape::Count(least, most) => format!("{least} to {most}"),
            Shape::Decimal(least, most) => {
                let [least, most] = [least, most].map(|bound| f64::from(*bound) / 1e3);
                format!("{least} to {most}")
            }
            Shape::Number => "number".to_owned(),
            Shape::Amount(_) => "amount of money".to_owned(),
            Shape::Pointer => "JSON pointer".to_owned(),
            Shape::Filled => "text that is not empty".to_owned(),
            Shape::PlainPath => "path in the tool's folder".to_owned(),
            Shape::Scope => "`once`, `turn`, `world` or `uses:N`".to_owned(),
            Shape::Duration(..) => "duration".to_owned(),
            Shape::Word(words, _) => either(words.iter().map(|word| format!("`{word}`")).collect()),
            Shape::Name(named) | Shape::Ref(named) => name(*named).to_owned(),
            Shape::Json => "any value".to_owned(),
            Shape::JsonMap => "map".to_owned(),
            Shape::Record(record) => self.link(Part::Record(record)),
            Shape::Variant(variants) => self.link(Part::Variants(variants)),
            Shape::List(item, _) => format!("list of {}", self.value(item)),
            Shape::Entries(_, value) => format!("map of {}", self.value(value)),
            Shape::Either(shapes) => either(shapes.iter().map(|shape| self.value(shape)).collect()),
            Shape::Step => self.link(Part::Steps),
        }
    }
}

fn either(mut words: Vec<String>) -> String {
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
        None => String::new(),
    }
}

const fn name(named: Named) -> &'static str {
    match named {
        Named::World => "name of a world",
        Named::Agent => "name of an agent",
        Named::Tool => "name of a tool",
        Named::Model => "name of a model",
        Named::Step => "name of a step",
        Named::State => "name of a state",
        Named::Actor => "person, `agent:NAME` or `tool:NAME`",
        Named::Speaker => "name of a person or agent",
    }
}
