//! Constraints on arguments, and the one written form of arguments that digests are made over.

use folkmoot::core::content::canonical::{arguments_digest, canonical};
use folkmoot::core::tool::constraint::{Constraint, digest_of_rest, is_pointer};
use serde_json::Value;

/// The canonical form of a document is a document of the same meaning, and its own canonical form. A constraint that is
/// read is sound, is read again as it is written, and says nothing about the rest of the document. The first line is the
/// constraint, the others are the document.
pub(crate) fn law(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (constraint, document) = text.split_once('\n').unwrap_or((&text, &text));
    if let Some(bytes) = canonical(document) {
        let again = std::str::from_utf8(&bytes).unwrap();
        assert_eq!(canonical(again).unwrap(), bytes);
        assert_eq!(arguments_digest(again), arguments_digest(document));
        assert_eq!(
            serde_json::from_str::<Value>(again).unwrap(),
            serde_json::from_str::<Value>(document).unwrap()
        );
    }
    let Ok(constraint) = constraint.parse::<Constraint>() else {
        return;
    };
    assert!(constraint.check().is_ok() && is_pointer(&constraint.path));
    let written = serde_json::to_string(&constraint).unwrap();
    assert_eq!(written.parse::<Constraint>().unwrap(), constraint);
    let Ok(mut document) = serde_json::from_str::<Value>(document) else {
        return;
    };
    let (fits, rest) = (
        constraint.fits(&document),
        digest_of_rest(std::slice::from_ref(&constraint), &document),
    );
    match document.pointer_mut(&constraint.path) {
        Some(place) => *place = Value::from("something else"),
        None => assert!(!fits, "a place that is not there fits"),
    }
    assert_eq!(digest_of_rest(&[constraint], &document), rest);
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    crate::corpus::texts(&[
        "{\"path\":\"/path\",\"prefix\":\"notes/\"}\n{\"path\":\"notes/a\",\"n\":[1,1.0,-0.0,1e300,9007199254740993]}",
        "{\"path\":\"/n/0\",\"range\":{\"min\":-1,\"max\":2.5}}\n{\"n\":[18446744073709551615,18446744073709551616]}",
        "{\"path\":\"/a~1b/~0\",\"one_of\":[1,null,[2]]}\n{\"a/b\":{\"~\":[2]},\"\\u00e9\":1,\"\\ud83d\\ude00\":{}}",
        "{\"path\":\"/path\",\"beneath\":\"notes\"}\n{\"path\":\"notes/../a\",\"n\":[1e3,1000]}",
        "{\"path\":\"/argv\",\"prefix\":[\"git\",\"log\"]}\n{\"argv\":[\"git\",\"log\",\"-1\"],\"argv2\":\"\\u0000\"}",
        "{\"path\":\"/\",\"equals\":{\"b\":1,\"a\":2}}\n{\"\":{\"a\":2,\"b\":1},\"\":0}",
    ])
}
