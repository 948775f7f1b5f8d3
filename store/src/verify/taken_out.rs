//! Content that is gone from a log: all of it must have been asked for.

use folkmoot_core::event::Span;
use folkmoot_core::ids::Position;

use super::report::{Damage, DamageKind};
use crate::format::event::ContentRef;

/// Content that is gone, and what was asked for. What a fork shares is its parent's affair.
#[derive(Debug, Default)]
pub(crate) struct TakenOut {
    /// Whether the world's content is encrypted.
    pub(crate) is_sealed: bool,
    /// What somebody asked to be erased.
    pub(crate) asked: Vec<Span>,
    /// What is erased, neighbours together.
    erased: Vec<Span>,
    /// The first content that is encrypted in a world that is not.
    encrypted: Option<Position>,
}

impl TakenOut {
    /// Notes how an event's content is stored.
    pub(crate) fn look_at(&mut self, at: Position, content: &ContentRef<'_>) {
        match content {
            ContentRef::None | ContentRef::Present { .. } => {}
            ContentRef::Sealed { .. } if self.is_sealed || at == Position::new(1) => {}
            ContentRef::Sealed { .. } => {
                self.encrypted.get_or_insert(at);
            }
            ContentRef::Erased { .. } => match self.erased.last_mut().filter(|last| last.to.next() == at) {
                Some(last) => last.to = at,
                None => self.erased.push(Span { from: at, to: at }),
            },
        }
    }

    /// The first content that is gone although nobody asked for that.
    pub(crate) fn unasked(&self) -> Option<Damage> {
        let positions = self.erased.iter().flat_map(|span| (span.from.get()..=span.to.get()).map(Position::new));
        let is_asked = |at: &Position| self.asked.iter().any(|span| span.from <= *at && *at <= span.to);
        let erased =
            positions.into_iter().find(|at| !is_asked(at)).map(|at| (at, "is erased, and nobody asked for that"));
        let encrypted = self.encrypted.map(|at| (at, "is encrypted, and the world is not sealed"));
        let (at, how) = erased.into_iter().chain(encrypted).min()?;
        let what = format!("the content of event {at} {how}");
        Some(Damage { at, until: None, kind: DamageKind::TakenOut, what })
    }
}
