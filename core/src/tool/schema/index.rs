//! All schemas in a schema, and what their references lead to.

use std::collections::BTreeMap;

use serde_json::Value;

use super::keywords::{Holds, Subschema, holds, is_in_place, subschemas};
use super::order::order;
use super::reference::{Reference, read, token};
use super::{STEPS_MAX, SchemaError, SchemaFault};

/// The only dialect that a subschema may name.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schemas in a schema, by number; the whole is number 0, and each comes behind the one that it
/// stands in.
#[derive(Debug, Default)]
pub(super) struct SchemaIndex<'v> {
    nodes: Vec<SchemaNode<'v>>,
    /// Numbers by address. Nothing is read of the order of addresses.
    numbers: BTreeMap<*const Value, usize>,
    anchors: BTreeMap<&'v str, usize>,
}

/// A schema.
#[derive(Debug)]
pub(super) struct SchemaNode<'v> {
    pub(super) value: &'v Value,
    /// The schema that it stands in.
    pub(super) parent: Option<usize>,
    /// True if it stands there for references alone.
    pub(super) is_definition: bool,
    /// The schema that its `$ref` leads to.
    pub(super) reference: Option<usize>,
    /// The schemas that stand in it, without definitions.
    pub(super) inner: Vec<usize>,
    /// The schemas in it that are applied to the same value.
    in_place: Vec<usize>,
    /// The end of its JSON pointer, from its parent on.
    step: String,
}

impl<'v> SchemaIndex<'v> {
    pub(super) fn of(schema: &'v Value) -> Result<Self, SchemaError> {
        let mut index = Self::default();
        index.add(schema, None, String::new(), false);
        let mut at = 0;
        while let Some(value) = index.nodes.get(at).map(|node| node.value) {
            subschemas(value).for_each(|sub| index.add_inner(at, &sub));
            at += 1;
        }
        index.read_anchors()?;
        index.check()?;
        index.resolve()?;
        index.check_ends()?;
        Ok(index)
    }

