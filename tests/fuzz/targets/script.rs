//! World scripts: from YAML to a checked room.

use std::path::Path;

use folkmoot::script::Script;

use crate::corpus;

/// A text is a script, always the same one, or has faults, each at a place of the text.
pub(crate) fn law(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let file = Path::new("/nowhere/world.yaml");
    let read = Script::parse(&text, file);
    assert_eq!(read, Script::parse(&text, file));
    let Err(error) = read else { return };
    assert!(!error.faults.is_empty());
    let lines = text.split('\n').count();
    for fault in &error.faults {
        let (at, len) = fault.span;
        assert!(
            text.get(at..at + len).is_some(),
            "{fault}: {at}+{len} is no place"
        );
        assert!((1..=lines).contains(&fault.line_column().0), "{fault}");
        assert!(
            !fault.message.is_empty() && !fault.message.contains("a bug"),
            "{fault}"
        );
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    [
        corpus::files("examples/worlds", ".yaml"),
        corpus::files("examples/worlds/patterns", ".yaml"),
        corpus::files("tests/worlds", ".yaml"),
    ]
    .concat()
}
