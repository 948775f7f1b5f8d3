//! Reads JSON that mostly is what it should be, in one pass: known fields in place and borrowed,
//! the rest as data.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A value that is a `T`, or whatever else it is.
#[derive(Debug)]
pub(super) enum Expected<T> {
    /// The value that it should be.
    As(T),
    /// Something else.
    Other(Value),
}

/// A text.
pub(super) type Text<'de> = Expected<Cow<'de, str>>;

/// A list.
pub(super) type List<T> = Expected<Vec<Expected<T>>>;

/// An object, some of whose fields are known.
pub(super) trait Shape<'de>: Default {
    /// Reads the value of the field `name`.
    fn field<A: MapAccess<'de>>(&mut self, name: &str, fields: &mut A) -> Result<(), A::Error>;
}

impl<T> Expected<T> {
    /// The value if it is what it should be; else it goes to `strangers`.
    pub(super) fn or_keep(self, strangers: impl FnOnce(Value)) -> Option<T> {
        match self {
            Self::As(value) => Some(value),
            Self::Other(value) => {
                strangers(value);
                None
            }
        }
    }
}

/// The arms of a visitor for values that are not wanted.
macro_rules! other {
    (scalar) => {
        fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
            Ok(Expected::Other(Value::from(value)))
        }
        fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
            Ok(Expected::Other(Value::from(value)))
        }
        fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
            Ok(Expected::Other(Value::from(value)))
        }
        fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
            Ok(Expected::Other(Value::from(value)))
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Expected::Other(Value::Null))
        }
    };
    (text) => {
        fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
            Ok(Expected::Other(Value::from(value)))
        }
    };
    (list) => {
        fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
            Value::deserialize(SeqAccessDeserializer::new(items)).map(Expected::Other)
        }
    };
    (object) => {
        fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
            Value::deserialize(MapAccessDeserializer::new(fields)).map(Expected::Other)
        }
    };
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Shape<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Expected<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut shape = T::default();
        while let Some(name) = fields.next_key::<Text<'de>>()? {
            if let Expected::As(name) = name {
                shape.field(&name, &mut fields)?;
            }
        }
        Ok(Expected::As(shape))
    }

    other!(scalar);
    other!(text);
    other!(list);
}

impl<'de, T: Shape<'de>> Deserialize<'de> for Expected<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Shape<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Expected::As(list))
    }

    other!(scalar);
    other!(text);
    other!(object);
}

impl<'de, T: Shape<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Expected::As(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Expected::As(Cow::Owned(value.to_owned())))
    }

    other!(scalar);
    other!(list);
    other!(object);
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}
