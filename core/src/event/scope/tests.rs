use super::*;

#[test]
fn a_scope_reads_as_it_is_written() {
    for scope in [
        Scope::Once,
        Scope::Turn,
        Scope::World,
        Scope::Uses(1),
        Scope::Uses(u32::MAX),
    ] {
        assert_eq!(scope.to_string().parse(), Ok(scope));
    }
}

#[test]
fn nothing_else_is_a_scope() {
    for text in [
        "",
        "Once",
        "uses",
        "uses:",
        "uses:0",
        "uses:03",
        "uses:+3",
        "uses: 3",
        "uses:4294967296",
        "session",
    ] {
        assert_eq!(text.parse::<Scope>(), Err(ScopeError), "{text}");
    }
}
