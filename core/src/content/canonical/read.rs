//! Reading JSON that has to mean one thing to everybody who reads it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The reason that a text is not one value.
#[derive(Debug, thiserror::Error)]
pub enum JsonFault {
    /// The text is no JSON, or nests deeper than 127 levels.
    #[error("it is no JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// A key occurs twice in one object, as it is written or with escapes. Whoever takes the first value and whoever takes
    /// the last would read two texts.
    #[error("{0}; write it once")]
    RepeatedKey(#[source] serde_json::Error),
}

/// Reads a value. No key may occur twice in one object, at any depth and however it is escaped.
///
/// # Errors
/// [`JsonFault`] says what is wrong, and where.
pub fn read(text: &str) -> Result<Value, JsonFault> {
    let fault = |error: serde_json::Error| match error.is_data() {
        // Nothing but the reader of objects below finds fault with what is JSON.
        true => JsonFault::RepeatedKey(error),
        false => JsonFault::NotJson(error),
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let value = Once.deserialize(&mut json).map_err(fault)?;
    json.end().map_err(fault)?;
    Ok(value)
}

/// A value whose objects have each key once.
struct Once;

impl<'de> DeserializeSeed<'de> for Once {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!(
                    "the key {key:?} occurs twice in one object"
                )));
            }
            object.insert(key, members.next_value_seed(Self)?);
        }
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}
