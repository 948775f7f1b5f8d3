//! The table of constraints on arguments.

use super::Shape::{Either, Filled, Json, List, Number, PlainPath, Pointer};
use super::{Record, Shape, field, required};

/// What arguments must fit, all of it.
pub(super) const CONSTRAINTS: Shape = List(&Shape::Record(&CONSTRAINT), 1);

static CONSTRAINT: Record = Record::new(
    "a constraint",
    &[&[
        required("path", Pointer, "The place in the arguments, as a JSON pointer, e.g. `/path`."),
        field("equals", Json, "What stands there is this."),
        field("one_of", List(&Json, 1), "What stands there is one of these."),
        field(
            "prefix",
            Either(&[Filled, List(&Json, 1)]),
            "The text there begins so, or the list begins with these and anything follows. Not for paths.",
        ),
        field(
            "beneath",
            PlainPath,
            "The path there is this folder or lies in it; for arguments that the tool calls paths.",
        ),
        field("range", Shape::Record(&RANGE), "The number there is in this range."),
    ]],
)
.any_of(&["equals", "one_of", "prefix", "range", "beneath"])
.clash(&[&["equals", "one_of", "prefix", "range", "beneath"]]);

static RANGE: Record = Record::new(
    "a range",
    &[&[
        field("min", Number, "The least; no limit if left out."),
        field("max", Number, "The most; no limit if left out."),
    ]],
)
.any_of(&["min", "max"]);
