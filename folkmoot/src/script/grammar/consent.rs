//! The tables of who may do what, and of what clients may tell.

use folkmoot_core::spec::StateSpec;

use super::Shape::{Count, Entries, JsonMap, List, Name, Text, Word};
use super::{Field, Named, Record, Shape, field, required};

/// Who has which rights.
pub(super) static RIGHTS_OF_ALL: Record = Record::new(
    "the rights",
    &[&[
        field(
            "default",
            RIGHTS,
            "The rights of people whom `people` does not name; by default all.",
        ),
        field(
            "people",
            Entries(&Text, &RIGHTS),
            "The rights of people and services, by proof: `METHOD:SUBJECT`, of a service `\"service%:METHOD:SUBJECT\"`, in quotes.",
        ),
    ]],
);

/// A change of a person's rights.
pub(super) static RIGHTS_OF_ONE: Record = Record::new(
    "a change of rights",
    &[&[
        required("person", Name(Named::Speaker), "A person of this script."),
        field(
            "rights",
            RIGHTS,
            "All their rights; by default those of the spec.",
        ),
    ]],
);

const RIGHTS: Shape = List(&Word(&["read", "post", "decide", "operate"], &[]), 0);

/// What clients may tell.
pub(super) const STATES: Field = field(
    "states",
    Entries(&Name(Named::State), &A_STATE),
    "States that clients may tell, by name.",
);

static A_STATE: Shape = Shape::Record(&STATE);
static STATE: Record = Record::new(
    "a state",
    &[&[
        required("schema", JsonMap, "JSON Schema (2020-12) of the state."),
        field(
            "bytes_max",
            Count(1, StateSpec::BYTES_MOST as u64),
            "The most bytes of the state.",
        )
        .or("8192"),
        field(
            "ids",
            Entries(&Text, &Entries(&Text, &Text)),
            "Places of ids in it, as JSON pointers, with the ids that the room knows and their names; others are dropped.",
        ),
    ]],
);

/// What a client tells.
pub(super) static OBSERVATION: Record = Record::new(
    "an observation",
    &[&[
        required("state", Shape::Ref(Named::State), "The name of the state."),
        required("value", Shape::Json, "The state, as the client sees it."),
    ]],
);