    pub(super) fn node(&self, number: usize) -> Option<&SchemaNode<'v>> {
        self.nodes.get(number)
    }

    /// The number of a schema in the whole.
    pub(super) fn number(&self, schema: &Value) -> Option<usize> {
        self.numbers.get(&std::ptr::from_ref(schema)).copied()
    }

    /// All schemas with the texts of their references.
    pub(super) fn references(&self) -> impl Iterator<Item = (usize, &'v Value)> {
        let text = |node: &SchemaNode<'v>| node.value.get("$ref");
        self.nodes
            .iter()
            .enumerate()
            .filter_map(move |(number, node)| Some((number, text(node)?)))
    }

    /// The schemas that stand in `number` at any depth, and itself, without definitions.
    pub(super) fn within(&self, number: usize) -> Vec<usize> {
        let mut found = vec![number];
        let mut at = 0;
        while let Some(number) = found.get(at) {
            let inner = self.node(*number).map_or(&[][..], |node| &node.inner);
            found.extend(inner);
            at += 1;
        }
        found
    }

    /// The schemas that `number` stands in, from the next one outwards.
    pub(super) fn around(&self, number: usize) -> impl Iterator<Item = usize> {
        let parent = |number: &usize| self.node(*number)?.parent;
        std::iter::successors(parent(&number), parent)
    }

    fn add(
        &mut self,
        value: &'v Value,
        parent: Option<usize>,
        step: String,
        is_definition: bool,
    ) -> usize {
        let number = self.nodes.len();
        self.numbers.insert(std::ptr::from_ref(value), number);
        let inner = Vec::new();
        let in_place = Vec::new();
        self.nodes.push(SchemaNode {
            value,
            parent,
            is_definition,
            reference: None,
            inner,
            in_place,
            step,
        });
        number
    }

    fn add_inner(&mut self, parent: usize, sub: &Subschema<'v>) {
        let is_definition = holds(sub.keyword) == Some(Holds::Definitions);
        let key = sub.key.as_deref().map(token).unwrap_or_default();
        let number = self.add(
            sub.value,
            Some(parent),
            token(sub.keyword) + &key,
            is_definition,
        );
        let Some(parent) = self.nodes.get_mut(parent) else {
            return;
        };
        if !is_definition {
            parent.inner.push(number);
        }
        if is_in_place(sub.keyword) {
            parent.in_place.push(number);
        }
    }

    fn read_anchors(&mut self) -> Result<(), SchemaError> {
        for (number, node) in self.nodes.iter().enumerate() {
            let names = ["$anchor", "$dynamicAnchor"]
                .map(|keyword| node.value.get(keyword).and_then(Value::as_str));
            for name in names.into_iter().flatten() {
                if self
                    .anchors
                    .insert(name, number)
                    .is_some_and(|other| other != number)
                {
                    return Err(self.error(
                        number,
                        SchemaFault::AnchorTwice {
                            name: name.to_owned(),
                        },
                    ));
                }
            }
        }
        Ok(())
    }

    /// Refuses what would make a reference or a keyword mean something else than it says.
    fn check(&self) -> Result<(), SchemaError> {
        let has_references = self.references().next().is_some();
        let is_other = |dialect: &Value| {
            dialect.as_str().map(|text| text.trim_end_matches('#')) != Some(DIALECT)
        };
        for (number, node) in self.nodes.iter().enumerate() {
            let fault = if node.value.get("$dynamicRef").is_some() {
                SchemaFault::Dynamic
            } else if number > 0 && node.value.get("$schema").is_some_and(is_other) {
                SchemaFault::OwnDialect
            } else if number > 0 && has_references && node.value.get("$id").is_some() {
                SchemaFault::OwnId
            } else {
                continue;
            };
            return Err(self.error(number, fault));
        }
        Ok(())
    }

    fn resolve(&mut self) -> Result<(), SchemaError> {
        let targets = self
            .references()
            .map(|(number, text)| Ok((number, self.target(number, text)?)));
        for (number, target) in targets.collect::<Result<Vec<_>, _>>()? {
            if let Some(node) = self.nodes.get_mut(number) {
                node.reference = Some(target);
                node.in_place.push(target);
            }
        }
        Ok(())
    }

    fn target(&self, number: usize, text: &Value) -> Result<usize, SchemaError> {
        let written = || {
            text.as_str()
                .map_or_else(|| text.to_string(), str::to_owned)
        };
        let Some(fragment) = text.as_str().and_then(|text| text.strip_prefix('#')) else {
            return Err(self.error(
                number,
                SchemaFault::Remote {
                    reference: written(),
                },
            ));
        };
        let found = match read(fragment) {
            Some(Reference::Pointer(pointer)) => self.find(&pointer),
            Some(Reference::Anchor(name)) => self.anchors.get(name.as_str()).copied(),
            None => None,
        };
        found.ok_or_else(|| {
            self.error(
                number,
                SchemaFault::Unresolved {
                    reference: written(),
                },
            )
        })
    }

    fn find(&self, pointer: &str) -> Option<usize> {
        self.number(self.node(0)?.value.pointer(pointer)?)
    }

    /// Refuses a schema that is applied to one value without end.
    fn check_ends(&self) -> Result<(), SchemaError> {
        let next = |number| {
            self.node(number)
                .map(|node| node.in_place.clone())
                .unwrap_or_default()
        };
        match order(0..self.nodes.len(), next).looped.first() {
            Some(number) => Err(self.error(*number, SchemaFault::Endless)),
            None => Ok(()),
        }
    }

    /// Refuses a schema that leads through too many others for one value: whoever validates by it
    /// goes into each of them.
    pub(super) fn check_steps(&self) -> Result<(), SchemaError> {
        let next = |number| {
            self.node(number)
                .map(|node| node.in_place.clone())
                .unwrap_or_default()
        };
        let mut steps: BTreeMap<usize, usize> = BTreeMap::new();
        // What is led to comes first.
        for number in order(0..self.nodes.len(), next).nodes {
            let behind = next(number).iter().filter_map(|next| steps.get(next)).max();
            let own = behind.map_or(0, |behind| behind + 1);
            if own > STEPS_MAX {
                return Err(self.error(number, SchemaFault::TooManySteps));
            }
            steps.insert(number, own);
        }
        Ok(())
    }

    fn error(&self, number: usize, fault: SchemaFault) -> SchemaError {
        let mut steps: Vec<usize> = std::iter::once(number).chain(self.around(number)).collect();
        steps.reverse();
        let at = steps
            .iter()
            .filter_map(|number| self.node(*number))
            .map(|node| node.step.as_str())
            .collect();
        SchemaError { at, fault }
    }
}
