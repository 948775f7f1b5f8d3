//! The arrows of steps, and their labels.

use serde::Serialize;

use crate::export::survey::{Step, StepKind};
use crate::text::clip;

/// The width of ten letters of a label, as a rule.
const TEN_LETTERS: usize = 66;
/// The widest label.
const LABEL_MAX: usize = 380;
/// How far an arrow reaches that ends where it began.
const LOOP: usize = 26;
/// The space between a line and its label, and between a label and the border.
const SPACE: usize = 8;

/// The room between the numbers and the border.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) left: usize,
    pub(super) right: usize,
}

/// An arrow: from one to all whom the step reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Arrow {
    at: u64,
    /// The entry that tells the step; `None` if none does.
    told_at: Option<u64>,
    kind: &'static str,
    y: usize,
    whole: String,
    #[serde(flatten)]
    shape: Shape,
}

/// The line, its points, and the label beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Shape {
    line: String,
    points: Vec<String>,
    label: String,
    label_x: usize,
    label_y: usize,
    anchor: &'static str,
}

impl Arrow {
    /// Places a step at the height `y`. `whole` is the step in words.
    pub(super) fn of(
        step: &Step,
        (from, to): (usize, &[usize]),
        y: usize,
        room: Room,
        whole: String,
    ) -> Self {
        let shape = if to.iter().all(|to| *to == from) {
            Shape::turned_back(&step.label, from, y, room)
        } else {
            Shape::straight(&step.label, (from, to), y, room)
        };
        Self {
            at: step.at.get(),
            told_at: step.told_at.map(|at| at.get()),
            kind: kind(step.kind),
            y,
            whole,
            shape,
        }
    }

    pub(super) const fn kind(&self) -> &'static str {
        self.kind
    }
}

impl Shape {
    /// One line with a point at each whom it reaches. The label may be wider than the line: nothing else stands in its row.
    fn straight(label: &str, (from, to): (usize, &[usize]), y: usize, room: Room) -> Self {
        let reached = || to.iter().copied().filter(|to| *to != from);
        let left = reached().fold(from, usize::min);
        let right = reached().fold(from, usize::max);
        // The line ends within its point.
        let start = if left < from { left + 7 } else { left };
        let end = if right > from {
            right.saturating_sub(7)
        } else {
            right
        };
        let widest = room.right.saturating_sub(room.left + SPACE);
        let (label, width) = fitted(label, widest);
        let last = room.right.saturating_sub(SPACE + width / 2);
        let label_x = ((left + right) / 2).min(last).max(room.left + width / 2);
        Self {
            line: format!("M{start} {y}H{end}"),
            points: reached().map(|to| point(to, y, to > from)).collect(),
            label,
            label_x,
            label_y: y.saturating_sub(SPACE),
            anchor: "middle",
        }
    }

    /// A loop at one lifeline, at the side where there is more room for its label.
    fn turned_back(label: &str, from: usize, y: usize, room: Room) -> Self {
        let reach = LOOP + SPACE;
        let behind = room.right.saturating_sub(from + reach + SPACE);
        let before = from.saturating_sub(room.left + reach);
        let low = y + SPACE;
        let is_right = behind >= before || fitted(label, behind).0 == label;
        let (turn, end) = if is_right {
            (from + LOOP, from + 7)
        } else {
            (from.saturating_sub(LOOP), from.saturating_sub(7))
        };
        let (label, _) = fitted(label, if is_right { behind } else { before });
        Self {
            line: format!("M{from} {y}H{turn}V{low}H{end}"),
            points: vec![point(from, low, !is_right)],
            label,
            label_x: if is_right {
                turn + SPACE
            } else {
                turn.saturating_sub(SPACE)
            },
            label_y: low,
            anchor: if is_right { "start" } else { "end" },
        }
    }
}

const fn kind(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Message => "message",
        StepKind::Asks => "asks",
        StepKind::Yes => "yes",
        StepKind::No => "no",
        StepKind::Call => "call",
        StepKind::Result => "result",
        StepKind::Failure => "failure",
        StepKind::Refused => "refused",
    }
}

/// The label as far as there is room, and how wide that is.
fn fitted(label: &str, room: usize) -> (String, usize) {
    let letters_max = room.min(LABEL_MAX).saturating_mul(10) / TEN_LETTERS;
    let label = clip(label, letters_max);
    let width = label.chars().count() * TEN_LETTERS / 10;
    (label, width)
}

/// An arrow's point: the tip, and the two corners behind it.
fn point(tip: usize, y: usize, is_rightwards: bool) -> String {
    let back = if is_rightwards {
        tip.saturating_sub(9)
    } else {
        tip + 9
    };
    let (high, low) = (y.saturating_sub(5), y + 5);
    format!("{tip},{y} {back},{high} {back},{low}")
}
