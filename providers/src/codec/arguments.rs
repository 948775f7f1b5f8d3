//! The arguments of a call as the JSON object that some wires want in place of their text.

use std::borrow::Cow;
use std::collections::BTreeSet;

use folkmoot_core::content::canonical::{JsonFault, read};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::json::Fields;
use super::warning;

/// The most digits that every number keeps.
const DIGITS_MAX: usize = 15;

/// The object; under the key `invalid` the text, if it is none or names a key twice: what another
/// wire let pass is not repaired, and the model finds what it wrote. What the object does not keep
/// of the text is told.
pub(super) fn object_of(
    arguments: &str,
    invalid: &str,
    warnings: &mut BTreeSet<&'static str>,
) -> Fields {
    let warning = match read(arguments) {
        Ok(Value::Object(object)) => {
            if may_be_rounded(arguments) {
                warnings.insert(warning::ARGUMENTS_ROUNDED);
            }
            return object;
        }
        Err(JsonFault::RepeatedKey(_)) => warning::ARGUMENTS_REPEATED,
        Ok(_) | Err(JsonFault::NotJson(_)) => warning::ARGUMENTS_NOT_OBJECT,
    };
    warnings.insert(warning);
    Fields::from_iter([(invalid.to_owned(), Value::from(arguments))])
}

/// The key under which a model finds arguments that are no JSON, on wires that take them as text.
const MALFORMED: &str = "malformed_arguments";

/// The arguments as text, as the model wrote them; as a text within an object, if they are no JSON:
/// servers that write the conversation into a template refuse those.
pub(super) fn text_of<'a>(
    arguments: &'a str,
    warnings: &mut BTreeSet<&'static str>,
) -> Cow<'a, str> {
    if serde_json::from_str::<IgnoredAny>(arguments).is_ok() {
        return Cow::Borrowed(arguments);
    }
    warnings.insert(warning::ARGUMENTS_NOT_OBJECT);
    Cow::Owned(Value::from_iter([(MALFORMED, arguments)]).to_string())
}

/// Tells whether a number outside of texts has more digits than a number in a body surely keeps.
/// Integers of 64 bits keep all.
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
    // By hand and not with a parser: a parser has rounded the number already.
    let mut numbers =
        outside.split(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
    numbers.any(|number| {
        let digits = number.chars().filter(char::is_ascii_digit).count();
        digits > DIGITS_MAX && number.parse::<i64>().is_err() && number.parse::<u64>().is_err()
    })
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
            assert_eq!(
                told(exact),
                (serde_json::from_str(exact).unwrap(), vec![]),
                "{exact}"
            );
        }
    }

    #[test]
    fn what_it_does_not_keep_is_told() {
        for rounded in [
            "{\"x\":123456789012345678901}",
            "{\"x\":[0.1234567890123456789]}",
        ] {
            assert_eq!(told(rounded).1, ["arguments_rounded"], "{rounded}");
        }
        for repeated in ["{\"x\":1,\"x\":1}", "{\"y\":[{\"x\":1,\"\\u0078\":2}]}"] {
            let kept = Fields::from_iter([("invalid".to_owned(), Value::from(repeated))]);
            assert_eq!(
                told(repeated),
                (kept, vec!["arguments_repeated"]),
                "{repeated}"
            );
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
