//! The arguments of a call as the JSON object that some wires want in place of their text.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::json::Fields;
use super::warning;

/// The most digits that every number keeps.
const DIGITS_MAX: usize = 15;

/// The object; under the key `invalid` the text, if it is none: what another wire let pass is not repaired, and the model
/// finds what it wrote. What the object does not keep of the text is told.
pub(super) fn object_of(arguments: &str, invalid: &str, warnings: &mut BTreeSet<&'static str>) -> Fields {
    let Ok(object) = serde_json::from_str::<Fields>(arguments) else {
        warnings.insert(warning::ARGUMENTS_NOT_OBJECT);
        return Fields::from_iter([(invalid.to_owned(), Value::from(arguments))]);
    };
    if may_be_rounded(arguments) {
        warnings.insert(warning::ARGUMENTS_ROUNDED);
    }
    if serde_json::from_str::<Repeats>(arguments).is_ok_and(|repeats| repeats.0) {
        warnings.insert(warning::ARGUMENTS_REPEATED);
    }
    object
}

/// Whether a number outside of texts has more digits than a number in a body surely keeps. Integers of 64 bits keep all.
fn may_be_rounded(json: &str) -> bool {
    let mut is_escaped = false;
    let mut is_text = false;
    let outside = json.chars().map(|c| {
        let was_text = is_text;
        is_text ^= c == '"' && !is_escaped;
        is_escaped = is_text && c == '\\' && !is_escaped;
        if was_text { ' ' } else { c }
    });
    let outside: String = outside.collect();
    let mut numbers = outside.split(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
    numbers.any(|number| {
        let digits = number.chars().filter(char::is_ascii_digit).count();
        digits > DIGITS_MAX && number.parse::<i64>().is_err() && number.parse::<u64>().is_err()
    })
}

/// Whether an object within a JSON names a field twice: only the last of them is kept.
#[derive(Debug)]
struct Repeats(bool);

impl<'de> Deserialize<'de> for Repeats {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RepeatsVisitor)
    }
}

struct RepeatsVisitor;

impl<'de> Visitor<'de> for RepeatsVisitor {
    type Value = Repeats;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Repeats, A::Error> {
        let (mut names, mut is_found) = (BTreeSet::new(), false);
        while let Some((name, Repeats(within))) = fields.next_entry::<String, Repeats>()? {
            is_found |= within | !names.insert(name);
        }
        Ok(Repeats(is_found))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Repeats, A::Error> {
        let mut is_found = false;
        while let Some(Repeats(within)) = items.next_element()? {
            is_found |= within;
        }
        Ok(Repeats(is_found))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Repeats, E> {
        Ok(Repeats(false))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Repeats, E> {
        Ok(Repeats(false))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Repeats, E> {
        Ok(Repeats(false))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Repeats, E> {
        Ok(Repeats(false))
    }

    fn visit_str<E>(self, _: &str) -> Result<Repeats, E> {
        Ok(Repeats(false))
    }

    fn visit_unit<E>(self) -> Result<Repeats, E> {
        Ok(Repeats(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(arguments: &str) -> (Fields, Vec<&'static str>) {
        let mut warnings = BTreeSet::new();
        let object = object_of(arguments, "invalid", &mut warnings);
        (object, warnings.into_iter().collect())
    }

    #[test]
    fn what_an_object_keeps_is_not_worth_a_word() {
        for exact in [
            "{\"x\":-9223372036854775808}",
            "{\"x\":18446744073709551615}",
            "{\"x\":\"a\\\"1234567890123456789012345\"}",
            "{\"x\":0.123456789,\"y\":[{\"x\":1},{\"x\":null}],\"z\":{\"x\":true}}",
        ] {
            assert_eq!(told(exact), (serde_json::from_str(exact).unwrap(), vec![]), "{exact}");
        }
    }

    #[test]
    fn what_it_does_not_keep_is_told() {
        for rounded in ["{\"x\":123456789012345678901}", "{\"x\":[0.1234567890123456789]}"] {
            assert_eq!(told(rounded).1, ["arguments_rounded"], "{rounded}");
        }
        for repeated in ["{\"x\":1,\"x\":1}", "{\"y\":[{\"x\":1,\"\\u0078\":2}]}"] {
            assert_eq!(told(repeated).1, ["arguments_repeated"], "{repeated}");
        }
    }

    #[test]
    fn what_is_no_object_stands_under_a_key_of_its_own() {
        for text in ["{bad", "[1]", "", "null", "{} {}", "{\"x\":1e999}"] {
            let kept = Fields::from_iter([("invalid".to_owned(), Value::from(text))]);
            assert_eq!(told(text), (kept, vec!["arguments_not_object"]), "{text}");
        }
    }
}
