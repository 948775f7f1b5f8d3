use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use super::{Frontier, node};
use crate::Hash;

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

proptest! {
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
}
