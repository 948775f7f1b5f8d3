//! How fast clean text that is full of code passes the firewall. Artifacts are rare; brackets, quotes and tags are not.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group};
use folkmoot::core::text::firewall::{Firewall, Known, SpokenSpan};
use serde_json::json;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The bytes that are scanned.
const BYTES: usize = 10 * 1024 * 1024;

/// The bytes of a delta of a model.
const DELTA: usize = 16;

/// The project's own sources and documents, in order of their paths.
fn sources() -> Fallible<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut text, mut paths) = (String::new(), Vec::new());
    for folder in [
        "core",
        "agents",
        "providers",
        "store",
        "tools",
        "cli",
        "folkmoot",
        "examples",
        "docs",
    ] {
        walk(&root.join(folder), &mut paths)?;
    }
    paths.sort();
    for path in paths {
        text.push_str(&fs::read_to_string(path)?);
    }
    Ok(text)
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) -> Fallible<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_firewall = path.components().any(|part| part.as_os_str() == "firewall");
        let is_text = path.extension().is_some_and(|end| {
            ["rs", "md", "json", "toml", "yaml", "html"]
                .iter()
                .any(|e| end == *e)
        });
        if path.is_dir() && !is_firewall {
            walk(&path, paths)?;
        } else if is_text {
            paths.push(path);
        }
    }
    Ok(())
}

/// JavaScript, HTML and JSON as models write them.
fn made_up(n: usize) -> String {
    let json = json!({"id": n, "name": format!("item {n}"), "tags": ["a", "b"], "at": {"x": n, "y": [1, 2, {"z": null}]}});
    format!(
        "function f{n}(a, b) {{ const o = {{ name: \"x\", items: [a[{n}], b] }}; if (a < b) {{ return `${{o.name}}`; }} }}\n\
         <div class=\"c{n}\"><a href=\"#\">{n}</a><ul><li>x</li></ul></div>\n```json\n{json}\n```\n"
    )
}

/// Text that is clean but for some recorded answers of providers in it: less than a thousandth is withheld.
fn clean() -> Fallible<String> {
    let (sources, mut text) = (sources()?, String::with_capacity(BYTES * 2));
    let mut n = 0;
    while text.len() < BYTES {
        text.push_str(&sources);
        for _ in 0..2_000 {
            text.push_str(&made_up(n));
            n += 1;
        }
    }
    text.truncate(text.floor_char_boundary(BYTES));
    Ok(text)
}

fn known() -> Known {
    let schema = json!({"type": "object", "properties": {"query": {"type": "string"}}});
    Known::new(
        [("web_lookup", &schema), ("delete_file", &schema)],
        ["installation_estimate"],
    )
}

/// Scans a text in deltas of `size` bytes, and gives how many of its bytes pass.
fn passed(text: &str, size: usize) -> usize {
    let (mut passed, mut firewall) = (0, Firewall::new(known()));
    let mut out = |span: SpokenSpan<'_>| match span {
        SpokenSpan::Pass { text, .. } => passed += black_box(text).len(),
        SpokenSpan::Withheld(_) => {}
    };
    let mut rest = text;
    while !rest.is_empty() {
        let (delta, more) = rest.split_at(rest.ceil_char_boundary(size));
        firewall.push(delta, &mut out);
        rest = more;
    }
    firewall.finish(&mut out);
    passed
}

fn scans(criterion: &mut Criterion) {
    let text = clean().unwrap_or_default();
    let mut group = criterion.benchmark_group("clean text full of code");
    group
        .throughput(Throughput::Bytes(text.len() as u64))
        .sample_size(10);
    group.bench_function("whole", |bencher| {
        bencher.iter(|| passed(&text, text.len()))
    });
    group.bench_function("in deltas", |bencher| bencher.iter(|| passed(&text, DELTA)));
    group.finish();
}

criterion_group!(benches, scans);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
}
