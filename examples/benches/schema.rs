//! What it costs to make the schema of a tool fit for models: a chain of definitions each of which leads to the next one
//! twice, which would have 2^64 leaves if all was written out, and a schema without references, for scale.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use folkmoot::core::tool::schema::for_model;
use serde_json::{Map, Value, json};

/// How many definitions the chain has.
const LINKS: usize = 64;

/// How many properties the plain schema has.
const PROPERTIES: usize = 64;

fn chain() -> Value {
    let next = |n: usize| json!({ "$ref": format!("#/$defs/d{}", n + 1) });
    let link =
        |n: usize| json!({ "type": "object", "properties": { "left": next(n), "right": next(n) } });
    let mut links: Map<String, Value> = (0..LINKS).map(|n| (format!("d{n}"), link(n))).collect();
    links.insert(format!("d{LINKS}"), json!({ "type": "integer" }));
    json!({ "type": "object", "properties": { "top": { "$ref": "#/$defs/d0" } }, "$defs": links })
}

fn plain() -> Value {
    let property = |n: usize| json!({ "type": "string", "title": format!("P{n}"), "description": "One of many." });
    let properties: Map<String, Value> = (0..PROPERTIES)
        .map(|n| (format!("p{n}"), property(n)))
        .collect();
    json!({ "type": "object", "properties": properties })
}

fn strip(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a schema for models");
    for (name, schema) in [("doubling chain", chain()), ("no references", plain())] {
        let bytes = schema.to_string().len();
        let told = for_model(&schema).map(|told| told.to_string().len());
        assert!(
            told.as_ref().is_ok_and(|told| *told <= 2 * bytes),
            "{bytes} bytes became {told:?}"
        );
        group.throughput(Throughput::Bytes(u64::try_from(bytes).unwrap_or(u64::MAX)));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| for_model(&schema).is_ok())
        });
    }
    group.finish();
}

criterion_group!(benches, strip);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
}
