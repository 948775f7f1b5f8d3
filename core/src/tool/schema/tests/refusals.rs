use super::*;

fn refused(schema: &Value) -> (String, SchemaFault) {
    let error = for_model(schema).unwrap_err();
    assert_eq!(check(schema), Err(error.clone()));
    (error.at, error.fault)
}

fn unresolved(reference: &str) -> SchemaFault {
    SchemaFault::Unresolved {
        reference: reference.to_owned(),
    }
}

#[test]
fn reference_that_leads_to_no_schema_is_refused_with_its_place() {
    for reference in [
        "#/$defs/b",
        "#b",
        "#/properties",
        "#/required/0",
        "#/const",
        "#/x-y",
        "#/$defs/a%2",
        "#/%ff",
    ] {
        let schema = json!({
            "properties": { "a/b": { "allOf": [true, { "$ref": reference }] } },
            "$defs": { "a": {} }, "required": ["a"], "const": { "type": "null" }, "x-y": { "type": "null" },
        });
        assert_eq!(
            refused(&schema),
            ("/properties/a~1b/allOf/1".to_owned(), unresolved(reference))
        );
    }
    let unused = json!({ "$defs": { "a": { "$ref": "#/$defs/b" } } });
    assert_eq!(
        refused(&unused),
        ("/$defs/a".to_owned(), unresolved("#/$defs/b"))
    );
}

#[test]
fn reference_out_of_the_schema_is_refused() {
    for reference in [
        "https://example.com/a",
        "other.json#/$defs/a",
        "https://example.com/own#/$defs/a",
        "",
        "$defs/a",
    ] {
        let schema = json!({ "$id": "https://example.com/own", "items": { "$ref": reference }, "$defs": { "a": {} } });
        assert_eq!(
            refused(&schema),
            (
                "/items".to_owned(),
                SchemaFault::Remote {
                    reference: reference.to_owned()
                }
            )
        );
    }
}

#[test]
fn what_changes_the_meaning_of_references_or_keywords_is_refused() {
    let at = |at: &str, fault| (at.to_owned(), fault);
    let other = json!({ "items": { "$schema": "http://json-schema.org/draft-07/schema#" } });
    assert_eq!(refused(&other), at("/items", SchemaFault::OwnDialect));
    let base = json!({ "items": { "$id": "https://example.com/a", "$ref": "#" } });
    assert_eq!(refused(&base), at("/items", SchemaFault::OwnId));
    let dynamic = json!({ "$dynamicAnchor": "a", "items": { "$dynamicRef": "#a" } });
    assert_eq!(refused(&dynamic), at("/items", SchemaFault::Dynamic));
    let twice = json!({ "items": { "$anchor": "a" }, "not": { "$dynamicAnchor": "a" } });
    assert_eq!(
        refused(&twice),
        at(
            "/not",
            SchemaFault::AnchorTwice {
                name: "a".to_owned()
            }
        )
    );
    let same = json!({ "items": { "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://a.b/c" } });
    assert_eq!(told(&same), json!({ "items": {} }));
}

#[test]
fn schema_that_never_goes_into_the_value_is_refused() {
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "not": { "$ref": "#" } }),
        json!({ "dependentSchemas": { "a": { "anyOf": [{ "$ref": "#" }] } } }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "allOf": [{ "$ref": "#/$defs/a" }] } } }),
        json!({ "$defs": { "a": { "then": { "$ref": "#/$defs/a" } } } }),
    ] {
        assert_eq!(refused(&schema).1, SchemaFault::Endless, "{schema}");
    }
}

#[test]
fn bounds_are_kept() {
    let deep = |levels| (0..levels).fold(json!(1), |inner, _| Value::Array(vec![inner]));
    assert_eq!(
        told(&json!({ "const": deep(63) })),
        json!({ "const": deep(63) })
    );
    assert_eq!(
        refused(&json!({ "const": deep(64) })),
        (String::new(), SchemaFault::TooDeep)
    );
    assert_eq!(refused(&deep(2_000)), (String::new(), SchemaFault::TooDeep));
    let long = json!({ "const": "x".repeat(BYTES_MAX) });
    assert_eq!(
        refused(&long),
        (
            String::new(),
            SchemaFault::TooLong {
                bytes: BYTES_MAX + 12
            }
        )
    );
}

#[test]
fn what_is_no_schema_is_refused_with_its_place() {
    let error = check(&json!({ "properties": { "a": { "type": "strng" } } })).unwrap_err();
    assert_eq!(error.at, "/properties/a/type");
    assert!(matches!(error.fault, SchemaFault::Invalid { .. }));
}

#[test]
fn fault_says_what_is_wrong_and_where() {
    let error = for_model(&json!({ "items": { "$ref": "#/$defs/a" } })).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the reference \"#/$defs/a\" leads to no schema, at `/items`"
    );
}
