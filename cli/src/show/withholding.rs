//! Text that was kept from people, for those who run a room.

use folkmoot::view::withholding::{PartView, WithheldView};
use folkmoot::words::word;

use super::style::{BAD, DIM, paint};
use super::{clean, time};
use crate::text::gutter::guarded;

#[cfg(test)]
mod tests;

/// Shows what was kept back of one answer. The gutter stands before every line of its text, so that
/// none passes for another.
pub(crate) fn block(view: &WithheldView) -> Vec<String> {
    let instead = view.message.map_or_else(
        || "nothing was left".to_owned(),
        |message| format!("message {message}"),
    );
    let at = view.position.get();
    let when = paint(DIM, &time(view.time));
    let agent = clean(view.agent.as_str());
    let mut block = vec![format!(
        "{at:>5}  {when}  {agent} in answer {}, {instead}",
        view.answer
    )];
    block.extend(view.parts.iter().flat_map(part));
    block
}

fn part(part: &PartView) -> Vec<String> {
    let head = format!(
        "       {} {}",
        paint(BAD, &word(&part.family)),
        paint(DIM, &format!("bytes {}..{}", part.from, part.to))
    );
    let text = guarded(part.text.as_deref().unwrap_or("[erased]"));
    std::iter::once(head)
        .chain(text.into_iter().map(|line| format!("       {line}")))
        .collect()
}
