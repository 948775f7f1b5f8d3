//! JSON as all wires read it.

use std::fmt;

use folkmoot_core::content::canonical::{JsonFault, read};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use super::DecodeError;

#[cfg(test)]
mod tests;

/// A JSON object of a wire.
pub(super) type Fields = Map<String, Value>;

/// The fields that hold the arguments of calls, where a server writes them as JSON.
const ARGUMENTS: [&str; 2] = ["arguments", "input"];

/// The object in a body or an event. Arguments in it that name a key twice become the text that
/// they are: as values they would lose one of the two, and nobody could say any more that they do
/// not fit.
pub(super) fn object(json: &[u8]) -> Result<Fields, DecodeError> {
    let bad = |error: serde_json::Error| DecodeError::Json(error.to_string());
    let mut json = serde_json::Deserializer::from_slice(json);
    let value = AnyValue.deserialize(&mut json).map_err(bad)?;
    json.end().map_err(bad)?;
    match value {
        Value::Object(fields) => Ok(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(DecodeError::Json("it is no object".to_owned()))
        }
    }
}

/// Any value, with arguments as [`object`] reads them.
#[derive(Clone, Copy)]
struct AnyValue;

impl<'de> DeserializeSeed<'de> for AnyValue {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut fields = Fields::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = if ARGUMENTS.contains(&name.as_str()) {
                members.next_value::<WrittenArguments>()?.0
            } else {
                members.next_value_seed(self)?
            };
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
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

/// Arguments, or whatever else stands in a field of that name.
struct WrittenArguments(Value);

impl<'de> Deserialize<'de> for WrittenArguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = <&RawValue>::deserialize(deserializer)?.get();
        match read(written) {
            Ok(value) => Ok(Self(value)),
            Err(JsonFault::RepeatedKey(_)) => Ok(Self(Value::from(written))),
            Err(JsonFault::NotJson(error)) => Err(D::Error::custom(error)),
        }
    }
}

/// The fields of an object; none of everything else.
pub(super) fn fields_of(value: Value) -> Fields {
    if let Value::Object(fields) = value {
        fields
    } else {
        Fields::new()
    }
}

/// The text of a string; empty for everything else.
pub(super) fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Tells whether a value says nothing: null, an empty text, list or object.
pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
