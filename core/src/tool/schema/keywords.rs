//! The values that each keyword holds.

use serde_json::Value;

/// The value behind a keyword that is not left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// A value that is taken as it is.
    Data,
    /// The text of a reference.
    Reference,
    /// A name that references may call the schema by.
    Anchor,
    /// A schema.
    Schema,
    /// A list of schemas.
    Schemas,
    /// Schemas by name or pattern.
    Named,
    /// Schemas by name, for references alone.
    Definitions,
}

/// Returns the kind of value that `keyword` holds; `None` if neither validation nor a model reads
/// it.
pub(super) fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "type" | "enum" | "const" | "format" | "pattern" | "minLength" | "maxLength"
        | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf"
        | "required" | "dependentRequired" | "minProperties" | "maxProperties" | "minItems"
        | "maxItems" | "uniqueItems" | "minContains" | "maxContains" | "title" | "description"
        | "default" | "deprecated" | "contentEncoding" | "contentMediaType" => Holds::Data,
        "$ref" => Holds::Reference,
        "$anchor" | "$dynamicAnchor" => Holds::Anchor,
        "not"
        | "if"
        | "then"
        | "else"
        | "items"
        | "contains"
        | "propertyNames"
        | "additionalProperties"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::Schemas,
        "properties" | "patternProperties" | "dependentSchemas" | "dependencies" => Holds::Named,
        "$defs" | "definitions" => Holds::Definitions,
        _ => return None,
    })
}

/// Tells whether the schemas behind `keyword` are applied to the same value as the one that they
/// stand in.
pub(super) fn is_in_place(keyword: &str) -> bool {
    matches!(
        keyword,
        "not"
            | "if"
            | "then"
            | "else"
            | "allOf"
            | "anyOf"
            | "oneOf"
            | "dependentSchemas"
            | "dependencies"
    )
}

/// Tells whether data behind `keyword` means the same whatever stands beside it.
pub(super) fn stands_alone(keyword: &str) -> bool {
    !matches!(keyword, "minContains" | "maxContains")
}

/// A schema in a schema.
pub(super) struct Subschema<'v> {
    pub(super) keyword: &'v str,
    /// The name or place of it, if the keyword holds more than one.
    pub(super) key: Option<String>,
    pub(super) value: &'v Value,
}

/// The schemas that stand directly in `schema`, definitions among them.
pub(super) fn subschemas(schema: &Value) -> impl Iterator<Item = Subschema<'_>> {
    let members = schema.as_object().into_iter().flatten();
    members.flat_map(|(keyword, held)| held_by(keyword, held))
}

fn held_by<'v>(keyword: &'v str, held: &'v Value) -> Vec<Subschema<'v>> {
    let one = |key, value| Subschema {
        keyword,
        key,
        value,
    };
    match holds(keyword) {
        Some(Holds::Schema) => vec![one(None, held)],
        Some(Holds::Schemas) => {
            let items = held.as_array().into_iter().flatten().enumerate();
            items
                .map(|(place, item)| one(Some(place.to_string()), item))
                .collect()
        }
        Some(Holds::Named | Holds::Definitions) => {
            let members = held.as_object().into_iter().flatten();
            members
                .map(|(name, member)| one(Some(name.clone()), member))
                .collect()
        }
        Some(Holds::Data | Holds::Reference | Holds::Anchor) | None => Vec::new(),
    }
}
