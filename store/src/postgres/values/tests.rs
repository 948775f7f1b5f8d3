//! Texts: each comes back, and none is like another.

use proptest::prelude::*;

use super::{read_text, text};

proptest! {
    #[test]
    fn any_text_comes_back_without_a_nul_in_between(one in "[a\0\u{1}01é]{0,8}", other in "[a\0\u{1}01é]{0,8}") {
        let written = text(&one);
        prop_assert!(!written.contains('\0'));
        prop_assert_eq!(read_text(&written), one.clone());
        prop_assert_eq!(text(&other) == written, other == one);
    }
}
