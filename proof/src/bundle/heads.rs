//! The signed heads of a bundle, and how a note that was kept elsewhere stands to it.

use std::collections::{BTreeMap, BTreeSet};

use super::check::Against;
use super::report::{BundleVerdict, Check, Checked};
use super::{Bundle, Note};
use crate::note::{Checkpoint, CheckpointError, NoteError, Signature, SignedNote, VerifierKey};
use crate::{Hash, ProofError, verify_consistency};

/// The roots of the trees that the commits of a whole bundle give, by their sizes.
pub(super) type Roots = BTreeMap<u64, Hash>;

/// The heads of a log's tree that a bundle has, and the one that is to be compared with them.
pub(super) struct BundleHeads {
    /// The head that all proofs of the bundle lead to. Nobody need have signed it.
    pub(super) head: Checkpoint,
    /// The position of the last event that this head covers.
    pub(super) last_event: u64,
    /// True if all commits of that tree are in the bundle.
    pub(super) is_whole: bool,
    /// The bundle's signed heads, in its order.
    notes: Vec<Result<SignedHead, HeadError>>,
    /// The note that was kept elsewhere, if there is one.
    against: Option<Result<SignedHead, HeadError>>,
    /// The sizes that all of them are about.
    sizes: BTreeSet<u64>,
}

/// A signed head.
struct SignedHead {
    /// The note, with its signatures.
    note: SignedNote,
    /// The checkpoint that the note holds.
    checkpoint: Checkpoint,
    /// The proof that the tree of the bundle's head begins with that of the note; empty if they are
    /// the same, or if the commits give both.
    proof: Vec<Hash>,
}

