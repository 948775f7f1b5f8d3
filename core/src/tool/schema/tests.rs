use serde_json::json;

use super::*;

mod laws;
mod random;
mod refusals;

fn told(schema: &Value) -> Value {
    let told = for_model(schema).unwrap();
    assert!(bytes(&told) <= 2 * bytes(schema), "{told}");
    check(&told).unwrap();
    told
}

/// A chain of definitions each of which leads to the next one twice.
fn doubling_chain(links: usize) -> Value {
    let link = |n: usize| {
        let next = json!({ "$ref": format!("#/$defs/d{}", n + 1) });
        (
            format!("d{n}"),
            json!({ "type": "object", "properties": { "left": next, "right": next } }),
        )
    };
    let mut links: serde_json::Map<_, _> = (0..links).map(link).collect();
    links.insert(format!("d{}", links.len()), json!({ "type": "integer" }));
    json!({ "type": "object", "properties": { "top": { "$ref": "#/$defs/d0" } }, "$defs": links })
}

#[test]
fn noise_is_left_out_and_what_models_need_stays() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://example.com/a", "$comment": "c",
        "$vocabulary": {}, "title": "Arguments", "description": "All of it.", "type": "object", "x-order": 1,
        "additionalItems": false, "examples": [{ "path": "b" }],
        "properties": {
            "file_path": {
                "title": "File Path", "type": "string", "format": "uri", "default": "a", "examples": ["b"],
                "readOnly": true, "writeOnly": false, "deprecated": true, "$anchor": "a",
                "contentEncoding": "base64", "contentMediaType": "image/png", "contentSchema": {},
            },
            "count": { "title": "How many", "type": "integer", "minimum": 1 },
        },
        "required": ["file_path"], "additionalProperties": false, "$defs": { "unused": { "type": "null" } },
    });
    let expected = json!({
        "title": "Arguments", "description": "All of it.", "type": "object",
        "properties": {
            "file_path": {
                "type": "string", "format": "uri", "default": "a", "deprecated": true,
                "contentEncoding": "base64", "contentMediaType": "image/png",
            },
            "count": { "title": "How many", "type": "integer", "minimum": 1 },
        },
        "required": ["file_path"], "additionalProperties": false,
    });
    assert_eq!(told(&schema), expected);
}

#[test]
fn names_and_data_that_look_like_keywords_survive() {
    let names = [
        "$ref",
        "$id",
        "$schema",
        "$defs",
        "$anchor",
        "$comment",
        "title",
        "examples",
        "x-y",
        "description",
    ];
    let properties: serde_json::Map<_, _> = names
        .map(|name| (name.to_owned(), json!({ "type": "string" })))
        .into_iter()
        .collect();
    let data = json!({ "$ref": "#/nowhere", "$comment": "c", "x-y": [{ "examples": [1], "title": "const" }] });
    let schema = json!({
        "properties": properties, "patternProperties": { "examples": { "const": data } },
        "dependentSchemas": { "$comment": { "enum": [data, 1] } }, "dependentRequired": { "title": ["$ref"] },
        "default": data, "required": ["title"],
    });
    assert_eq!(told(&schema), schema);
}

#[test]
fn references_are_replaced_by_what_they_lead_to() {
    let point =
        json!({ "type": "array", "prefixItems": [{ "type": "number" }, { "type": "number" }] });
    let schema = json!({
        "properties": {
            "by_pointer": { "$ref": "#/$defs/point" }, "by_old_pointer": { "$ref": "#/definitions/a~1b%20c" },
            "by_anchor": { "$ref": "#p" }, "by_dynamic_anchor": { "$ref": "#q" },
            "by_path": { "$ref": "#/properties/plain/items" }, "plain": { "items": { "type": "null" } },
        },
        "$defs": { "point": point, "p": { "$anchor": "p", "type": "string" }, "q": { "$dynamicAnchor": "q" } },
        "definitions": { "a/b c": { "$ref": "#/$defs/p" } },
    });
    let expected = json!({
        "properties": {
            "by_pointer": point, "by_old_pointer": { "type": "string" }, "by_anchor": { "type": "string" },
            "by_dynamic_anchor": {}, "by_path": { "type": "null" }, "plain": { "items": { "type": "null" } },
        },
    });
    assert_eq!(told(&schema), expected);
}

