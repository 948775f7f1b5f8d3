//! The table of constraints on arguments.

use super::Shape::{Either, Filled, Json, List, Number, PlainPath, Pointer};
use super::{Record, Shape, field, required};

/// What arguments must fit, all of it.
pub(super) const CONSTRAINTS: Shape = List(&Shape::Record(&CONSTRAINT), 1);

static CONSTRAINT: Record = Record::new(
    "a constraint",
    &[&[
        required(
            "path",
            Pointer,
            "A place in the arguments, as a JSON pointer, e.g. `/path`.",
        ),
        field("equals", Json, "The value there is this."),
        field("one_of", List(&Json, 1), "The value there is one of these."),
        field(
            "prefix",
            Either(&[Filled, List(&Json, 1)]),
            "The text or list there begins so. Not for paths.",
        ),
        field(
            "beneath",
            PlainPath,
            "The path there is this folder or lies in it.",
        ),
        field(
            "range",
            Shape::Record(&RANGE),
            "The number there is in this range.",
        ),
    ]],
)
.any_of(&["equals", "one_of", "prefix", "range", "beneath"])
.clash(&[&["equals", "one_of", "prefix", "range", "beneath"]]);

static RANGE: Record = Record::new(
    "a range",
    &[&[
        field("min", Number, "The least; by default no limit."),
        field("max", Number, "The most; by default no limit."),
    ]],
)
.any_of(&["min", "max"]);
