//! The known answers of the reference implementation of Certificate Transparency.

use super::{leaf, verify_consistency, verify_inclusion};
use crate::{Frontier, Hash, Prover};

const LEAVES: [&[u8]; 8] = [
    &[],
    &[0x00],
    &[0x10],
    &[0x20, 0x21],
    &[0x30, 0x31],
    &[0x40, 0x41, 0x42, 0x43],
    &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
    &[
        0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e,
        0x6f,
    ],
];

const ROOTS: [&str; 9] = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

/// The leaf, the size of the tree, the proof.
const INCLUSION: [(u64, u64, &[&str]); 3] = [
    (0, 1, &[]),
    (
        0,
        8,
        &[
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        5,
        8,
        &[
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
];

/// The old size, the new size, the proof.
const CONSISTENCY: [(u64, u64, &[&str]); 4] = [
    (1, 1, &[]),
    (
        1,
        8,
        &[
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        6,
        8,
        &[
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (
        2,
        5,
        &[
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
];

fn hash(hex: &str) -> Hash {
    std::array::from_fn(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
}

fn root(size: u64) -> Hash {
    hash(ROOTS[usize::try_from(size).unwrap()])
}

#[test]
fn the_known_trees_have_the_known_roots() {
    let mut tree = Frontier::default();
    let mut roots = vec![tree.root()];
    for bytes in LEAVES {
        tree.push(leaf(bytes));
        roots.push(tree.root());
    }
    assert_eq!(roots, ROOTS.map(hash));
}

#[test]
fn the_known_proofs_are_made_and_verified() {
    let mut prover = Prover::default();
    INCLUSION
        .iter()
        .for_each(|(index, size, _)| prover.want_inclusion(*index, *size).unwrap());
    CONSISTENCY
        .iter()
        .for_each(|(old, new, _)| prover.want_consistency(*old, *new).unwrap());
    LEAVES.iter().for_each(|bytes| prover.push(leaf(bytes)));
    for (index, size, known) in INCLUSION {
        let known: Vec<Hash> = known.iter().map(|hex| hash(hex)).collect();
        assert_eq!(prover.inclusion(index, size), Ok(known.clone()));
        let leaf = leaf(LEAVES[usize::try_from(index).unwrap()]);
        assert_eq!(
            verify_inclusion(&leaf, index, size, &known, &root(size)),
            Ok(())
        );
    }
    for (old, new, known) in CONSISTENCY {
        let known: Vec<Hash> = known.iter().map(|hex| hash(hex)).collect();
        assert_eq!(prover.consistency(old, new), Ok(known.clone()));
        assert_eq!(
            verify_consistency(old, &root(old), new, &root(new), &known),
            Ok(())
        );
    }
}
