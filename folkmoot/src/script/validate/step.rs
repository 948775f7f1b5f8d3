//! Steps: one verb each, and what may stand beside it.

use super::Validator;
use crate::script::fault::Mark;
use crate::script::grammar::{Field, VERBS, VerbShape};
use crate::script::nearest::help;
use crate::script::node::{Key, Node};

impl Validator<'_> {
    /// Checks a step.
    pub(crate) fn step(&self, node: &Node) {
        if let Some(word) = node.text().filter(|word| verb(word).is_some()) {
            let help =
                format!("write `{word}: …`, or `{word}: {{}}` if there is nothing more to say");
            return self
                .faults
                .add_with_help(node.mark, "a step is a map", help);
        }
        if !self.is_map(node, node.mark) {
            return;
        }
        let mut verbs = node
            .entries()
            .filter_map(|(key, value)| Some((verb(key.text())?, key, value)));
        match (verbs.next(), verbs.next()) {
            (None, _) => self.no_verb(node),
            (Some((verb, key, value)), None) => {
                self.check(value, &verb.field.shape, key.mark);
                self.modifiers(node, verb);
            }
            (Some((_, one, _)), Some((_, other, _))) => {
                let message = format!(
                    "a step does one thing, and this one has `{}` and `{}`",
                    one.text(),
                    other.text()
                );
                self.faults
                    .add_with_help(other.mark, message, "begin a new step with `- `");
            }
        }
    }

    fn no_verb(&self, node: &Node) {
        let built = || VERBS.iter().map(|verb| verb.field.name);
        let is_modifier = |key: &&Key| {
            VERBS
                .iter()
                .any(|verb| modifier(verb, key.text()).is_some())
        };
        match node
            .entries()
            .map(|(key, _)| key)
            .find(|key| !is_modifier(key))
        {
            Some(key) => {
                let help = help(key.text(), "steps", built()).unwrap_or_default();
                self.faults.add_with_help(
                    key.mark,
                    format!("`{}` is not a step", key.text()),
                    help,
                );
            }
            None => {
                let help = format!("one of: {}", built().collect::<Vec<_>>().join(", "));
                self.faults
                    .add_with_help(node.mark, "this step does nothing", help);
            }
        }
    }

    fn modifiers(&self, node: &Node, verb: &'static VerbShape) {
        for (key, value) in node
            .entries()
            .filter(|(key, _)| key.text() != verb.field.name)
        {
            match modifier(verb, key.text()) {
                Some(field) => self.field(field, value, key.mark),
                None => self.no_modifier(key.text(), key.mark, verb),
            }
        }
    }

    fn no_modifier(&self, key: &str, mark: Mark, verb: &'static VerbShape) {
        if VERBS.iter().any(|verb| modifier(verb, key).is_some()) {
            self.faults.add_with_help(
                mark,
                format!("`{key}` does not go with `{}`", verb.field.name),
                format!("leave `{key}` out"),
            );
        } else {
            let what = format!("a `{}` step", verb.field.name);
            self.unknown_key(
                key,
                mark,
                &what,
                std::iter::once(&verb.field).chain(verb.modifiers()),
            );
        }
    }
}

fn verb(key: &str) -> Option<&'static VerbShape> {
    VERBS.iter().find(|verb| verb.field.name == key)
}

fn modifier(verb: &'static VerbShape, key: &str) -> Option<&'static Field> {
    verb.modifiers().find(|field| field.name == key)
}
