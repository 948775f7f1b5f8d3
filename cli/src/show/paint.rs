//! From lines to what a terminal shows: names in a column, texts beside them.

use super::blocks::Shown;
use super::chat::Line;
use super::style::{BAD, BOLD, DIM, GOOD, NOTE, paint, speaker};
use super::{clean, request};
use crate::terminal;

/// The widest column of names.
const NAMES_MAX: usize = 18;

/// How lines are laid out.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// Those who speak, as far as they are known. Each has a colour.
    speakers: Vec<String>,
    names: usize,
}

impl Layout {
    /// A layout in which the longest name of `speakers` fits, within reason.
    pub(crate) fn new(speakers: &[String]) -> Self {
        let longest = speakers.iter().map(|name| name.chars().count()).max().unwrap_or_default();
        Self { speakers: speakers.to_vec(), names: longest.clamp(5, NAMES_MAX) }
    }

    /// How a line of text begins under a name.
    pub(crate) fn indent(&self) -> String {
        " ".repeat(self.names.saturating_add(2))
    }

    /// A name, and the room to the text.
    pub(crate) fn name(&self, name: &str, is_person: bool) -> String {
        let room = " ".repeat(self.names.saturating_sub(name.chars().count()));
        let number = self.speakers.iter().position(|speaker| speaker == name);
        let style = if is_person { BOLD } else { speaker(number.unwrap_or_default()) };
        format!("{room}{}  ", paint(style, &clean(name)))
    }

    /// A text beside a name: each of its lines begins in the same column.
    pub(crate) fn text(&self, text: &str) -> String {
        clean(text).replace('\n', &format!("\n{}", self.indent()))
    }

    /// What a tool shows, and how to see all of it, if it is not all.
    fn views(&self, views: &[Shown], all: &str) -> String {
        let indent = self.indent();
        let indented = u16::try_from(indent.len()).unwrap_or(u16::MAX);
        let room = terminal::width().map(|width| width.saturating_sub(indented));
        let (mut lines, mut is_cut) = (Vec::new(), false);
        for view in views {
            let (of_view, is_more) = view.lines(room);
            lines.extend(of_view);
            is_cut |= is_more;
        }
        lines.extend(is_cut.then(|| paint(DIM, &format!("· all of it: {all}"))));
        lines.into_iter().map(|line| format!("{indent}{line}")).collect::<Vec<_>>().join("\n")
    }

    /// A line.
    pub(crate) fn line(&self, line: &Line) -> String {
        let under = |text: String| format!("{}{text}", self.indent());
        match line {
            Line::Said { from, is_person, text, .. } => {
                format!("{}{}", self.name(from, *is_person), self.text(text.trim_end()))
            }
            Line::Does { from, what } => {
                let room = " ".repeat(self.names.saturating_sub(from.chars().count()));
                format!("{room}{}", paint(DIM, &format!("{from}  {}", clean(what))))
            }
            Line::Shows(views, all) => self.views(views, all),
            Line::Quiet(what) => under(paint(DIM, &format!("· {}", clean(what)))),
            Line::Good(what) => under(paint(GOOD, &format!("✓ {}", clean(what)))),
            Line::Bad(what) => under(paint(BAD, &format!("✗ {}", clean(what)))),
            Line::Asks(name, lines) => {
                let block: Vec<String> = request::block(name, lines).into_iter().map(under).collect();
                block.join("\n")
            }
            Line::Plain(text) => under(text.clone()),
            Line::Note(text) => format!("\n{}\n", paint(NOTE, &clean(text))),
        }
    }
}
