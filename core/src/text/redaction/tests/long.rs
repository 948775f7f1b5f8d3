use super::{RedactionKind, all, redact_text};

/// Texts that are hard for a scanner which goes back: each is one of these again and again.
const HARD: [&str; 35] = [
    "1",
    "12 ",
    "1-",
    "4111 ",
    "4111111111111111",
    "a@",
    "a@a.",
    "@",
    "a.",
    ".",
    "a-",
    "+",
    "+1",
    "(0",
    "0 ",
    "sk-",
    "eyJ",
    "eyJa-",
    "eyJhbGciOiJub25lIn0.",
    "key=",
    "key:",
    "key= ",
    "=",
    "password=a1",
    "Bearer ",
    "://",
    "://a:",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY",
    "DE89 ",
    "[",
    "{\"a\":",
    "[1]",
    "{\"a\":\"",
    "[\"\\\",",
];

/// A scanner that were quadratic would take hours over these: the test would not end.
#[test]
fn long_texts_that_are_hard_are_read_in_linear_time() {
    for piece in HARD {
        let bytes = if ["1", "a@"].contains(&piece) {
            1_000_000
        } else {
            100_000
        };
        let text = piece.repeat(bytes / piece.len());
        for kind in RedactionKind::ALL {
            assert!(
                redact_text(&[kind].into(), &text).len() <= text.len() + kind.marker().len(),
                "{piece} {kind:?}"
            );
        }
    }
}

#[test]
fn what_is_found_at_the_end_of_a_long_text_is_found() {
    let text = format!("{} ada@example.com", "a word and another ".repeat(50_000));
    assert!(redact_text(&all(), &text).ends_with("another  [email]"));
}