/// A reason why bytes are no signed head.
#[derive(Debug, Clone, thiserror::Error)]
enum HeadError {
    #[error(transparent)]
    Note(#[from] NoteError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

/// A fault of a signed head of a bundle.
#[derive(Debug, thiserror::Error)]
enum HeadFault {
    #[error("a signed head cannot be read: {0}")]
    Unreadable(#[source] HeadError),
    #[error("a signed head is of another log: {0}")]
    OtherLog(String),
    /// The tree of the bundle's head does not begin with that of the signed head.
    #[error("the signed head of {size} commits: {source}")]
    NotGrown { size: u64, source: ProofError },
    #[error("the signed head of {size} commits names another last event")]
    LastEvent { size: u64 },
    #[error(transparent)]
    Signature(NoteError),
}

/// The signers of a head, as far as they can be told.
enum Signers {
    /// Known keys, in words, and the number of commits that they vouch for.
    Known { names: Vec<String>, covered: u64 },
    /// Keys that were not given, as the note names them.
    Unknown(Vec<String>),
}

impl SignedHead {
    fn read(bytes: &[u8], proof: &[Hash]) -> Result<Self, HeadError> {
        let note = SignedNote::parse(bytes)?;
        let checkpoint = Checkpoint::parse(note.text())?;
        Ok(Self {
            note,
            checkpoint,
            proof: proof.to_vec(),
        })
    }

    fn is_of(&self, size: u64) -> bool {
        self.checkpoint.size == size
    }
}

impl BundleHeads {
    pub(super) fn read(
        bundle: &Bundle,
        head: Checkpoint,
        last_event: u64,
        against: Option<Against<'_>>,
    ) -> Self {
        // No field says that a bundle is whole, since it could lie: as many commits as the tree has
        // leaves, and no proofs, make it so.
        let has_all = u64::try_from(bundle.commits.len()) == Ok(head.size);
        let is_whole = has_all && bundle.commits.iter().all(|commit| commit.proof.is_empty());
        let read = |Note { note, proof }: &Note| SignedHead::read(note.as_bytes(), proof);
        let notes: Vec<_> = bundle.notes.iter().map(read).collect();
        let against = against.map(|Against(note)| SignedHead::read(note, &[]));
        let sizes = notes
            .iter()
            .chain(&against)
            .flatten()
            .map(|head| head.checkpoint.size)
            .collect();
        Self {
            head,
            last_event,
            is_whole,
            notes,
            against,
            sizes,
        }
    }

    /// Tells whether the root of the tree of that size is needed.
    pub(super) fn is_asked_for(&self, size: u64) -> bool {
        self.sizes.contains(&size)
    }

    /// Verifies the signed heads. Gives for how many commits a known key vouches, too.
    pub(super) fn signature(
        &self,
        keys: &[VerifierKey],
        roots: &Roots,
        last: Option<u64>,
    ) -> (Check, u64) {
        let mut faults = Vec::new();
        let mut signed = Vec::new();
        let mut unknown = Vec::new();
        let mut covered = 0;
        for head in &self.notes {
            match self.verify(head, keys, roots) {
                Err(fault) => faults.push(fault.to_string()),
                // A head of no commits vouches for none, whoever signed it.
                Ok(Signers::Unknown(names) | Signers::Known { names, covered: 0 }) => {
                    unknown.extend(names);
                }
                Ok(Signers::Known {
                    names,
                    covered: size,
                }) => {
                    covered = covered.max(size);
                    signed.extend(names);
                }
            }
        }
        let (verdict, why) = if !faults.is_empty() {
            (BundleVerdict::Damaged, faults)
        } else if last.is_some_and(|last| last < covered) {
            (BundleVerdict::Intact, signed)
        } else {
            signed.push(unsigned(keys, &unknown, covered));
            (BundleVerdict::NotChecked, signed)
        };
        (
            Check {
                what: Checked::Signature,
                verdict,
                why,
            },
            covered,
        )
    }

    /// Verifies a head, and returns its signers.
    fn verify(
        &self,
        head: &Result<SignedHead, HeadError>,
        keys: &[VerifierKey],
        roots: &Roots,
    ) -> Result<Signers, HeadFault> {
        let head = head
            .as_ref()
            .map_err(|error| HeadFault::Unreadable(error.clone()))?;
        let Checkpoint { origin, size, .. } = &head.checkpoint;
        if *origin != self.head.origin || head.checkpoint.world().is_none() {
            return Err(HeadFault::OtherLog(origin.clone()));
        }
        self.verify_growth(head, roots)
            .map_err(|source| HeadFault::NotGrown {
                size: *size,
                source,
            })?;
        let last = head
            .checkpoint
            .last_event()
            .filter(|last| *last <= self.last_event);
        let last = last.filter(|last| *size < self.head.size || *last == self.last_event);
        let last = last.ok_or(HeadFault::LastEvent { size: *size })?;
        match head.note.verify(keys) {
            Ok(signers) => {
                let told = |key: &&VerifierKey| {
                    format!(
                        "`{}` (key id {}) signed {size} commits, up to event {last}",
                        key.name(),
                        key.id()
                    )
                };
                Ok(Signers::Known {
                    names: signers.iter().map(told).collect(),
                    covered: *size,
                })
            }
            Err(NoteError::NoKnownKey) => {
                let named = |by: &Signature| format!("`{}` ({})", by.name(), by.id());
                Ok(Signers::Unknown(
                    head.note.signatures().iter().map(named).collect(),
                ))
            }
            Err(error) => Err(HeadFault::Signature(error)),
        }
    }

    /// Verifies that the tree of the head begins with that of a note.
    fn verify_growth(&self, head: &SignedHead, roots: &Roots) -> Result<(), ProofError> {
        let Checkpoint { size, root, .. } = &head.checkpoint;
        let now = &self.head;
        // The commits give the roots at all sizes, so that a whole bundle needs no proof.
        if self.is_whole && head.proof.is_empty() && *size < now.size {
            return if roots.get(size) == Some(root) {
                Ok(())
            } else {
                Err(ProofError::NotConsistent)
            };
        }
        verify_consistency(*size, root, now.size, &now.root, &head.proof)
    }

    /// Compares the note that was kept elsewhere with the bundle; `None` if there is no such note.
    pub(super) fn comparison(&self, keys: &[VerifierKey], roots: &Roots) -> Option<Check> {
        let (verdict, why) = match self.against.as_ref()? {
            Err(error) => (
                BundleVerdict::NotChecked,
                format!("the note cannot be read: {error}"),
            ),
            Ok(head) => match head.note.verify(keys) {
                // A key is known and the signature is wrong: then it is no use to compare what the
                // note says.
                Err(error @ NoteError::BadSignature { .. }) => {
                    (BundleVerdict::Damaged, error.to_string())
                }
                Ok(_) => self.compare(head, roots),
                Err(_) => {
                    let (verdict, why) = self.compare(head, roots);
                    (
                        verdict,
                        format!(
                            "{why} (no given key has signed the note; it is compared as it is)"
                        ),
                    )
                }
            },
        };
        Some(Check {
            what: Checked::Against,
            verdict,
            why: vec![why],
        })
    }

    fn compare(&self, head: &SignedHead, roots: &Roots) -> (BundleVerdict, String) {
        let Checkpoint {
            origin, size, root, ..
        } = &head.checkpoint;
        let now = &self.head;
        if *origin != now.origin {
            return (
                BundleVerdict::Damaged,
                format!("the note is of another log: {origin}"),
            );
        }
        // A log may have gone on since the export: that is no conflict, and no proof either.
        if *size > now.size {
            let what = format!(
                "the note has {size} commits, the bundle only {}: export it again",
                now.size
            );
            return (BundleVerdict::NotChecked, what);
        }
        let same_size = self.notes.iter().flatten().filter(|head| head.is_of(*size));
        let mut noted = same_size.filter(|head| self.verify_growth(head, roots).is_ok());
        let known = if *size == now.size {
            Some(now.root)
        } else {
            roots.get(size).copied()
        };
        match known.or_else(|| noted.next().map(|head| head.checkpoint.root)) {
            None => {
                let what = format!(
                    "the bundle has no proof from {size} commits on: export it again with this note"
                );
                (BundleVerdict::NotChecked, what)
            }
            Some(found) if found != *root => {
                let what = format!(
                    "conflict: the log of the note had other commits among its first {size}"
                );
                (BundleVerdict::Damaged, what)
            }
            Some(_) if *size == now.size => (
                BundleVerdict::Intact,
                "the log is the one of the note".to_owned(),
            ),
            Some(_) => {
                let what = format!(
                    "the log grew from the note's {size} commits to {}, and kept them all",
                    now.size
                );
                (BundleVerdict::Intact, what)
            }
        }
    }
}

/// Says why nobody vouches for all commits that are here.
fn unsigned(keys: &[VerifierKey], unknown: &[String], covered: u64) -> String {
    match (unknown.is_empty(), keys.is_empty(), covered) {
        (true, _, 0) => {
            "not signed: the bundle has no signed head, so whoever made it could have made it all up".into()
        }
        (false, true, 0) => {
            format!("not checked: no key was given; the bundle says that {} signed it", unknown.join(", "))
        }
        (_, _, 0) => {
            format!("not checked: none of the given keys has signed it; the bundle says that {} did", unknown.join(", "))
        }
        (_, _, covered) => format!("not checked: no known key signed the commits from number {covered} on"),
    }
}
