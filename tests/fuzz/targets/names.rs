//! Names, scopes and positions in a script: the small words that people and models write.

use folkmoot::core::event::Scope;
use folkmoot::core::ids::{AgentName, PersonName, ToolName, WorldName};

/// What is a name or a scope is written as it was read; a name has nothing in it that is not seen.
pub(crate) fn law(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    if let Ok(scope) = text.parse::<Scope>() {
        assert_eq!(scope.to_string(), text);
    }
    let names = [
        AgentName::new(text).map(String::from),
        PersonName::new(text).map(String::from),
        ToolName::new(text).map(String::from),
        WorldName::new(text).map(String::from),
    ];
    for name in names {
        match name {
            Ok(name) => {
                assert_eq!(name, text);
                assert!(
                    (1..=64).contains(&name.len())
                        && !name.chars().any(|c| c.is_control() || is_bidi(c)),
                    "{name:?}"
                );
            }
            Err(error) => assert!(!error.why.is_empty()),
        }
    }
}

const fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    crate::corpus::texts(&[
        "release-room",
        "Ada Lovelace",
        "once",
        "uses:3",
        "Zoë",
        "fs.read_file",
        "नमस्ते",
        "👩\u{200d}💻",
    ])
}
