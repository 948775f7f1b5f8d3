//! The vouchers for a log: heads that were signed in it, and anchors that were kept elsewhere.

use std::collections::VecDeque;

use folkmoot_core::event::{Forked, HeadSigned, Occasion};
use folkmoot_core::ids::{Digest, Position, WorldId};
use folkmoot_proof::Frontier;
use folkmoot_proof::note::Checkpoint;

use super::against::Against;
use super::report::{
    AnchorOutcome, Anchored, Damage, DamageKind, Heads, SeenHead, SignatureVerdict,
};

/// The heads and anchors that were found so far.
#[derive(Debug)]
pub(crate) struct Attest<'a> {
    against: &'a Against,
    heads: Heads,
    anchored: Vec<Anchored>,
    /// The anchors behind the last commit, the smallest first.
    ahead: VecDeque<Checkpoint>,
    /// Up to here an anchor or a head that a given key signed has the same root.
    proven: Position,
    /// Up to here a head has the same root, whoever signed it.
    seen: Position,
    /// True if the last thing that happened was that the world was closed.
    is_closed: bool,
}

impl<'a> Attest<'a> {
    pub(crate) fn new(against: &'a Against, world: WorldId) -> Self {
        let mut attest = Self {
            against,
            heads: Heads::default(),
            anchored: Vec::new(),
            ahead: against.of(world).into(),
            proven: Position::ZERO,
            seen: Position::ZERO,
            is_closed: false,
        };
        attest.anchors(Position::ZERO, &Frontier::default());
        attest
    }

    /// The first event that nobody vouches for, in the log as it stands.
    pub(crate) fn next_seen(&self) -> Position {
        self.seen.max(self.proven).next()
    }

    /// Takes in that a commit begins at `first`, after what it signed was.
    pub(crate) fn commit(&mut self, first: Position, is_opened: bool) -> Option<Damage> {
        let was_closed = std::mem::take(&mut self.is_closed);
        let signed = self.heads.last.as_ref().filter(|last| last.at >= first);
        self.is_closed = signed.is_some_and(|last| last.occasion == Occasion::Close);
        (was_closed && !is_opened).then(|| Damage {
            at: first,
            until: None,
            kind: DamageKind::Fabricated,
            what: "the world was closed before it, and nobody opened it again".to_owned(),
        })
    }

    /// Compares a head that stands at `at` with the log that ends at `before`.
    pub(crate) fn head(
        &mut self,
        world: WorldId,
        at: Position,
        signed: &HeadSigned,
        before: Position,
        tree: &Frontier,
    ) -> Option<Damage> {
        let HeadSigned {
            head,
            key,
            signature: _,
            occasion,
        } = signed;
        let signature = self.against.signature(world, signed);
        self.heads.seen += 1;
        let head = head.clone();
        let key = key.clone();
        let occasion = *occasion;
        let fits = head.commits == tree.size()
            && head.of == before
            && head.root == Digest::new(tree.root());
        let damage = match (fits, signature) {
            (true, SignatureVerdict::Verified | SignatureVerdict::NotChecked) => None,
            (true, SignatureVerdict::Wrong) => {
                let what = format!("the head at event {at} is not signed by its key {key}");
                Some(self.disagrees(at, signature, DamageKind::Fabricated, what))
            }
            (false, _) => {
                let what = format!("the head that was signed at event {at} has another root");
                Some(self.disagrees(at, signature, DamageKind::Rewritten, what))
            }
        };
        if damage.is_none() {
            self.agrees(before, signature);
        }
        self.heads.last = Some(SeenHead {
            at,
            head,
            key,
            occasion,
            signature,
        });
        damage
    }

    fn agrees(&mut self, before: Position, signature: SignatureVerdict) {
        self.seen = before;
        if signature == SignatureVerdict::Verified {
            self.proven = before;
            self.heads.signed += 1;
        }
    }

    fn disagrees(
        &self,
        at: Position,
        signature: SignatureVerdict,
        kind: DamageKind,
        what: String,
    ) -> Damage {
        let from = match signature {
            SignatureVerdict::NotChecked => self.next_seen(),
            SignatureVerdict::Verified | SignatureVerdict::Wrong => self.proven.next(),
        };
        Damage {
            at: from,
            until: Some(at),
            kind,
            what,
        }
    }

    /// Compares what a fork says of the log that it was branched off.
    pub(crate) fn fork(
        &mut self,
        forked: &Forked,
        before: Position,
        tree: &Frontier,
        link: &Digest,
    ) -> Option<Damage> {
        let base = &forked.base;
        let fits = base.of == before
            && base.commits == tree.size()
            && base.root == Digest::new(tree.root())
            && forked.link == *link;
        (!fits).then(|| Damage {
            at: self.next_seen(),
            until: Some(before),
            kind: DamageKind::Rewritten,
            what: format!("the fork was made of another log up to event {}", base.of),
        })
    }

    /// Compares the anchors that cover as many commits as there are now.
    pub(crate) fn anchors(&mut self, end: Position, tree: &Frontier) -> Option<Damage> {
        let mut damage = None;
        while let Some(anchor) = self.ahead.pop_front_if(|anchor| anchor.size == tree.size()) {
            let fits = anchor.root == tree.root();
            let is_altered = anchor.last_event().is_some_and(|event| event != end.get());
            let outcome = match (fits, is_altered) {
                (false, _) => AnchorOutcome::Differs,
                (true, true) => AnchorOutcome::Altered,
                (true, false) => AnchorOutcome::Fits,
            };
            if !fits {
                damage.get_or_insert(Damage {
                    at: self.proven.next(),
                    until: Some(end),
                    kind: DamageKind::Rewritten,
                    what: format!(
                        "an anchor has another root over the first {} commits",
                        anchor.size
                    ),
                });
            } else if damage.is_none() && !is_altered {
                self.proven = self.proven.max(end);
            }
            self.anchored.push(anchored(&anchor, Some(end), outcome));
        }
        damage
    }

    pub(crate) fn ahead(&self) -> Option<&Checkpoint> {
        self.ahead.front()
    }

    /// The heads, the anchors, and the last event that somebody vouches for.
    pub(crate) fn finish(self, is_whole: bool) -> (Heads, Vec<Anchored>, Position) {
        let Self {
            heads,
            anchored: mut anchors,
            ahead,
            proven,
            ..
        } = self;
        let outcome = if is_whole {
            AnchorOutcome::Ahead
        } else {
            AnchorOutcome::NotReached
        };
        anchors.extend(ahead.iter().map(|anchor| anchored(anchor, None, outcome)));
        (heads, anchors, proven)
    }
}

fn anchored(anchor: &Checkpoint, of: Option<Position>, outcome: AnchorOutcome) -> Anchored {
    Anchored {
        commits: anchor.size,
        root: Digest::new(anchor.root),
        of,
        outcome,
    }
}
