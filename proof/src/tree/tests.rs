use ct_merkle::{ConsistencyProof, InclusionProof, RootHash, mem_backed_tree::MemoryBackedTree};
use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use super::{
    Frontier, ProofError, Prover, Subtree, inclusion_proof, node, verify_consistency,
    verify_inclusion,
};
use crate::Hash;

mod vectors;

/// The root as RFC 6962 defines it, by recursion.
fn defined(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => Sha256::digest([]).into(),
        [leaf] => *leaf,
        leaves => {
            let left = leaves.len().next_power_of_two() / 2;
            node(&defined(&leaves[..left]), &defined(&leaves[left..]))
        }
    }
}

/// What a leaf of these bytes is in a log of certificates.
fn leaf(bytes: &[u8]) -> Hash {
    Sha256::new()
        .chain_update([0])
        .chain_update(bytes)
        .finalize()
        .into()
}

/// Other people's tree over the leaves `0` to `size`, each of which is its own number.
fn other_tree(size: u64) -> MemoryBackedTree<Sha256, [u8; 8]> {
    let mut tree = MemoryBackedTree::new();
    (0..size).for_each(|number| tree.push(number.to_be_bytes()));
    tree
}

fn other_root(size: u64) -> Hash {
    (*other_tree(size).root().as_bytes()).into()
}

/// Adds the leaves of the other tree.
fn fill(prover: &mut Prover, size: u64) {
    (0..size).for_each(|number| prover.push(leaf(&number.to_be_bytes())));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_frontier_has_the_root_that_the_standard_defines(leaves in prop::collection::vec(any::<Hash>(), 0..70)) {
        let mut tree = Frontier::default();
        for leaf in &leaves {
            tree.push(*leaf);
        }
        prop_assert_eq!(tree.root(), defined(&leaves));
        let again = Frontier::from_parts(tree.size(), tree.roots().to_vec()).unwrap();
        prop_assert_eq!(again, tree);
    }

    #[test]
    fn a_proof_that_a_leaf_is_there_is_the_one_that_others_make(
        (size, index, now) in (1_u64..70).prop_flat_map(|size| (Just(size), 0..size, size..size + 20))
    ) {
        let mut prover = Prover::default();
        prover.want_inclusion(index, size).unwrap();
        fill(&mut prover, now);
        let proof = prover.inclusion(index, size).unwrap();
        let other = other_tree(size).prove_inclusion(usize::try_from(index).unwrap());
        prop_assert_eq!(&proof.concat(), other.as_bytes());
        let root = other_root(size);
        prop_assert_eq!(verify_inclusion(&leaf(&index.to_be_bytes()), index, size, &proof, &root), Ok(()));
    }

    #[test]
    fn a_proof_that_a_tree_only_grew_is_the_one_that_others_make(
        (old, new) in (1_u64..70).prop_flat_map(|new| (1..=new, Just(new)))
    ) {
        let mut prover = Prover::default();
        prover.want_consistency(old, new).unwrap();
        fill(&mut prover, new);
        let proof = prover.consistency(old, new).unwrap();
        let other = other_tree(new).prove_consistency(usize::try_from(new - old).unwrap());
        prop_assert_eq!(&proof.concat(), other.as_bytes());
        prop_assert_eq!(verify_consistency(old, &other_root(old), new, &other_root(new), &proof), Ok(()));
    }

    #[test]
    fn others_verify_any_proof_with_the_same_answer(
        (size, index) in (1_u64..40).prop_flat_map(|size| (Just(size), 0..size)),
        claimed in (0_u64..45, 0_u64..45),
        proof in prop::collection::vec(0_u64..40, 0..7),
    ) {
        // Real hashes of the tree, at places where they mostly do not belong.
        let proof: Vec<Hash> = proof.iter().map(|number| leaf(&number.to_be_bytes())).collect();
        let other = RootHash::<Sha256>::new(other_root(size).into(), claimed.1);
        let theirs = InclusionProof::try_from_bytes(proof.concat()).unwrap();
        let theirs = other.verify_inclusion(&index.to_be_bytes(), claimed.0, &theirs);
        let ours = verify_inclusion(&leaf(&index.to_be_bytes()), claimed.0, claimed.1, &proof, &other_root(size));
        prop_assert_eq!(ours.is_ok(), theirs.is_ok());
        let old = RootHash::<Sha256>::new(other_root(index).into(), index.max(1));
        let theirs = ConsistencyProof::try_from_bytes(proof.concat()).unwrap();
        let theirs = other.verify_consistency(&old, &theirs);
        let ours = verify_consistency(index.max(1), &other_root(index), claimed.1, &other_root(size), &proof);
        prop_assert_eq!(ours.is_ok(), theirs.is_ok());
    }

    #[test]
    fn a_proof_with_one_bit_turned_proves_nothing(
        (size, index, old) in (2_u64..70).prop_flat_map(|size| (Just(size), 0..size, 1..size)),
        hash in any::<prop::sample::Index>(),
        bit in 0_usize..256,
    ) {
        let mut prover = Prover::default();
        prover.want_inclusion(index, size).unwrap();
        prover.want_consistency(old, size).unwrap();
        fill(&mut prover, size);
        let turn = |mut proof: Vec<Hash>| {
            let at = hash.index(proof.len());
            proof[at][bit / 8] ^= 1 << (bit % 8);
            proof
        };
        let (root, old_root) = (prover.tree().root(), other_root(old));
        let proof = turn(prover.inclusion(index, size).unwrap());
        let verdict = verify_inclusion(&leaf(&index.to_be_bytes()), index, size, &proof, &root);
        prop_assert_eq!(verdict, Err(ProofError::NotIncluded));
        let proof = turn(prover.consistency(old, size).unwrap());
        let verdict = verify_consistency(old, &old_root, size, &root, &proof);
        prop_assert_eq!(verdict, Err(ProofError::NotConsistent));
    }

    #[test]
    fn no_size_makes_a_proof_hang_or_panic(
        index: u64, size: u64, proof in prop::collection::vec(any::<Hash>(), 0..66)
    ) {
        prop_assert!(verify_inclusion(&[7; 32], index, size, &proof, &[7; 32]).is_err());
        prop_assert!(index == size || verify_consistency(index, &[7; 32], size, &[8; 32], &proof).is_err());
        if index < size {
            prop_assert!(inclusion_proof(index, size, |_| Some([0; 32])).unwrap().len() <= 64);
        }
    }
}

