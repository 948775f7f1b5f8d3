//! The sequence picture: a lifeline for everyone who takes part, an arrow for every step. Only its places are computed here;
//! the template draws it.

use serde::Serialize;

use super::{PICTURE_LIFELINES_MAX, PICTURE_STEPS_MAX};
use crate::export::survey::{Lifeline, Revisions, Role, Step, StepKind, Steps};
use crate::text::{clip, one_line};

/// All lengths are in pixels.
const GUTTER: usize = 46;
const COLUMN: usize = 170;
const TOP: usize = 76;
const ROW: usize = 44;
const BOTTOM: usize = 20;
/// How wide the box with a name is.
const BOX: usize = 154;
/// How wide ten letters of a label are, as a rule.
const TEN_LETTERS: usize = 66;
/// How far an arrow reaches that ends where it began.
const LOOP: usize = 26;

/// The picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Picture {
    width: usize,
    height: usize,
    /// How wide the box with a name is.
    r#box: usize,
    /// Where the lifelines end.
    bottom: usize,
    lifelines: Vec<LifelineView>,
    steps: Vec<StepView>,
    /// What a longer log has that is not shown; empty if all is.
    missing: String,
    /// The picture in words.
    words: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct LifelineView {
    x: usize,
    left: usize,
    name: String,
    whole: String,
    role: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct StepView {
    at: u64,
    kind: &'static str,
    y: usize,
    label_y: usize,
    label_x: usize,
    label: String,
    whole: String,
    anchor: &'static str,
    /// The line of the arrow, and its head.
    line: String,
    head: String,
}

impl Picture {
    /// Places what is known.
    pub(super) fn of(steps: &Steps, revisions: &Revisions) -> Self {
        let mut order: Vec<usize> = (0..steps.lifelines.len()).collect();
        order.sort_by_key(|number| steps.lifelines.get(*number).map(|line| line.role));
        let column = |number: usize| {
            order
                .iter()
                .position(|other| *other == number)
                .unwrap_or_default()
        };
        let sorted = order
            .iter()
            .filter_map(|number| steps.lifelines.get(*number));
        let lifelines: Vec<LifelineView> = (0..)
            .zip(sorted)
            .map(|(column, line)| lifeline(column, line))
            .collect();
        let standing = steps.steps.iter().map(|step| standing(step, revisions));
        let views: Vec<StepView> = (0..)
            .zip(standing)
            .map(|(row, step)| arrow(row, &step, steps, column))
            .collect();
        let bottom = TOP + ROW * views.len() + BOTTOM;
        // A loop at the last lifeline needs room for its words.
        let width = GUTTER + COLUMN * lifelines.len();
        let width = width
            + if ends_in_loop(steps, lifelines.len(), column) {
                COLUMN
            } else {
                0
            };
        let height = bottom + BOTTOM / 2;
        Self {
            width,
            height,
            r#box: BOX,
            bottom,
            missing: missing(steps),
            words: words(&lifelines, &views),
            lifelines,
            steps: views,
        }
    }
}

/// The step, without the words of a message that does not stand any more.
fn standing(step: &Step, revisions: &Revisions) -> Step {
    let is_gone = step.kind == StepKind::Message && revisions.of(step.at).is_some();
    let label = if is_gone {
        "[taken back or edited]".to_owned()
    } else {
        step.label.clone()
    };
    Step {
        label,
        ..step.clone()
    }
}

fn middle(column: usize) -> usize {
    GUTTER + COLUMN * column + COLUMN / 2
}

fn lifeline(column: usize, line: &Lifeline) -> LifelineView {
    let x = middle(column);
    let role = match line.role {
        Role::Person => "person",
        Role::World => "world",
        Role::Agent => "agent",
        Role::Tool => "tool",
        Role::Others => "others",
    };
    let whole = one_line(&line.name);
    LifelineView {
        x,
        left: x.saturating_sub(BOX / 2),
        name: clip(&whole, 16),
        whole,
        role,
    }
}

fn arrow(row: usize, step: &Step, steps: &Steps, column: impl Fn(usize) -> usize) -> StepView {
    let y = TOP + ROW * row + 30;
    let from = middle(column(step.from));
    let to = middle(column(step.to));
    let kind = match step.kind {
        StepKind::Message => "message",
        StepKind::Asks => "asks",
        StepKind::Yes => "yes",
        StepKind::No => "no",
        StepKind::Call => "call",
        StepKind::Result => "result",
        StepKind::Failure => "failure",
    };
    let name = |number: usize| {
        steps
            .lifelines
            .get(number)
            .map(|line| one_line(&line.name))
            .unwrap_or_default()
    };
    let whole = format!(
        "#{} {} → {}: {}",
        step.at,
        name(step.from),
        name(step.to),
        step.label
    );
    let room = from
        .abs_diff(to)
        .max(COLUMN)
        .saturating_sub(18)
        .saturating_mul(10)
        / TEN_LETTERS;
    let label = clip(&step.label, room);
    let label_y = y.saturating_sub(8);
    let at = step.at.get();
    if from == to {
        let right = from + LOOP;
        let low = y + 8;
        let line = format!("M{from} {y}H{right}V{low}H{}", from + 7);
        let head = head(from, low, from + 9);
        let label_x = right + 8;
        return StepView {
            at,
            kind,
            y,
            label_y: y + 8,
            label_x,
            label,
            whole,
            anchor: "start",
            line,
            head,
        };
    }
    let short = if to > from {
        to.saturating_sub(7)
    } else {
        to + 7
    };
    let line = format!("M{from} {y}H{short}");
    let back = if to > from {
        to.saturating_sub(9)
    } else {
        to + 9
    };
    let label_x = (from + to) / 2;
    StepView {
        at,
        kind,
        y,
        label_y,
        label_x,
        label,
        whole,
        anchor: "middle",
        line,
        head: head(to, y, back),
    }
}

/// An arrow's head: its point, and how far back it reaches.
fn head(point: usize, y: usize, back: usize) -> String {
    format!(
        "{point},{y} {back},{} {back},{}",
        y.saturating_sub(5),
        y + 5
    )
}

fn ends_in_loop(steps: &Steps, count: usize, column: impl Fn(usize) -> usize) -> bool {
    steps
        .steps
        .iter()
        .any(|step| step.from == step.to && column(step.to) + 1 == count)
}

fn missing(steps: &Steps) -> String {
    let of_steps = (steps.more > 0).then(|| {
        let all = steps.more + steps.steps.len();
        format!("These are the first {PICTURE_STEPS_MAX} of {all} steps.")
    });
    let has_others = steps.lifelines.iter().any(|line| line.role == Role::Others);
    let of_lines = has_others.then(|| {
        format!("Of those who take part the first {PICTURE_LIFELINES_MAX} have a line each.")
    });
    of_steps
        .into_iter()
        .chain(of_lines)
        .collect::<Vec<_>>()
        .join(" ")
}

fn words(lifelines: &[LifelineView], steps: &[StepView]) -> String {
    let names: Vec<String> = lifelines
        .iter()
        .map(|line| format!("{} ({})", line.whole, line.role))
        .collect();
    format!(
        "{} steps between {}. The transcript below tells them in words.",
        steps.len(),
        names.join(", ")
    )
}
