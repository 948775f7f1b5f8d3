use proptest::prelude::*;

use super::super::comments::Comments;
use super::super::value::{self, LEVELS_MAX};
use super::*;

/// Pieces of which texts are made that are full of comments, also of those that were written into texts.
const PIECES: &[&str] = &[
    "[", "{", "[/*", "{/*", "[//", "/*", "*/", "//", "/", "*", "\n", "\\n", "\\\\n", "\\", "\\u",
    "\"", "\\\"", "'", "1,", "]", "é",
];

/// Reads a value from each place on, in order, in two parts, and gives what came of each.
fn read_all(
    text: &str,
    level: usize,
    split: usize,
    mut forget: impl FnMut(&mut Comments),
) -> Vec<String> {
    let mut comments = Comments::default();
    let starts = text.match_indices(['[', '{']).map(|(at, _)| at);
    let read = |at: usize| {
        forget(&mut comments);
        let mut value = value::Value::new(known(), level, None);
        let (first, second) = text.as_bytes()[at..].split_at(split.min(text.len() - at));
        let reads = [
            value.feed(first, at, &mut comments),
            value.feed(second, at + first.len(), &mut comments),
        ];
        format!(
            "{reads:?} {} {} {} {:?}",
            value.len(),
            value.good(),
            value.depth(),
            value.calls(true)
        )
    };
    starts.map(read).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_known_of_comments_changes_nothing(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
        split in 0..40_usize,
    ) {
        let text = pieces.concat();
        for level in 0..=LEVELS_MAX {
            let plain = read_all(&text, level, split, |comments| *comments = Comments::default());
            prop_assert_eq!(read_all(&text, level, split, |_| ()), plain, "{:?}", text);
        }
    }
}

#[test]
fn star_that_begins_a_comment_ends_the_one_around_it_alone() {
    let text = "[/*[/*[/*/ ]";
    let plain = read_all(text, 0, 11, |comments| *comments = Comments::default());
    assert_eq!(read_all(text, 0, 11, |_| ()), plain);
}
