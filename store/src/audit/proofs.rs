//! Proofs that are made of a world's log.

use std::ops::ControlFlow;
use std::sync::Arc;

use folkmoot_core::event::TreeHead;
use folkmoot_core::ids::{Digest, Position, WorldId};
use folkmoot_core::port::ReadError;
use folkmoot_proof::{Frontier, Hash, ProofError, Prover};

use super::live::{cut, walk};
use crate::format::Malformed;
use crate::format::record::RecordRef;
use crate::local::{Inner, LocalStore};
use crate::state::shared::CLOSED;
use crate::sync::threads::blocking;
use crate::verify::walk::Item;

/// A proof that a commit is in a world's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inclusion {
    /// The commit's leaf.
    pub leaf: Digest,
    /// The number of commits before it.
    pub index: u64,
    /// The head that it is proven for.
    pub head: TreeHead,
    /// The hashes beside the way from the leaf to the root, as RFC 6962 orders them.
    pub path: Vec<Hash>,
}

impl LocalStore {
    /// Proves that the commit with the event at `position` is in the log of `world` as it stands
    /// now.
    pub(crate) async fn inclusion_proof(
        &self,
        world: WorldId,
        position: Position,
    ) -> Result<Inclusion, ReadError> {
        let inner = Arc::clone(&self.inner);
        blocking(move || inclusion(&inner, world, position)).await
    }

    /// Proves that the log of `world` with `new` commits begins with the one of `old` commits: the
    /// hashes as RFC 6962 orders them.
    pub(crate) async fn consistency_proof(
        &self,
        world: WorldId,
        old: u64,
        new: u64,
    ) -> Result<Vec<Hash>, ReadError> {
        let inner = Arc::clone(&self.inner);
        blocking(move || {
            let mut prover = Prover::default();
            prover
                .want_consistency(old, new)
                .map_err(|error| damaged(Position::ZERO, &error))?;
            push_all(&inner, world, &mut prover)?;
            prover
                .consistency(old, new)
                .map_err(|error| damaged(Position::ZERO, &error))
        })
        .await
    }
}

fn inclusion(inner: &Inner, world: WorldId, position: Position) -> Result<Inclusion, ReadError> {
    let mut index = 0_u64;
    let mut leaf = Ok(Hash::default());
    let mut has_found = false;
    let head = each_record(inner, world, &mut |record| {
        has_found = record.fixed.last() >= position;
        if has_found {
            leaf = record.leaf();
            return ControlFlow::Break(());
        }
        index += 1;
        ControlFlow::Continue(())
    })?;
    let leaf = leaf.map_err(|Malformed(what)| ReadError::Damaged { at: position, what })?;
    let mut prover = Prover::default();
    prover
        .want_inclusion(index, head.size())
        .map_err(|error| damaged(position, &error))?;
    let head = push_all(inner, world, &mut prover)?;
    let path = prover
        .inclusion(index, head.commits)
        .map_err(|error| damaged(position, &error))?;
    Ok(Inclusion {
        leaf: Digest::new(leaf),
        index,
        head,
        path,
    })
}

fn damaged(at: Position, error: &ProofError) -> ReadError {
    ReadError::Damaged {
        at,
        what: error.to_string(),
    }
}

/// Adds all leaves of a world, and verifies that they give the root that the index has.
fn push_all(inner: &Inner, world: WorldId, prover: &mut Prover) -> Result<TreeHead, ReadError> {
    let mut of = Position::ZERO;
    let mut bad = None;
    let known = each_record(inner, world, &mut |record| {
        of = record.fixed.last();
        match record.leaf() {
            Ok(leaf) => prover.push(leaf),
            Err(Malformed(what)) => bad = Some(what),
        }
        if bad.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    match bad {
        Some(what) => Err(ReadError::Damaged { at: of, what }),
        None if known != *prover.tree() => Err(ReadError::Damaged {
            at: of,
            what: "the log does not give the root that the index has".to_owned(),
        }),
        None => Ok(TreeHead {
            of,
            commits: known.size(),
            root: Digest::new(known.root()),
        }),
    }
}

/// Hands out the records of a world as it stands now, and gives its tree.
fn each_record(
    inner: &Inner,
    world: WorldId,
    each: &mut dyn FnMut(&RecordRef<'_>) -> ControlFlow<()>,
) -> Result<Frontier, ReadError> {
    let shared = inner.shared.as_ref();
    let plan = cut(&shared.index(), world).ok_or(ReadError::NoSuchWorld(world))?;
    let lease = shared.lease();
    let engine = lease
        .engine()
        .map_err(|_| ReadError::Stopped(CLOSED.to_owned()))?;
    let mut broken = None;
    walk(shared, engine, &plan, &mut |item| match item {
        Item::Record(record) => each(&record),
        Item::Broken(trouble) => {
            broken = Some(trouble.what);
            ControlFlow::Break(())
        }
    })?;
    match broken {
        Some(what) => Err(ReadError::Damaged {
            at: Position::ZERO,
            what,
        }),
        None => Ok(plan.known.and_then(|known| known.tree).unwrap_or_default()),
    }
}
