//! The sequence picture: a lifeline for everyone who takes part, an arrow for every step. Only its places are computed here;
//! the template draws it.

use serde::Serialize;

use super::{PICTURE_LIFELINES_MAX, PICTURE_STEPS_MAX};
use crate::export::survey::{Lifeline, Revisions, Role, Step, StepKind, Steps};
use crate::text::one_line;

mod arrow;
mod head;

use arrow::{Arrow, Room};
use head::Head;

/// All lengths are in pixels. The widest picture, which a window of 1,200 pixels shows whole.
const WIDTH_MAX: usize = 1_140;
/// The room for the numbers of events, at the left.
const GUTTER: usize = 46;
/// The narrowest column, and the widest one where there are several.
const COLUMN_MIN: usize = 84;
const COLUMN_MAX: usize = 170;
/// The room for arrows of a picture with few columns.
const ROOM_MIN: usize = 480;
/// The height of the heads, which stand in a picture of their own: it stays in sight.
const HEADS: usize = 74;
const ROW: usize = 44;
const BOTTOM: usize = 20;
/// The most rows of a picture that a small window shows whole.
const TALL: usize = 20;

/// The picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Picture {
    width: usize,
    height: usize,
    heads_height: usize,
    /// The width and the height of the box with a name.
    box_width: usize,
    box_height: usize,
    /// True if names are written small, since there is little room.
    is_tight: bool,
    /// True if it is too high for a small window, which then shows a part of it below the heads.
    is_tall: bool,
    heads: Vec<Head>,
    arrows: Vec<Arrow>,
    /// The kinds of arrows that there are, and what they mean.
    key: Vec<(&'static str, &'static str)>,
    /// What a longer log has that is not shown; empty if all is.
    missing: String,
    /// The picture in words.
    words: String,
}

impl Picture {
    /// Places what is known.
    pub(super) fn of(steps: &Steps, revisions: &Revisions) -> Self {
        let mut order: Vec<usize> = (0..steps.lifelines.len()).collect();
        order.sort_by_key(|number| steps.lifelines.get(*number).map(|line| line.role));
        let count = order.len().max(1);
        let column =
            ((WIDTH_MAX - GUTTER) / count).clamp(COLUMN_MIN, COLUMN_MAX.max(ROOM_MIN / count));
        let middle = |number: usize| {
            let place = order.iter().position(|other| *other == number);
            GUTTER + column * place.unwrap_or_default() + column / 2
        };
        let sorted = order
            .iter()
            .filter_map(|number| Some((*number, steps.lifelines.get(*number)?)));
        let is_tight = column < 120;
        let heads: Vec<Head> = sorted
            .map(|(number, line)| Head::of(line, middle(number), head::width(column), is_tight))
            .collect();
        let width = GUTTER + column * count;
        let room = Room {
            left: GUTTER,
            right: width,
        };
        let arrows: Vec<Arrow> = (0..)
            .map(|row: usize| ROW * row + 30)
            .zip(&steps.steps)
            .map(|(y, step)| {
                let whole = whole(&standing(step, revisions), &steps.lifelines);
                let from = middle(step.from);
                let to: Vec<usize> = step.to.iter().map(|number| middle(*number)).collect();
                Arrow::of(&standing(step, revisions), (from, &to), y, room, whole)
            })
            .collect();
        Self {
            width,
            height: ROW * arrows.len() + BOTTOM,
            heads_height: HEADS,
            box_width: head::width(column),
            box_height: head::HEIGHT,
            is_tight,
            is_tall: arrows.len() > TALL,
            missing: missing(steps),
            words: words(&heads, arrows.len()),
            key: key(&arrows),
            heads,
            arrows,
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

/// A step in words: who did what to whom.
fn whole(step: &Step, lifelines: &[Lifeline]) -> String {
    let name = |number: &usize| {
        lifelines
            .get(*number)
            .map(|line| one_line(&line.name))
            .unwrap_or_default()
    };
    let to: Vec<String> = step.to.iter().map(name).collect();
    let Step {
        at, from, label, ..
    } = step;
    format!("#{at} {} → {}: {label}", name(from), to.join(", "))
}

fn missing(steps: &Steps) -> String {
    let of_steps = (steps.more > 0).then(|| {
        let all = steps.more + steps.steps.len();
        format!("The picture shows the first {PICTURE_STEPS_MAX} of {all} steps.")
    });
    let has_others = steps.lifelines.iter().any(|line| line.role == Role::Others);
    let of_lines = has_others.then(|| {
        format!("The first {PICTURE_LIFELINES_MAX} who take part have a line each; all others share one.")
    });
    of_steps
        .into_iter()
        .chain(of_lines)
        .collect::<Vec<_>>()
        .join(" ")
}

fn key(arrows: &[Arrow]) -> Vec<(&'static str, &'static str)> {
    let all = [
        ("message", "message"),
        ("call", "tool call"),
        ("result", "result"),
        ("asks", "request to a person"),
        ("yes", "allowed, answered"),
        ("no", "denied, stopped, expired"),
        ("failure", "failed"),
        ("refused", "refused command"),
    ];
    let is_there = |kind: &str| arrows.iter().any(|arrow| arrow.kind() == kind);
    all.into_iter().filter(|(kind, _)| is_there(kind)).collect()
}

fn words(heads: &[Head], steps: usize) -> String {
    let names: Vec<String> = heads.iter().map(Head::words).collect();
    format!(
        "{steps} steps between {}. The transcript below tells them in words.",
        names.join(", ")
    )
}
