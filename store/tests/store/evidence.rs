//! Commits as they are stored, with their proofs.

use std::collections::BTreeSet;

use folkmoot_core::ids::Position;
use folkmoot_core::port::ReadError;
use folkmoot_proof::leaf::{Leaf, LeafEvent, NO_LINK, commitment, link};
use folkmoot_proof::{Hash, verify_consistency, verify_inclusion};
use folkmoot_store::{Choice, Evidence, Store, StoredContent, StoredRecord, Wanted};

use crate::fixture::{fill, world};

crate::on_every_engine! {
    all_commits_give_the_links_and_the_root
    chosen_commits_come_with_proofs_to_the_same_root
    a_log_is_proven_to_have_begun_with_any_shorter_one
    an_unknown_world_has_no_evidence
}

/// How many events the test's world has: two in its first commit, then one in each.
const HEAD: u64 = 40;

async fn evidence(
    store: &Store,
    choice: Choice,
    size: Option<u64>,
    grown_from: &[u64],
) -> Evidence {
    let wanted = Wanted {
        world: world(1),
        choice,
        size,
        grown_from: grown_from.to_vec(),
    };
    store.evidence(wanted).await.unwrap()
}

/// A store in which another world's commits stand in between.
async fn filled(store: Store) -> Store {
    fill(&store, 1, HEAD).await;
    fill(&store, 2, 5).await;
    store
}

fn leaf(record: &StoredRecord) -> Hash {
    let mut leaf = Leaf::new(&record.header);
    for event in &record.events {
        let commitment = match &event.content {
            StoredContent::None => None,
            StoredContent::Present { salt, bytes } => Some(commitment(salt, bytes)),
            StoredContent::Erased { commitment } | StoredContent::Sealed { commitment } => {
                Some(*commitment)
            }
        };
        let (kind, version, facts) = (event.kind, event.version, event.facts.as_slice());
        leaf.add(&LeafEvent {
            kind,
            version,
            facts,
            commitment: commitment.as_ref(),
        });
    }
    leaf.finish()
}

async fn all_commits_give_the_links_and_the_root(store: Store) {
    let store = filled(store).await;
    let found = evidence(&store, Choice::All, None, &[]).await;
    let (mut last, mut tree) = (NO_LINK, folkmoot_proof::Frontier::default());
    for (index, record) in (0..).zip(&found.commits) {
        last = link(&last, &leaf(record));
        tree.push(leaf(record));
        assert_eq!(
            (record.index, record.link.as_bytes(), record.proof.len()),
            (index, &last, 0)
        );
    }
    assert_eq!((found.tree, found.last), (tree, Position::new(HEAD)));
    let cut = evidence(&store, Choice::All, Some(7), &[]).await;
    assert_eq!(
        (cut.tree.size(), cut.last, cut.commits),
        (7, Position::new(8), found.commits[..7].to_vec())
    );
}

async fn chosen_commits_come_with_proofs_to_the_same_root(store: Store) {
    let store = filled(store).await;
    let whole = evidence(&store, Choice::All, None, &[]).await;
    let chosen = BTreeSet::from([2, 17, HEAD].map(Position::new));
    let found = evidence(&store, Choice::Holding(chosen), None, &[]).await;
    assert_eq!(found.tree, whole.tree);
    let firsts: Vec<_> = found
        .commits
        .iter()
        .map(|record| record.first.get())
        .collect();
    assert_eq!(firsts, [1, 17, HEAD]);
    for record in &found.commits {
        let (size, root) = (found.tree.size(), found.tree.root());
        assert_eq!(
            verify_inclusion(&leaf(record), record.index, size, &record.proof, &root),
            Ok(())
        );
    }
}

async fn a_log_is_proven_to_have_begun_with_any_shorter_one(store: Store) {
    let store = filled(store).await;
    let found = evidence(
        &store,
        Choice::Holding(BTreeSet::new()),
        None,
        &[5, 39, 100],
    )
    .await;
    assert_eq!(
        found
            .grown
            .iter()
            .map(|(size, _)| *size)
            .collect::<Vec<_>>(),
        [5, 39]
    );
    for (size, proof) in &found.grown {
        let old = evidence(&store, Choice::Holding(BTreeSet::new()), Some(*size), &[])
            .await
            .tree;
        let (new_size, new_root) = (found.tree.size(), found.tree.root());
        assert_eq!(
            verify_consistency(*size, &old.root(), new_size, &new_root, proof),
            Ok(())
        );
    }
}

async fn an_unknown_world_has_no_evidence(store: Store) {
    let wanted = Wanted {
        world: world(9),
        choice: Choice::All,
        size: None,
        grown_from: Vec::new(),
    };
    let found = store.evidence(wanted).await;
    assert!(matches!(found, Err(ReadError::NoSuchWorld(_))), "{found:?}");
}
