//! The border to models from outside: what must not compile, and that reading does.
//!
//! Each file in `fail` is a program that tries to put words of its own before a model. The compiler's answers stand
//! beside them; `TRYBUILD=overwrite cargo test -p folkmoot-seal -- --ignored` writes them anew for another compiler.

use folkmoot_core::prompt::{Item, ModelRequest};

/// All that an outsider does with a request: it compiles, and that is the test.
fn read(request: &ModelRequest) -> Vec<&str> {
    let heard = request.items().iter().filter_map(|item| match &**item {
        Item::Heard { text, .. }
        | Item::Result { text, .. }
        | Item::Notice { text }
        | Item::State { text }
        | Item::Summary { text } => Some(&**text),
        Item::Said { .. } => None,
    });
    request
        .system()
        .iter()
        .map(|layer| &*layer.text)
        .chain(heard)
        .collect()
}

#[test]
#[ignore = "a check of what compiles, which compiles for a minute: .ci/run lint runs it"]
fn nothing_outside_the_core_makes_or_changes_what_a_model_reads() {
    let _: fn(&ModelRequest) -> Vec<&str> = read;
    trybuild::TestCases::new().compile_fail("fail/*.rs");
}