#[test]
fn what_stands_beside_a_reference_is_kept() {
    let schema = |beside: Value| {
        let mut site = beside;
        site["$ref"] = json!("#/$defs/name");
        json!({ "properties": { "a": site }, "$defs": { "name": { "type": "string", "description": "A name." } } })
    };
    let name = json!({ "type": "string", "description": "A name." });
    for (beside, site) in [
        (
            json!({ "default": "b" }),
            json!({ "type": "string", "description": "A name.", "default": "b" }),
        ),
        (
            json!({ "type": "string", "maxLength": 9 }),
            json!({ "type": "string", "description": "A name.", "maxLength": 9 }),
        ),
        (
            json!({ "description": "Yours." }),
            json!({ "description": "Yours.", "allOf": [name] }),
        ),
        (
            json!({ "type": ["string", "null"] }),
            json!({ "type": ["string", "null"], "allOf": [name] }),
        ),
        (
            json!({ "not": { "const": "b" } }),
            json!({ "not": { "const": "b" }, "allOf": [name] }),
        ),
        (
            json!({ "allOf": [{ "minLength": 1 }] }),
            json!({ "allOf": [{ "minLength": 1 }, name] }),
        ),
    ] {
        assert_eq!(
            told(&schema(beside)),
            json!({ "properties": { "a": site } })
        );
    }
}

#[test]
fn keywords_that_would_act_upon_each_other_are_kept_apart() {
    let schema = json!({
        "type": "object", "properties": { "b": {} }, "unevaluatedProperties": false,
        "$ref": "#/$defs/a", "$defs": { "a": { "properties": { "a": {} }, "additionalProperties": { "const": 1 } } },
    });
    let expected = json!({
        "type": "object", "properties": { "b": {} }, "unevaluatedProperties": false,
        "allOf": [{ "properties": { "a": {} }, "additionalProperties": { "const": 1 } }],
    });
    assert_eq!(told(&schema), expected);
    let counted = json!({ "minContains": 0, "$ref": "#/$defs/a", "$defs": { "a": { "contains": { "const": 1 } } } });
    assert_eq!(
        told(&counted),
        json!({ "minContains": 0, "allOf": [{ "contains": { "const": 1 } }] })
    );
}

