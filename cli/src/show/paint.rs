//! From lines to what a terminal shows: names in a column, texts beside them.

use folkmoot::core::tool::View;
use folkmoot::view::transcript::ArtifactKinds;

use super::blocks::ShownView;
use super::chat::ChatLine;
use super::request;
use super::style::{BAD, BOLD, DIM, GOOD, NOTE, paint, speaker};
use crate::terminal;
use crate::text::gutter::{Flow, GUTTER, columns_of, guarded, hung, named};

/// The widest column of names.
const NAMES_MAX: usize = 18;

/// The layout of lines.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The names of those who speak, as far as they are known. Each has a colour.
    speakers: Vec<String>,
    /// The width of the column of names, in columns.
    names: usize,
}

impl Layout {
    /// A layout in which the longest name of `speakers` fits, within reason.
    pub(crate) fn new(speakers: &[String]) -> Self {
        let longest = speakers
            .iter()
            .map(|name| columns_of(&named(name)))
            .max()
            .unwrap_or_default();
        Self {
            speakers: speakers.to_vec(),
            names: longest.clamp(5, NAMES_MAX),
        }
    }

    /// Returns the blanks that a line of text begins with under a name.
    pub(crate) fn indent(&self) -> String {
        " ".repeat(self.names + 2)
    }

    /// A name, the room to the text, and the gutter before it.
    pub(crate) fn name(&self, name: &str, is_person: bool) -> String {
        let shown = named(name);
        let room = " ".repeat(self.names.saturating_sub(columns_of(&shown)));
        let number = self.speakers.iter().position(|speaker| speaker == name);
        let style = if is_person {
            BOLD
        } else {
            speaker(number.unwrap_or_default())
        };
        format!("{room}{}  {GUTTER} ", paint(style, &shown))
    }

    /// A text beside a name that is written while it comes.
    pub(crate) fn flow(&self) -> Flow {
        Flow::new(&self.indent(), terminal::width())
    }

    /// A text beside a name: each of its lines begins in the same column.
    fn text(&self, text: &str) -> String {
        let lines: Vec<String> = guarded(text)
            .iter()
            .map(|line| line.chars().skip(2).collect())
            .collect();
        lines.join(&format!("\n{}{GUTTER} ", self.indent()))
    }

    /// Draws the views of a tool, and says how to see all of them if they were cut.
    fn views(&self, views: &[View], kinds: &ArtifactKinds, all: &str) -> String {
        let indent = self.indent();
        let indented = u16::try_from(indent.len()).unwrap_or(u16::MAX);
        let room = terminal::width().map(|width| width.saturating_sub(indented));
        let mut lines = Vec::new();
        let mut is_cut = false;
        for view in views {
            let (of_view, is_more) = ShownView::of(view, kinds).lines(room);
            lines.extend(of_view);
            is_cut |= is_more;
        }
        lines.extend(is_cut.then(|| paint(DIM, &format!("· all of it: {all}"))));
        lines
            .into_iter()
            .map(|line| format!("{indent}{line}"))
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// A line.
    pub(crate) fn line(&self, line: &ChatLine) -> String {
        let indent = self.names + 2;
        let under = |text: String| format!("{}{text}", self.indent());
        let marked = |style, mark: &str, what: &str| {
            under(paint(style, &format!("{mark} {}", hung(what, indent))))
        };
        match line {
            ChatLine::Said {
                from,
                is_person,
                text,
                ..
            } => {
                format!(
                    "{}{}",
                    self.name(from, *is_person),
                    self.text(text.trim_end())
                )
            }
            ChatLine::Does { from, what } => {
                let from = named(from);
                let room = " ".repeat(self.names.saturating_sub(columns_of(&from)));
                format!(
                    "{room}{}",
                    paint(DIM, &format!("{from}  {}", hung(what, indent)))
                )
            }
            ChatLine::Shows { views, kinds, all } => self.views(views, kinds, all),
            ChatLine::Quiet(what) => marked(DIM, "·", what),
            ChatLine::Good(what) => marked(GOOD, "✓", what),
            ChatLine::Bad(what) => marked(BAD, "✗", what),
            ChatLine::Asks(name, lines) => {
                let block: Vec<String> =
                    request::block(name, lines).into_iter().map(under).collect();
                block.join("\n")
            }
            ChatLine::Keys { name, again, keys } => {
                let keys = marked(DIM, "·", &format!("{name}: {keys}"));
                again
                    .iter()
                    .map(|lines| self.line(&ChatLine::Asks(name.clone(), lines.clone())))
                    .chain([keys])
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            ChatLine::Plain(text) | ChatLine::ToType(text) => under(text.clone()),
            ChatLine::Note(text) => format!("\n{}\n", paint(NOTE, &hung(text, 0))),
        }
    }
}
