//! Content that is gone from a log: all of it must have been asked for.

use folkmoot_core::event::Span;
use folkmoot_core::ids::Position;

use super::report::{Damage, DamageKind};
use crate::format::event::ContentRef;

/// Content that is gone, and what was asked for. What a fork shares is its parent's affair.
#[derive(Debug, Default)]
pub(crate) struct TakenOut {
    /// True if the world's content is encrypted.
    pub(crate) is_sealed: bool,
    /// The spans that somebody asked to be erased.
    pub(crate) asked: Vec<Span>,
    /// The spans that are erased, neighbours together.
    erased: Vec<Span>,
    /// The first content that is encrypted in a world that is not.
    encrypted: Option<Position>,
}

impl TakenOut {
    /// Notes how an event's content is stored.
    pub(crate) fn look_at(&mut self, at: Position, content: &ContentRef<'_>) {
        match content {
            ContentRef::None | ContentRef::Present { .. } => {}
            ContentRef::Beside(_) if content.key().is_none() => {}
            ContentRef::Sealed { .. } | ContentRef::Beside(_)
                if self.is_sealed || at == Position::new(1) => {}
            ContentRef::Sealed { .. } | ContentRef::Beside(_) => {
                self.encrypted.get_or_insert(at);
            }
            ContentRef::Erased { .. } => {
                match self.erased.last_mut().filter(|last| last.to.next() == at) {
                    Some(last) => last.to = at,
                    None => self.erased.push(Span { from: at, to: at }),
                }
            }
        }
    }

    /// Tells whether somebody asked for the erasure of an event.
    pub(crate) fn is_asked(&self, at: Position) -> bool {
        self.asked
            .iter()
            .any(|span| span.from <= at && at <= span.to)
    }

    /// The first content that is gone although nobody asked for that.
    pub(crate) fn unasked(&self) -> Option<Damage> {
        let positions = self
            .erased
            .iter()
            .flat_map(|span| (span.from.get()..=span.to.get()).map(Position::new));
        let erased = positions
            .into_iter()
            .find(|at| !self.is_asked(*at))
            .map(|at| (at, "is erased, and nobody asked for that"));
        let encrypted = self
            .encrypted
            .map(|at| (at, "is encrypted, and the world is not sealed"));
        let (at, how) = erased.into_iter().chain(encrypted).min()?;
        let what = format!("the content of event {at} {how}");
        Some(Damage {
            at,
            until: None,
            kind: DamageKind::TakenOut,
            what,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GONE: ContentRef<'static> = ContentRef::Erased {
        by: None,
        commitment: [7; 32],
    };
    const ENCRYPTED: ContentRef<'static> = ContentRef::Sealed {
        key: [0; 16],
        nonce: [0; 24],
        bytes: b"?",
    };

    fn span(from: u64, to: u64) -> Span {
        Span {
            from: Position::new(from),
            to: Position::new(to),
        }
    }

    fn first_unasked(gone: &[u64], asked: &[Span]) -> Option<Position> {
        let mut taken = TakenOut {
            asked: asked.to_vec(),
            ..TakenOut::default()
        };
        gone.iter()
            .for_each(|at| taken.look_at(Position::new(*at), &GONE));
        taken.unasked().map(|damage| damage.at)
    }

    #[test]
    fn content_that_somebody_asked_to_erase_is_no_damage() {
        assert_eq!(
            first_unasked(&[4, 5, 6, 9], &[span(8, 9), span(3, 6)]),
            None
        );
        assert_eq!(first_unasked(&[], &[]), None);
    }

    #[test]
    fn content_that_is_gone_without_a_request_is_damage_at_its_place() {
        assert_eq!(
            first_unasked(&[4, 5, 6], &[span(4, 4), span(6, 6)]),
            Some(Position::new(5))
        );
        assert_eq!(first_unasked(&[2], &[]), Some(Position::new(2)));
    }

    #[test]
    fn content_is_encrypted_in_sealed_worlds_only() {
        let mut open = TakenOut::default();
        open.look_at(Position::new(3), &ENCRYPTED);
        assert_eq!(
            open.unasked().map(|damage| (damage.at, damage.kind)),
            Some((Position::new(3), DamageKind::TakenOut))
        );
        let mut sealed = TakenOut {
            is_sealed: true,
            ..TakenOut::default()
        };
        sealed.look_at(Position::new(3), &ENCRYPTED);
        assert_eq!(sealed.unasked(), None);
    }
}
