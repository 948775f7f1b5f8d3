use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

use super::random::{instance, schema, subschema};
use super::*;

/// How many instances each schema is tried with.
const INSTANCES: usize = 24;

fn within_bounds(told: &Value, schema: &Value) -> bool {
    bytes(told) <= bytes(schema).saturating_mul(2)
        && levels(told, LEVELS_MAX + INLINED_LEVELS_MAX + 2).is_some()
}

/// What models are told, with room for everything, for little and for nothing.
fn ways(schema: &Value) -> Vec<Value> {
    let Ok(index) = SchemaIndex::of(schema) else {
        return Vec::new();
    };
    [bytes(schema), bytes(schema) / 8, 0]
        .map(|room| SchemaPlan::of(&index, room).whole())
        .to_vec()
}

fn cases() -> u32 {
    let default = ProptestConfig::default().cases;
    if default == 256 { 128 } else { default }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn same_instances_are_valid(schema in schema(), instances in prop::collection::vec(instance(), INSTANCES)) {
        let of = |schema: &Value| jsonschema::draft202012::options().build(schema);
        // It finds no anchors in `dependencies`, for instance.
        let Ok(before) = of(&schema) else { return Ok(()) };
        for told in ways(&schema) {
            prop_assert!(within_bounds(&told, &schema), "{} from {}", told, schema);
            let after = of(&told).map_err(|error| TestCaseError::fail(error.to_string()))?;
            for instance in &instances {
                let (was, is) = (before.is_valid(instance), after.is_valid(instance));
                prop_assert_eq!(was, is, "{} for {} from {}", instance, told, schema);
            }
        }
    }

    #[test]
    fn any_value_ends_within_bounds(value in instance(), schema in subschema()) {
        let both = [json!({ "properties": value, "items": schema, "$defs": { "a": value, "b": schema } }), value, schema];
        for any in both {
            if let Ok(told) = for_model(&any) {
                prop_assert!(within_bounds(&told, &any), "{} from {}", told, any);
            }
        }
    }
}

#[test]
fn random_schemas_are_worth_trying() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let schemas = (0..200).map(|_| schema().new_tree(&mut runner).unwrap().current());
    let told: Vec<Value> = schemas
        .filter_map(|schema| for_model(&schema).ok())
        .collect();
    let with = |text: &str| {
        told.iter()
            .filter(|told| told.to_string().contains(text))
            .count()
    };
    assert!(told.len() > 190 && with("\"$ref\":\"#") > 40 && with("unevaluated") > 20);
}