#[test]
fn arguments_that_are_a_reference_as_a_whole_become_one_object() {
    let schema = json!({
        "type": "object", "$ref": "#/$defs/Args",
        "$defs": { "Args": { "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] } },
    });
    let expected = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    assert_eq!(told(&schema), expected);
}

#[test]
fn cycles_stay_references_to_what_stays_where_it_was() {
    let tree = json!({
        "properties": { "root": { "$ref": "#/$defs/Tree" } },
        "$defs": {
            "Tree": { "title": "Tree", "properties": { "kids": { "items": { "$ref": "#/$defs/Tree" } }, "leaf": { "$ref": "#/$defs/Leaf" } } },
            "Leaf": { "type": "string" },
        },
    });
    let expected = json!({
        "properties": { "root": { "$ref": "#/$defs/Tree" } },
        "$defs": {
            "Tree": { "properties": { "kids": { "items": { "$ref": "#/$defs/Tree" } }, "leaf": { "type": "string" } } },
        },
    });
    assert_eq!(told(&tree), expected);
    let whole = json!({ "type": "object", "properties": { "next": { "$ref": "#" } } });
    assert_eq!(told(&whole), whole);
    let named = json!({ "properties": { "a": { "$anchor": "a", "items": { "$ref": "#a" } } } });
    assert_eq!(told(&named), named);
    let deep = json!({ "$ref": "#/$defs/a/items", "$defs": { "a": { "type": "array", "items": { "not": { "items": { "$ref": "#/$defs/a/items" } } } } } });
    assert_eq!(told(&deep), deep);
}

#[test]
fn two_that_lead_to_each_other_keep_one_reference() {
    let schema = json!({
        "properties": { "a": { "$ref": "#/$defs/a" } },
        "$defs": { "a": { "items": { "$ref": "#/$defs/b" } }, "b": { "items": { "$ref": "#/$defs/a" } } },
    });
    let expected = json!({
        "properties": { "a": { "$ref": "#/$defs/a" } },
        "$defs": { "a": { "items": { "items": { "$ref": "#/$defs/a" } } } },
    });
    assert_eq!(told(&schema), expected);
}

#[test]
fn doubling_chain_stays_within_twice_its_bytes() {
    for links in [1, 2, 8, 64, 500] {
        let told = told(&doubling_chain(links));
        assert!(told.get("$defs").is_some() == (links > 2), "{links}");
    }
}

#[test]
fn long_chains_and_deep_ones_end() {
    let link = |n: usize| {
        (
            format!("d{n}"),
            json!({ "items": { "$ref": format!("#/$defs/d{}", n + 1) } }),
        )
    };
    let mut links: serde_json::Map<_, _> = (0..5_000).map(link).collect();
    links.insert("d5000".to_owned(), json!({ "type": "integer" }));
    let told = told(&json!({ "$ref": "#/$defs/d0", "$defs": links }));
    assert!(levels(&told, LEVELS_MAX + INLINED_LEVELS_MAX).is_some());
}

/// A chain of `links` definitions, each leading to the next one by what `lead` makes of the reference; at its end a list of
/// values for which all of it is so again.
fn chain(links: usize, lead: impl Fn(Value) -> Value) -> Value {
    let mut definitions = serde_json::Map::new();
    for n in 0..links {
        definitions.insert(
            format!("d{n}"),
            lead(json!({ "$ref": format!("#/$defs/d{}", n + 1) })),
        );
    }
    definitions.insert(
        format!("d{links}"),
        json!({ "type": "array", "items": { "$ref": "#/$defs/d0" } }),
    );
    json!({ "$ref": "#/$defs/d0", "$defs": definitions })
}

#[test]
fn no_schema_that_is_taken_can_overflow_the_stack() {
    let leads: [fn(Value) -> Value; 7] = [
        |next| next,
        |next| json!({ "allOf": [next] }),
        |next| json!({ "anyOf": [next, { "type": "null" }] }),
        |next| json!({ "oneOf": [{ "type": "null" }, next] }),
        |next| json!({ "not": { "not": next } }),
        |next| json!({ "if": next, "then": next, "else": false }),
        |next| json!({ "dependentSchemas": { "a": next } }),
    ];
    let mut value = json!([]);
    for _ in 1..crate::spec::limits::ARGUMENTS_DEPTH_MAX {
        value = json!([value]);
    }
    // The stack that threads of an executor have.
    let run = move || {
        for lead in leads {
            for links in [1_000, 70] {
                let refused = check(&chain(links, lead)).unwrap_err();
                assert_eq!(refused.fault, SchemaFault::TooManySteps, "{links}");
            }
            let longest = (1..STEPS_MAX)
                .rev()
                .find_map(|links| compile(&chain(links, lead)).ok())
                .unwrap();
            let _fits_or_not = longest.is_valid(&value) || longest.iter_errors(&value).count() > 0;
        }
        assert_eq!(
            check(&chain(5_000, |next| next)).unwrap_err().fault,
            SchemaFault::TooManySteps
        );
        // What a validator follows and we do not.
        let dynamic = chain(1_000, |next| json!({ "$dynamicRef": next["$ref"] }));
        assert_eq!(
            compile(&dynamic).unwrap_err().fault,
            SchemaFault::TooManySteps
        );
        assert_eq!(
            compile(&json!({ "$ref": "#" })).unwrap_err().fault,
            SchemaFault::Endless
        );
    };
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn chain_that_goes_into_the_value_may_be_long() {
    check(&chain(
        500,
        |next| json!({ "properties": { "next": next } }),
    ))
    .unwrap();
}
