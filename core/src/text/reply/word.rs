//! The words inside routing tags.

use super::RoutingTag;
use crate::ids::letters::{is_at, is_blank, is_comma};

/// The word inside a routing tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// `STOP`, `DONE`, `PASS`.
    Plain(RoutingTag),
    /// `TO:` and names.
    To(Vec<String>),
    /// Something else.
    Unknown,
}

impl Word {
    /// Reads what stands between the brackets, in any case.
    pub(super) fn read(content: &str) -> Self {
        let content = content.trim_matches(is_blank);
        let is = |word: &str| content.eq_ignore_ascii_case(word);
        if is("stop") {
            return Self::Plain(RoutingTag::Stop);
        }
        if is("done") {
            return Self::Plain(RoutingTag::Done);
        }
        if is("pass") {
            return Self::Plain(RoutingTag::Pass);
        }
        names(content).map_or(Self::Unknown, Self::To)
    }

    /// Reads what stands at the end of a line behind a bracket that nothing closes, or only the
    /// beginning of a closing bracket; `None` if that is no known word, or names go on on the next
    /// line.
    pub(super) fn read_unclosed(content: &str) -> Option<Self> {
        let content = without_half_bracket(content).trim_end_matches(is_blank);
        match Self::read(content) {
            Self::To(_) if content.ends_with(is_comma) => None,
            Self::Unknown => None,
            known @ (Self::To(_) | Self::Plain(_)) => Some(known),
        }
    }
}

/// The names behind `TO:`; `None` if there are none.
fn names(content: &str) -> Option<Vec<String>> {
    let (word, list) = content.split_once(':')?;
    let name = |name: &str| {
        name.trim_matches(is_blank)
            .trim_start_matches(is_at)
            .to_owned()
    };
    let names: Vec<String> = list
        .split(is_comma)
        .map(name)
        .filter(|name| !name.is_empty())
        .collect();
    (word.trim_end_matches(is_blank).eq_ignore_ascii_case("to") && !names.is_empty())
        .then_some(names)
}

fn without_half_bracket(content: &str) -> &str {
    let Some((before, half)) = content.rsplit_once('<') else {
        return content;
    };
    let half: String = half.chars().filter(|c| !is_blank(*c)).collect();
    if "/world".starts_with(&half.to_ascii_lowercase()) {
        before
    } else {
        content
    }
}
