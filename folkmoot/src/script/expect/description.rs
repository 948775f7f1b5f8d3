//! The one description of each thing that a script may expect: its type, its row in the grammar and
//! its reader are made from it.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::event::{CloseReason, DampReason, RoutingReason, RoutingRule, Scope};
use folkmoot_core::ids::{AgentName, ArtifactName, PersonName, ToolName};
use folkmoot_core::model::money::Money;
use folkmoot_core::text::firewall::ArtifactFamily;
use folkmoot_core::text::reply::RoutingTag;
use folkmoot_core::world::Activity;
use serde_json::Value;

use crate::script::node::{Key, Kind, Node};

/// Makes a type whose fields are keys of a map, all of which may be left out, together with the
/// map's table and its reader.
///
/// Each line has a doc comment, which the schema shows too, the key, another word for it if there
/// is one, the field, its type and the shape that the check holds against it.
macro_rules! described {
    (
        $(#[$meta:meta])*
        $type:ident, $table:ident: $name:literal $(, $rule:ident($($given:expr)?))*;
        $(
            $(#[doc = $doc:literal])+
            $key:literal $(or $other:literal)? => $field:ident: $of:ty, $shape:expr;
        )+
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct $type {
            $($(#[doc = $doc])+ pub $field: Option<$of>,)+
        }

        pub(in crate::script) static $table: Record = Record::new(
            $name,
            &[&[$(
                field($key, $shape, concat!($($doc),+).trim_ascii_start()),
                $(field($other, $shape, concat!("The same as `", $key, "`.")),)?
            )+]],
        )$(.$rule($($given)?))*;

        impl Read for $type {
            fn read(node: &Node) -> Option<Self> {
                Some(Self {
                    $($field: part(node, &[$key $(, $other)?])?,)+
                })
            }
        }
    };
}

pub(super) use described;

/// A value that is read from a node that the check has passed.
pub(super) trait Read: Sized {
    /// Reads the value; `None` only if the node says nothing of the kind, which the check has ruled
    /// out.
    fn read(node: &Node) -> Option<Self>;
}

/// Reads the part of a map under the first of `keys` that is given: `Some(None)` if none is.
pub(super) fn part<T: Read>(node: &Node, keys: &[&str]) -> Option<Option<T>> {
    match keys.iter().find_map(|key| node.get(key)) {
        Some(given) => T::read(given).map(Some),
        None => Some(None),
    }
}

/// One value, or a list of them.
pub(super) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T: Read> Read for OneOrMany<T> {
    fn read(node: &Node) -> Option<Self> {
        match node.kind {
            Kind::List(_) => Vec::read(node).map(Self::Many),
            Kind::Scalar(_) | Kind::Map(_) => T::read(node).map(Self::One),
        }
    }
}

/// A value, or the word `none`.
impl<T: Read> Read for Option<T> {
    fn read(node: &Node) -> Option<Self> {
        match node.text() {
            Some("none") => Some(None),
            _ => T::read(node).map(Some),
        }
    }
}

/// A list, one value, or the word `none`.
impl<T: Read> Read for Vec<T> {
    fn read(node: &Node) -> Option<Self> {
        match node.text() {
            Some("none") => Some(Self::new()),
            Some(_) => Some(vec![T::read(node)?]),
            None => node.items().map(T::read).collect(),
        }
    }
}

/// A list in any order.
impl<T: Read + Ord> Read for BTreeSet<T> {
    fn read(node: &Node) -> Option<Self> {
        node.items().map(T::read).collect()
    }
}

impl<N: TryFrom<String> + Ord, T: Read> Read for BTreeMap<N, T> {
    fn read(node: &Node) -> Option<Self> {
        let entry = |(key, value): (&Key, &Node)| {
            Some((key.text().to_owned().try_into().ok()?, T::read(value)?))
        };
        node.entries().map(entry).collect()
    }
}

impl Read for () {
    fn read(_: &Node) -> Option<Self> {
        Some(())
    }
}

impl Read for bool {
    fn read(node: &Node) -> Option<Self> {
        Some(node.text()? == "true")
    }
}

impl Read for Value {
    fn read(node: &Node) -> Option<Self> {
        Some(node.json())
    }
}

macro_rules! read_from_text {
    ($($type:ty),+) => {$(
        impl Read for $type {
            fn read(node: &Node) -> Option<Self> {
                node.text()?.to_owned().try_into().ok()
            }
        }
    )+};
}

macro_rules! read_by_parsing {
    ($($type:ty),+) => {$(
        impl Read for $type {
            fn read(node: &Node) -> Option<Self> {
                node.text()?.parse().ok()
            }
        }
    )+};
}

/// Words are those under which core writes the values into the log.
macro_rules! read_as_recorded {
    ($($type:ty),+) => {$(
        impl Read for $type {
            fn read(node: &Node) -> Option<Self> {
                serde_json::from_value(node.json()).ok()
            }
        }
    )+};
}

read_from_text!(String, AgentName, ArtifactName, PersonName, ToolName);
read_by_parsing!(u32, Money, Scope);
read_as_recorded!(
    Activity,
    ArtifactFamily,
    CloseReason,
    DampReason,
    RoutingReason,
    RoutingRule,
    RoutingTag
);
