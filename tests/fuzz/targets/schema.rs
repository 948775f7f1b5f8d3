//! Schemas of tools, and what models are told of them.

use folkmoot::core::tool::schema::{check, for_model};
use serde_json::{Deserializer, Value};

use crate::corpus;

/// An instance fits what a model is told if and only if it fits the tool's own schema. The input is a schema and then
/// instances; what stands in the schema is tried as an instance, too.
pub(crate) fn law(input: &[u8]) {
    let mut values = Deserializer::from_slice(input)
        .into_iter::<Value>()
        .map_while(Result::ok);
    let Some(schema) = values.next() else { return };
    let Ok(told) = for_model(&schema) else { return };
    assert!(
        told.to_string().len() <= 2 * schema.to_string().len(),
        "{told}"
    );
    if check(&schema).is_err() {
        return;
    }
    check(&told).unwrap();
    let compiled = |schema| jsonschema::draft202012::options().build(schema).unwrap();
    let (own, other) = (compiled(&schema), compiled(&told));
    let mut instances: Vec<Value> = values.take(16).collect();
    pieces(&schema, &mut instances);
    for instance in &instances {
        assert_eq!(
            own.is_valid(instance),
            other.is_valid(instance),
            "{instance} by {schema}, told as {told}"
        );
    }
}

/// The value and what stands in it, at most so many of both.
fn pieces(value: &Value, found: &mut Vec<Value>) {
    if found.len() >= 64 {
        return;
    }
    found.push(value.clone());
    match value {
        Value::Array(items) => items.iter().for_each(|item| pieces(item, found)),
        Value::Object(members) => members.values().for_each(|member| pieces(member, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    corpus::texts(&[
        r##"{"$defs":{"n":{"type":"integer","minimum":1,"$anchor":"n"},"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}},"n":{"$ref":"#n"}}}},"type":"object","properties":{"root":{"$ref":"#/$defs/t"},"n":{"$ref":"#/$defs/n","maximum":9}},"required":["n"]} {"n":3} {"n":12} {"n":1,"root":{"kids":[{"n":0}]}}"##,
        r##"{"title":"A","$comment":"c","type":"object","properties":{"title":{"type":"string","title":"Title"},"a~b/c":{"const":{"$ref":"#"}}},"additionalProperties":false} {"title":"x"} {"a~b/c":{"$ref":"#"}} {"x-y":1}"##,
        r##"{"allOf":[{"$ref":"#/definitions/a%20b"},{"not":{"required":["z"]}}],"definitions":{"a b":{"anyOf":[{"type":"null"},{"enum":[1,"1",[1]]}],"unevaluatedProperties":false}}} null 1 "1" [1] 2"##,
        r##"{"type":"object","properties":{"path":{"type":"string","pattern":"^[a-z/]+$","maxLength":20},"if":{"if":{"type":"string"},"then":{"minLength":2},"else":{"multipleOf":0.5}}},"dependentRequired":{"path":["if"]},"patternProperties":{"^x-":false}} {"path":"a/b","if":1.5} {"path":"A"} {"x-1":0}"##,
        r##"{"prefixItems":[{"type":"integer"},{"$ref":"#/prefixItems/0"}],"items":{"$ref":"#/$defs/e"},"$defs":{"e":{"contains":{"const":1},"minContains":2,"uniqueItems":true}},"minItems":1} [1,2,[1,1]] [1,2,[1]] []"##,
    ])
}
