//! Checks a tree against the grammar, and notes everything that does not fit.

use super::fault::{Faults, Mark};
use super::grammar::{Field, Presence, Record, Shape, Variants};
use super::names::Names;
use super::nearest::help;
use super::node::{Kind, Node};
use super::scalar;

mod step;
mod value;

/// Checks against the names that are known at this point of the script.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Validator<'a> {
    /// The names that may be used.
    pub(crate) names: &'a Names,
    /// Where faults are noted.
    pub(crate) faults: &'a Faults,
}

impl Validator<'_> {
    /// Checks a file, its steps left out.
    pub(crate) fn file(&self, tree: &Node, record: &Record) {
        self.record(tree, record, tree.mark);
    }

    /// Checks `node`; `owner` is the key that it stands under.
    pub(crate) fn check(&self, node: &Node, shape: &Shape, owner: Mark) {
        match shape {
            // Steps come one by one, as the names that they may use change with them.
            Shape::Json | Shape::Step => {}
            Shape::JsonMap => {
                self.is_map(node, owner);
            }
            Shape::Record(record) => self.record(node, record, owner),
            Shape::Variant(variants) => self.variant(node, variants, owner),
            Shape::List(item, least) => self.list(node, item, *least, owner),
            Shape::Entries(key, value) => self.entries(node, key, value, owner),
            Shape::Either(shapes) => self.either(node, shapes, owner),
            Shape::Text => {
                self.text(node, owner);
            }
            Shape::Pattern => self.pattern(node, owner),
            Shape::Null => self.word_of_yaml(node, shape, &["null", "~"], owner),
            Shape::Flag => self.word_of_yaml(node, shape, &["true", "false"], owner),
            Shape::True => self.word_of_yaml(node, shape, &["true"], owner),
            Shape::Count(least, most) => self.count(node, *least, *most, owner),
            Shape::Decimal(least, most) => self.decimal(node, *least, *most, owner),
            Shape::Number => self.number(node, owner),
            Shape::Amount(digits) => self.amount(node, *digits, owner),
            Shape::Pointer => self.pointer(node, owner),
            Shape::Filled => self.filled(node, owner),
            Shape::PlainPath => self.plain_path(node, owner),
            Shape::Scope => self.scope(node, owner),
            Shape::Duration(least, most) => self.duration(node, *least, *most, owner),
            Shape::Size(least, most) => self.size(node, *least, *most, owner),
            Shape::Word(words, later) => self.word(node, words, later, owner),
            Shape::Name(named) => self.name(node, *named, owner),
            Shape::Ref(named) => self.mention(node, *named, owner),
        }
    }

    fn record(&self, node: &Node, record: &Record, owner: Mark) {
        if !self.is_map(node, owner) {
            return;
        }
        let mut is_known = true;
        for (key, value) in node.entries() {
            match record.fields().find(|field| field.name == key.text()) {
                Some(field) => self.field(field, value, key.mark),
                None => {
                    is_known = false;
                    self.unknown_key(key.text(), key.mark, record.what, record.fields());
                }
            }
        }
        if is_known {
            self.presence(node, record, owner);
        }
        self.company(node, record);
    }

    fn field(&self, field: &Field, value: &Node, mark: Mark) {
        self.check(value, &field.shape, mark);
    }

    fn unknown_key(
        &self,
        key: &str,
        mark: Mark,
        what: &str,
        fields: impl Iterator<Item = &'static Field>,
    ) {
        let help = help(key, "keys", fields.map(|field| field.name))
            .unwrap_or_else(|| "write `{}`".to_owned());
        self.faults
            .add_with_help(mark, format!("`{key}` is not a key of {what}"), help);
    }

    /// Checks that what must be there is there. Not asked where a mistyped key may be what is
    /// missing.
    fn presence(&self, node: &Node, record: &Record, owner: Mark) {
        for field in record
            .fields()
            .filter(|field| field.presence == Presence::Required)
        {
            if node.get(field.name).is_none() {
                self.faults.add_with_help(
                    owner,
                    format!("{} needs `{}`", record.what, field.name),
                    field.doc,
                );
            }
        }
        let wanted = record.wanted();
        let lacks_all = wanted.iter().all(|key| node.get(key).is_none());
        if lacks_all && !wanted.is_empty() {
            self.faults.add(
                owner,
                format!("{} needs one of these: {}", record.what, wanted.join(", ")),
            );
        }
    }

    /// Checks which keys stand beside one another.
    fn company(&self, node: &Node, record: &Record) {
        for (key, other) in record.needs {
            if let (Some(key), None) = (node.key(key), node.get(other)) {
                self.faults.add(
                    key.mark,
                    format!("`{}` needs `{other}` beside it", key.text()),
                );
            }
        }
        for group in record.clash {
            let mut found: Vec<_> = group.iter().filter_map(|key| node.key(key)).collect();
            found.sort_by_key(|key| key.mark);
            if let [one, other, ..] = found.as_slice() {
                self.faults.add_with_help(
                    other.mark,
                    format!("`{}` cannot stand beside `{}`", other.text(), one.text()),
                    "keep one of the two",
                );
            }
        }
    }

    fn variant(&self, node: &Node, variants: &Variants, owner: Mark) {
        if !self.is_map(node, owner) {
            return;
        }
        let what = variants.what;
        let tag = variants.tag;
        let Some(word) = node.get(tag) else {
            let help = format!(
                "there is: {}",
                variants.words().collect::<Vec<_>>().join(", ")
            );
            return self
                .faults
                .add_with_help(owner, format!("{what} needs `{tag}`"), help);
        };
        if let Some(record) = word.text().and_then(|word| variants.record(word)) {
            self.record(node, record, owner);
        } else if let Some(unknown) = self.text(word, owner) {
            let help = help(unknown, "there is", variants.words()).unwrap_or_default();
            self.faults.add_with_help(
                word.mark,
                format!("`{unknown}` is not known as `{tag}` of {what}"),
                help,
            );
        }
    }

    fn list(&self, node: &Node, item: &Shape, least: usize, owner: Mark) {
        let Kind::List(items) = &node.kind else {
            return self.mismatch(node, "a list", owner);
        };
        if items.len() < least {
            let help = "write at least one entry, or leave the key out";
            self.faults
                .add_with_help(node.mark, "this list must not be empty", help);
        }
        items
            .iter()
            .for_each(|node| self.check(node, item, node.mark));
    }

    fn entries(&self, node: &Node, key_shape: &Shape, value_shape: &Shape, owner: Mark) {
        if !self.is_map(node, owner) {
            return;
        }
        for (key, value) in node.entries() {
            let name = Node {
                mark: key.mark,
                kind: Kind::Scalar(key.scalar.clone()),
            };
            self.check(&name, key_shape, key.mark);
            self.check(value, value_shape, key.mark);
        }
    }

    /// Picks the shape that is of the kind that stands there.
    fn either(&self, node: &Node, shapes: &[Shape], owner: Mark) {
        match shapes.iter().find(|shape| shape.is_kind_of(node)) {
            Some(shape) => self.check(node, shape, owner),
            None => {
                let wanted: Vec<_> = shapes.iter().map(Shape::wanted).collect();
                self.mismatch(node, &wanted.join(" or "), owner);
            }
        }
    }

    fn is_map(&self, node: &Node, owner: Mark) -> bool {
        let is_map = matches!(node.kind, Kind::Map(_));
        if !is_map {
            self.mismatch(node, "a map", owner);
        }
        is_map
    }

    fn mismatch(&self, node: &Node, wanted: &str, owner: Mark) {
        let (found, mark) = match &node.kind {
            Kind::Scalar(scalar) if scalar.is_plain && scalar.text.is_empty() => ("nothing", owner),
            Kind::Scalar(_) => ("a single value", node.mark),
            Kind::List(_) => ("a list", node.mark),
            Kind::Map(_) => ("a map", node.mark),
        };
        self.faults.add(
            mark,
            format!("{wanted} is needed here, and this is {found}"),
        );
    }
}

