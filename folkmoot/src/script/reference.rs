//! The reference of world scripts for people, made from the tables that scripts are checked with.

use std::collections::VecDeque;
use std::fmt::Write as _;

use super::grammar::{Field, Named, Presence, Record, SCRIPT, Shape, VERBS, Variants};

/// The text above the sections.
const HEAD: &str = "# Reference of world scripts\n\n\
    Each section lists the keys of one part: the value that a key takes, its default, and its meaning. \
    `folkmoot schema --markdown` makes this page from the tables that scripts are checked with.\n";

/// The longest list of words that is written out more than once.
const WORDS_MAX: usize = 12;

/// The shortest rows, in characters, that are not written again where another section has them.
const ROWS_MIN: usize = 150;

/// The reference, as Markdown.
#[must_use]
pub fn reference() -> String {
    let mut reference = Reference::default();
    reference.text.push_str(HEAD);
    reference.link(Part::Record(&SCRIPT));
    while let Some((part, title)) = reference.queue.pop_front() {
        reference.line(&format!("\n## {title}\n"));
        reference.title = title;
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
    fn name(self) -> &'static str {
        match self {
            Self::Record(record) => without_article(record.what),
            Self::Variants(variants) => without_article(variants.what),
            Self::Steps => "step",
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
    /// The title of the section that is being written.
    title: String,
    /// The parts that have a section, or will have one, under their titles.
    known: Vec<(Part, String)>,
    /// The parts whose section is still to be written.
    queue: VecDeque<(Part, String)>,
    /// The keys that are written, with the title of their section.
    rows: Vec<(&'static Field, String)>,
    /// The long lists of words that are written, with the title of their section.
    words: Vec<(&'static [&'static str], String)>,
}

impl Reference {
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
        format!("[{title}]({})", anchor(&title))
    }

    /// A row for each key. Neighbours that another section has together are named in one row.
    fn fields(&mut self, fields: impl Iterator<Item = &'static Field>) {
        let mut neighbours: Vec<(&'static Field, String)> = Vec::new();
        let mut home: Option<String> = None;
        for field in fields {
            let known = self.rows.iter().find(|(known, _)| is_same(known, field));
            let known = known.map(|(_, title)| title.clone());
            if known != home {
                self.rows_of(&std::mem::take(&mut neighbours), home.take());
                home = known;
            }
            let row = self.row(field);
            neighbours.push((field, row));
        }
        self.rows_of(&neighbours, home);
    }

    fn rows_of(&mut self, rows: &[(&'static Field, String)], home: Option<String>) {
        let length: usize = rows.iter().map(|(_, row)| row.chars().count()).sum();
        match home {
            Some(home) if length >= ROWS_MIN => {
                let keys: Vec<_> = rows.iter().map(|(field, _)| quoted(field.name)).collect();
                self.line(&format!(
                    "* {}: as in [{home}]({})",
                    keys.join(", "),
                    anchor(&home)
                ));
            }
            Some(_) | None => {
                for (field, row) in rows {
                    self.line(row);
                    self.rows.push((field, self.title.clone()));
                }
            }
        }
    }

    fn row(&mut self, field: &'static Field) -> String {
        let value = self.value(&field.shape);
        let default = match (field.presence, field.default) {
            (Presence::Required, _) => ", required".to_owned(),
            (Presence::Optional, Some(default)) => format!(", default `{default}`"),
            (Presence::Optional, None) => String::new(),
        };
        format!("* `{}` ({value}{default}): {}", field.name, field.doc)
    }

    /// The keys of a part that depend on a word.
    fn variants(&mut self, variants: &'static Variants) {
        self.line(&format!("`{}` says which keys there are.", variants.tag));
        let fields = variants
            .records
            .iter()
            .flat_map(|(word, record)| record.fields().map(move |field| (*word, field)));
        let words: Vec<_> = variants.words().collect();
        self.groups(&fields.collect::<Vec<_>>(), &words);
    }

    fn steps(&mut self) {
        self.line("A step has one of these keys:\n");
        self.fields(VERBS.iter().map(|verb| &verb.field));
        let fields = VERBS.iter().flat_map(|verb| {
            let modifiers = verb.modifiers();
            modifiers.map(move |field| (verb.field.name, field))
        });
        let words: Vec<_> = VERBS.iter().map(|verb| verb.field.name).collect();
        self.line("\nBeside it may stand:");
        self.groups(&fields.collect::<Vec<_>>(), &words);
    }

    /// Each key once, beneath the words of `all` that have it.
    fn groups(&mut self, fields: &[(&'static str, &'static Field)], all: &[&'static str]) {
        let mut groups: Vec<(Vec<&'static str>, Vec<&'static Field>)> = Vec::new();
        for (place, (_, field)) in fields.iter().enumerate() {
            let is_it = |(_, other): &&(&str, &'static Field)| is_same(field, other);
            if fields.iter().take(place).any(|before| is_it(&before)) {
                continue;
            }
            let words: Vec<_> = fields.iter().filter(is_it).map(|(word, _)| *word).collect();
            match groups.iter_mut().find(|(known, _)| *known == words) {
                Some((_, group)) => group.push(field),
                None => groups.push((words, vec![field])),
            }
        }
        // Keys for all words stand first.
        groups.sort_by_key(|(words, _)| words.len() < all.len());
        for (words, group) in groups {
            self.line(&format!("\nFor {}:\n", of(&words, all)));
            self.fields(group.into_iter());
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
            Shape::Count(least, most) => format!("{least}–{most}"),
            Shape::Decimal(least, most) => {
                let [least, most] = [least, most].map(|bound| f64::from(*bound) / 1e3);
                format!("decimal {least}–{most}")
            }
            Shape::Number => "number".to_owned(),
            Shape::Amount(_) => "money".to_owned(),
            Shape::Pointer => "JSON pointer".to_owned(),
            Shape::Filled => "text that is not empty".to_owned(),
            Shape::PlainPath => "path in the tool's folder".to_owned(),
            Shape::Scope => "`once` | `turn` | `world` | `uses:N`".to_owned(),
            Shape::Duration(..) => "duration".to_owned(),
            Shape::Size(..) => "size".to_owned(),
            Shape::Word(words, _) => self.word(words),
            Shape::Name(named) | Shape::Ref(named) => name(*named).to_owned(),
            Shape::Json => "any value".to_owned(),
            Shape::JsonMap => "map".to_owned(),
            Shape::Record(record) if record.fields().next().is_none() => "`{}`".to_owned(),
            Shape::Record(record) => self.link(Part::Record(record)),
            Shape::Variant(variants) => self.link(Part::Variants(variants)),
            Shape::List(item, _) => format!("list of {}", self.item(item)),
            Shape::Entries(_, value) => format!("map of {}", self.item(value)),
            Shape::Either(shapes) => {
                let shapes: Vec<_> = shapes.iter().map(|shape| self.value(shape)).collect();
                either(&shapes)
            }
            Shape::Step => self.link(Part::Steps),
        }
    }

    /// One of `words`. A long list is written once.
    fn word(&mut self, words: &'static [&'static str]) -> String {
        if words.len() > WORDS_MAX {
            if let Some((_, home)) = self.words.iter().find(|(known, _)| *known == words) {
                return format!("word as in [{home}]({})", anchor(home));
            }
            self.words.push((words, self.title.clone()));
        }
        let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
        either(&words)
    }

    /// The value of each item of a list or a map.
    fn item(&mut self, shape: &'static Shape) -> String {
        match self.value(shape) {
            one if matches!(shape, Shape::List(..) | Shape::Entries(..)) => one,
            several if several.contains(" | ") => format!("({several})"),
            one => one,
        }
    }
}

/// The words that have a group of keys, or those that lack it if they are fewer.
fn of(words: &[&'static str], all: &[&'static str]) -> String {
    let others: Vec<_> = all.iter().filter(|word| !words.contains(word)).collect();
    let listed = |words: &mut dyn Iterator<Item = &&'static str>| {
        let words: Vec<_> = words.map(|word| quoted(word)).collect();
        words.join(", ")
    };
    if others.is_empty() {
        "all".to_owned()
    } else if others.len() < words.len() {
        format!("all but {}", listed(&mut others.into_iter()))
    } else {
        listed(&mut words.iter())
    }
}

/// Tells whether both say the same of a key: tables share fields by copies.
fn is_same(one: &Field, other: &Field) -> bool {
    one.name == other.name
        && one.doc == other.doc
        && one.default == other.default
        && one.presence == other.presence
        && format!("{:?}", one.shape) == format!("{:?}", other.shape)
}

fn without_article(name: &'static str) -> &'static str {
    let articles = ["a ", "an ", "the "];
    let rest = articles
        .iter()
        .find_map(|article| name.strip_prefix(article));
    rest.unwrap_or(name)
}

fn anchor(title: &str) -> String {
    format!("#{}", title.replace(' ', "-").replace(['.', '\''], ""))
}

fn quoted(word: &str) -> String {
    format!("`{word}`")
}

fn either(words: &[String]) -> String {
    words.join(" | ")
}

const fn name(named: Named) -> &'static str {
    match named {
        Named::World => "world name",
        Named::Agent => "agent name",
        Named::Tool => "tool name",
        Named::Model => "model name",
        Named::Step => "step name",
        Named::State => "state name",
        Named::Actor => "person | `agent:NAME` | `tool:NAME`",
        Named::Speaker => "person or agent name",
    }
}
