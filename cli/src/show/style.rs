//! Colours and weights.

use anstyle::{AnsiColor, Color, Style};

const fn colored(color: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(color)))
}

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const NOTE: Style = Style::new().italic();
pub(crate) const GOOD: Style = colored(AnsiColor::Green);
pub(crate) const BAD: Style = colored(AnsiColor::Red);
pub(crate) const ASKS: Style = colored(AnsiColor::Yellow);

const SPEAKERS: [AnsiColor; 5] = [
    AnsiColor::Cyan,
    AnsiColor::Magenta,
    AnsiColor::Blue,
    AnsiColor::BrightGreen,
    AnsiColor::BrightYellow,
];

/// The colour of the `number`-th speaker.
pub(crate) fn speaker(number: usize) -> Style {
    colored(
        SPEAKERS
            .get(number % SPEAKERS.len())
            .copied()
            .unwrap_or(AnsiColor::Cyan),
    )
    .bold()
}

/// `text` in `style`.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