#[test]
fn a_proof_among_a_million_leaves_has_at_most_640_bytes() {
    let size = 1_000_000;
    let bytes = |index| {
        inclusion_proof(index, size, |_| Some([0; 32]))
            .unwrap()
            .concat()
            .len()
    };
    assert_eq!(
        (bytes(0), bytes(size / 2), bytes(size - 1)),
        (640, 640, 384)
    );
    assert_eq!((0..size).step_by(4_999).map(bytes).max(), Some(640));
}

#[test]
fn leaves_and_trees_that_cannot_be_are_refused() {
    let mut prover = Prover::default();
    assert_eq!(
        prover.want_inclusion(3, 3),
        Err(ProofError::NoSuchLeaf { index: 3, size: 3 })
    );
    assert_eq!(
        prover.want_consistency(4, 3),
        Err(ProofError::Shrunk { old: 4, new: 3 })
    );
    fill(&mut prover, 2);
    let unknown = ProofError::Unknown(Subtree { level: 0, index: 1 });
    assert_eq!(prover.inclusion(0, 2), Err(unknown));
    let too_short = ProofError::Length {
        expected: 1,
        found: 0,
    };
    assert_eq!(
        verify_inclusion(&leaf(b""), 0, 2, &[], &other_root(2)),
        Err(too_short)
    );
}

#[test]
fn every_tree_begins_with_the_empty_one() {
    let nothing = Sha256::digest([]).into();
    assert_eq!(
        verify_consistency(0, &nothing, 3, &other_root(3), &[]),
        Ok(())
    );
    assert_eq!(
        verify_consistency(0, &[0; 32], 3, &other_root(3), &[]),
        Err(ProofError::NotConsistent)
    );
    assert_eq!(
        verify_consistency(2, &other_root(2), 2, &other_root(2), &[]),
        Ok(())
    );
    assert_eq!(
        verify_consistency(2, &other_root(2), 2, &other_root(1), &[]),
        Err(ProofError::NotConsistent)
    );
}
