//! Schemas and instances at random.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Map;

use super::*;

/// Names of properties, some of which look like keywords.
const NAMES: &[&str] = &["a", "b", "ab", "$ref", "title", "examples"];

/// What references are written; not all of them lead somewhere in every schema.
const REFERENCES: &[&str] = &[
    "#",
    "#/$defs/a",
    "#/$defs/a",
    "#/$defs/b",
    "#/$defs/b",
    "#/$defs/c",
    "#/$defs/%61",
    "#/definitions/d~1e",
    "#/$defs/a/properties/a",
    "#/properties/a",
    "#/$defs/b/items",
    "#x",
];

fn name() -> impl Strategy<Value = String> {
    select(NAMES).prop_map(str::to_owned)
}

/// Values of few kinds, so that schemas often tell them apart only by a little.
pub(super) fn instance() -> impl Strategy<Value = Value> {
    let scalar = select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(2),
        json!(3),
        json!(1.5),
        json!(""),
        json!("a"),
        json!("ab"),
    ]);
    scalar.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => prop::collection::btree_map(name(), inner, 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// A member of a schema that holds no schema.
fn plain() -> BoxedStrategy<(String, Value)> {
    let with = |keyword: &str, values: Vec<Value>| {
        let keyword = keyword.to_owned();
        select(values)
            .prop_map(move |value| (keyword.clone(), value))
            .boxed()
    };
    let of = |keyword: &'static str, value: BoxedStrategy<Value>| {
        value
            .prop_map(move |value| (keyword.to_owned(), value))
            .boxed()
    };
    let kinds = [
        "object", "array", "string", "integer", "number", "null", "boolean",
    ]
    .map(Value::from)
    .to_vec();
    let counts = vec![json!(0), json!(1), json!(2)];
    let names = prop::collection::btree_set(name(), 0..3)
        .prop_map(|names| json!(names))
        .boxed();
    let bounds = [
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minContains",
        "maxContains",
    ];
    prop_oneof![
        6 => with("type", kinds),
        2 => of("type", Just(json!(["object", "array", "integer"])).boxed()),
        2 => of("const", instance().boxed()),
        2 => of("enum", prop::collection::vec(instance(), 1..4).prop_map(Value::from).boxed()),
        6 => select(bounds.to_vec()).prop_flat_map(move |keyword| with(keyword, counts.clone())),
        1 => with("multipleOf", vec![json!(2), json!(0.5)]),
        1 => with("pattern", vec![json!("^a"), json!("b$")]),
        1 => with("uniqueItems", vec![json!(true), json!(false)]),
        3 => of("required", names.clone()),
        1 => of("dependentRequired", (name(), names).prop_map(|(name, names)| json!({ name: names })).boxed()),
    ]
    .boxed()
}

/// A member that says nothing about instances.
fn noise() -> BoxedStrategy<(String, Value)> {
    let keywords = [
        "title",
        "description",
        "default",
        "examples",
        "$comment",
        "deprecated",
        "readOnly",
        "format",
        "x-a",
        "$schema",
        "$anchor",
    ];
    (select(keywords.to_vec()), instance())
        .prop_map(|(keyword, data)| {
            let value = match keyword {
                "title" | "description" | "$comment" | "format" => json!("a"),
                "deprecated" | "readOnly" => json!(true),
                "examples" => json!([data]),
                "$schema" => json!("https://json-schema.org/draft/2020-12/schema"),
                "$anchor" => json!("x"),
                _ => data,
            };
            (keyword.to_owned(), value)
        })
        .boxed()
}

fn reference() -> BoxedStrategy<(String, Value)> {
    select(REFERENCES)
        .prop_map(|text| ("$ref".to_owned(), json!(text)))
        .boxed()
}

/// A member that holds schemas.
fn holder(inner: &BoxedStrategy<Value>) -> BoxedStrategy<(String, Value)> {
    let ones = [
        "not",
        "if",
        "then",
        "else",
        "items",
        "contains",
        "propertyNames",
        "additionalProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
    ];
    let one = (select(ones.to_vec()), inner.clone());
    let lists = (
        select(vec!["allOf", "anyOf", "oneOf", "prefixItems"]),
        prop::collection::vec(inner.clone(), 1..3),
    );
    let named = (
        select(vec!["properties", "dependentSchemas", "dependencies"]),
        prop::collection::btree_map(name(), inner.clone(), 0..4),
    );
    let patterns = prop::collection::btree_map(
        select(vec!["^a", "b$", "t"]).prop_map(str::to_owned),
        inner.clone(),
        1..3,
    );
    prop_oneof![
        4 => one.prop_map(|(keyword, schema)| (keyword.to_owned(), schema)),
        3 => lists.prop_map(|(keyword, schemas)| (keyword.to_owned(), json!(schemas))),
        4 => named.prop_map(|(keyword, schemas)| (keyword.to_owned(), json!(schemas))),
        1 => patterns.prop_map(|schemas| ("patternProperties".to_owned(), json!(schemas))),
    ]
    .boxed()
}

fn members(
    of: impl Strategy<Value = (String, Value)>,
    most: usize,
) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec(of, 0..most).prop_map(|members| members.into_iter().collect())
}

pub(super) fn subschema() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Value::from),
        5 => members(prop_oneof![4 => plain(), 1 => noise()], 3).prop_map(Value::from),
        5 => members(prop_oneof![3 => reference(), 1 => plain(), 1 => noise()], 3).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let inner = inner.boxed();
        let member = prop_oneof![3 => holder(&inner), 2 => plain(), 1 => noise(), 1 => reference()];
        members(member, 5).prop_map(Value::from)
    })
    .boxed()
}

pub(super) fn schema() -> impl Strategy<Value = Value> {
    let root = members(
        prop_oneof![3 => holder(&subschema()), 1 => plain(), 1 => noise(), 1 => reference()],
        5,
    );
    let definitions = [(); 4].map(|()| subschema());
    (root, definitions).prop_map(|(mut root, [a, b, c, old])| {
        root.insert("$defs".to_owned(), json!({ "a": a, "b": b, "c": c }));
        root.insert("definitions".to_owned(), json!({ "d/e": old }));
        root.insert("$id".to_owned(), json!("https://example.com/a"));
        mended(Value::Object(root))
    })
}

/// `schema` with references that lead nowhere led elsewhere, and those that lead back without end put further in.
fn mended(mut schema: Value) -> Value {
    for _ in 0..64 {
        let Err(error) = for_model(&schema) else {
            break;
        };
        let Some(Value::Object(at)) = schema.pointer_mut(&error.at) else {
            break;
        };
        if let SchemaFault::Unresolved { .. } = error.fault {
            at.insert("$ref".to_owned(), json!("#/$defs/a"));
        } else if error.fault == SchemaFault::Endless {
            let is_in_place =
                |keyword: &String| keyword == "$ref" || keywords::is_in_place(keyword);
            let (inner, mut outer): (Map<_, _>, Map<_, _>) = std::mem::take(at)
                .into_iter()
                .partition(|(keyword, _)| is_in_place(keyword));
            outer.insert("items".to_owned(), json!(inner));
            outer.insert("properties".to_owned(), json!({ "a": inner }));
            *at = outer;
        } else {
            at.remove("$anchor");
        }
    }
    schema
}
