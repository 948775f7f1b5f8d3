//! Writing out what a plan says.

use serde_json::{Map, Value};

use super::keywords::{Holds, holds, stands_alone};
use super::plan::SchemaPlan;

/// The place that a schema is written at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SchemaPlace {
    /// The place where it stood, so that references find it.
    Own,
    /// In place of a reference.
    Other,
}

impl SchemaPlan<'_, '_> {
    /// The whole schema, as a model is told.
    pub(super) fn whole(&self) -> Value {
        self.index
            .node(0)
            .map(|node| self.schema(node.value, SchemaPlace::Own))
            .unwrap_or_default()
    }

    /// Returns the schema that takes the place of a reference to `schema`.
    pub(super) fn copy(&self, schema: &Value) -> Value {
        self.schema(schema, SchemaPlace::Other)
    }

    fn schema(&self, schema: &Value, place: SchemaPlace) -> Value {
        let Value::Object(members) = schema else {
            return schema.clone();
        };
        let target = self.target(schema);
        let kept = members
            .iter()
            .filter(|(keyword, _)| target.is_none() || keyword.as_str() != "$ref");
        let kept = kept.filter_map(|(keyword, held)| {
            Some((keyword.clone(), self.member(keyword, held, place)?))
        });
        let kept = kept.collect();
        match target {
            Some(target) => joined(kept, target),
            None => Value::Object(kept),
        }
    }

    /// Returns the schema that takes the place of the reference in `schema`.
    fn target(&self, schema: &Value) -> Option<&Value> {
        self.inlined
            .get(&self.index.node(self.index.number(schema)?)?.reference?)
    }

    fn member(&self, keyword: &str, held: &Value, place: SchemaPlace) -> Option<Value> {
        match holds(keyword)? {
            Holds::Data | Holds::Reference => Some(held.clone()),
            Holds::Anchor => {
                (place == SchemaPlace::Own && self.is_named(held)).then(|| held.clone())
            }
            Holds::Schema => Some(self.schema(held, place)),
            Holds::Schemas => Some(self.schemas(held, place)),
            Holds::Named => Some(self.named(keyword, held, place)),
            Holds::Definitions => self.definitions(held, place),
        }
    }

    fn is_named(&self, anchor: &Value) -> bool {
        anchor
            .as_str()
            .is_some_and(|name| self.anchors.contains(name))
    }

    fn schemas(&self, held: &Value, place: SchemaPlace) -> Value {
        let Value::Array(items) = held else {
            return held.clone();
        };
        items.iter().map(|item| self.schema(item, place)).collect()
    }

    fn named(&self, keyword: &str, held: &Value, place: SchemaPlace) -> Value {
        let Value::Object(members) = held else {
            return held.clone();
        };
        let member = |(name, member): (&String, &Value)| {
            let schema = self.schema(member, place);
            (
                name.clone(),
                if keyword == "properties" {
                    untitled(schema, name)
                } else {
                    schema
                },
            )
        };
        members.iter().map(member).collect()
    }

    /// Returns the definitions that kept references lead to or into.
    fn definitions(&self, held: &Value, place: SchemaPlace) -> Option<Value> {
        let members = held.as_object().filter(|_| place == SchemaPlace::Own)?;
        let is_retained = |member: &Value| {
            self.index
                .number(member)
                .is_some_and(|number| self.retained.contains(&number))
        };
        let kept = members.iter().filter(|(_, member)| is_retained(member));
        let kept =
            kept.map(|(name, member)| (name.clone(), untitled(self.schema(member, place), name)));
        Some(kept.collect::<Map<_, _>>())
            .filter(|kept| !kept.is_empty())
            .map(Value::Object)
    }
}

/// Joins `target` with the members that stood beside the reference to it.
fn joined(mut beside: Map<String, Value>, target: &Value) -> Value {
    if let Value::Object(members) = target
        && beside
            .iter()
            .all(|(keyword, held)| goes_with(members, keyword, held))
    {
        return beside.into_iter().chain(members.clone()).collect();
    }
    if beside.is_empty() {
        return target.clone();
    }
    if let Some(Value::Array(all)) = beside.get_mut("allOf") {
        all.push(target.clone());
    } else {
        beside.insert("allOf".to_owned(), Value::Array(vec![target.clone()]));
    }
    Value::Object(beside)
}

/// Tells whether a keyword means the same among `members` as beside a reference to them.
fn goes_with(members: &Map<String, Value>, keyword: &str, held: &Value) -> bool {
    match holds(keyword) {
        Some(Holds::Data) => {
            stands_alone(keyword) && members.get(keyword).is_none_or(|other| other == held)
        }
        // What takes the place of a reference has none.
        Some(Holds::Anchor | Holds::Definitions) => true,
        Some(Holds::Reference | Holds::Schema | Holds::Schemas | Holds::Named) | None => false,
    }
}

/// `schema` without a title that says no more than `name`.
fn untitled(mut schema: Value, name: &str) -> Value {
    let letters = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let (own, name): (Option<String>, String) = (
        schema.get("title").and_then(Value::as_str).map(letters),
        letters(name),
    );
    if own.is_some_and(|own| own == name)
        && let Value::Object(members) = &mut schema
    {
        members.remove("title");
    }
    schema
}