impl Shape {
    /// Tells whether `node` is of the kind that this shape wants: one value, a list or a map.
    fn is_kind_of(&self, node: &Node) -> bool {
        let json = || node.scalar().map(scalar::json);
        match self {
            Self::JsonMap | Self::Record(_) | Self::Variant(_) | Self::Entries(..) | Self::Step => {
                matches!(node.kind, Kind::Map(_))
            }
            Self::List(..) => matches!(node.kind, Kind::List(_)),
            Self::Null => json().is_some_and(|json| json.is_null()),
            Self::True => json().is_some_and(|json| json.is_boolean()),
            Self::Count(..) | Self::Number => json().is_some_and(|json| json.is_number()),
            Self::Text
            | Self::Pattern
            | Self::Flag
            | Self::Decimal(..)
            | Self::Amount(_)
            | Self::Pointer
            | Self::Filled
            | Self::PlainPath
            | Self::Scope
            | Self::Duration(..)
            | Self::Size(..)
            | Self::Word(..)
            | Self::Name(_)
            | Self::Ref(_) => node.scalar().is_some(),
            Self::Json => true,
            Self::Either(shapes) => shapes.iter().any(|shape| shape.is_kind_of(node)),
        }
    }

    /// Returns what is wanted where this shape is.
    pub(crate) const fn wanted(&self) -> &'static str {
        match self {
            Self::Text | Self::Word(..) => "text",
            Self::Pattern => "a regular expression",
            Self::Null => "`null`",
            Self::Flag => "`true` or `false`",
            Self::True => "`true`",
            Self::Count(..) => "a whole number",
            Self::Decimal(..) | Self::Number => "a number",
            Self::Amount(_) => "an amount",
            Self::Pointer => "a JSON pointer",
            Self::Filled => "a text",
            Self::PlainPath => "a path",
            Self::Scope => "a scope",
            Self::Duration(..) => "a duration",
            Self::Size(..) => "a size",
            Self::Name(_) | Self::Ref(_) => "a name",
            Self::Json => "a value",
            Self::JsonMap | Self::Record(_) | Self::Variant(_) | Self::Entries(..) | Self::Step => {
                "a map"
            }
            Self::List(..) => "a list",
            Self::Either(_) => "one of several things",
        }
    }
}
