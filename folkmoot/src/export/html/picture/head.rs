//! The heads of lifelines: a box with a name.

use serde::Serialize;

use crate::export::survey::{Lifeline, Role};
use crate::text::{clip, one_line};

/// The space between two boxes.
const GAP: usize = 14;
/// The height of a box.
pub(super) const HEIGHT: usize = 54;
/// The most lines of a name.
const LINES_MAX: usize = 2;

/// The width of a box in a column of this width.
pub(super) const fn width(column: usize) -> usize {
    let width = column.saturating_sub(GAP);
    if width > 156 { 156 } else { width }
}

/// The head of a lifeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Head {
    x: usize,
    left: usize,
    /// The name, as far as there is room: each line with its height.
    lines: Vec<(usize, String)>,
    role_y: usize,
    whole: String,
    role: &'static str,
}

impl Head {
    pub(super) fn of(line: &Lifeline, x: usize, width: usize, is_tight: bool) -> Self {
        let role = match line.role {
            Role::Person => "person",
            Role::Service => "service",
            Role::World => "world",
            Role::Agent => "agent",
            Role::Tool => "tool",
            Role::Others => "others",
        };
        let whole = one_line(&line.name);
        // Ten bold letters, as a rule.
        let ten = if is_tight { 70 } else { 80 };
        let lines = broken(&whole, width.saturating_sub(8) * 10 / ten);
        let (first, role_y) = if lines.len() > 1 { (27, 57) } else { (35, 51) };
        Self {
            x,
            left: x.saturating_sub(width / 2),
            lines: (first..).step_by(15).zip(lines).collect(),
            role_y,
            whole,
            role,
        }
    }

    pub(super) fn words(&self) -> String {
        format!("{} ({})", self.whole, self.role)
    }
}

/// A name in at most two lines, broken behind a mark in it if one stands well.
fn broken(name: &str, letters_max: usize) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= letters_max {
        return vec![name.to_owned()];
    }
    let mut lines = Vec::new();
    let mut rest = letters.as_slice();
    while lines.len() + 1 < LINES_MAX && rest.len() > letters_max {
        let (start, _) = rest.split_at_checked(letters_max).unwrap_or((rest, &[]));
        let mark = |c: &char| matches!(c, '-' | '_' | '.' | ' ' | '/');
        let well = start
            .iter()
            .rposition(mark)
            .map(|place| place + 1)
            .filter(|end| *end * 3 > letters_max);
        let (line, behind) = rest
            .split_at_checked(well.unwrap_or(letters_max))
            .unwrap_or((rest, &[]));
        lines.push(line.iter().collect::<String>().trim().to_owned());
        rest = behind;
    }
    let last: String = rest.iter().collect();
    lines.push(if rest.len() > letters_max {
        clip(&last, letters_max.saturating_sub(1))
    } else {
        last
    });
    lines
}
