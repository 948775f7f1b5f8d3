use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;
use proptest::prelude::*;

use super::*;
use crate::ids::letters::fold::fold;
use crate::ids::letters::{
    JOINER, goes_on_with_a_word, is_break, is_emoji, is_ignorable, is_white, is_word,
};

/// Pieces of which texts are made that come near to all rules.
const PIECES: &[&str] = &[
    "@",
    "＠",
    "bob",
    "Bob Lee",
    "alice",
    "@bob",
    "@Release Planner",
    "@tim",
    "@ada",
    "@👩‍💻",
    " ",
    "  ",
    "\n",
    "\r\n",
    ",",
    ", ",
    " and ",
    "hey ",
    "to",
    "hello, ",
    "- ",
    "* ",
    "1. ",
    "12) ",
    "> ",
    "`",
    "``",
    "'s",
    "’s",
    ".",
    "-",
    "_",
    "x",
    "2",
    "é",
    "\u{301}",
    "\u{ad}",
    "\u{200b}",
    "\u{200d}",
    "\u{fe0f}",
    "🦊",
    "🏽",
    "ı",
    "ß",
    "ﬁ",
    "\u{1100}",
    "\u{1161}",
    "\u{3000}",
    "(",
    "[",
    "]",
    "**",
    "/",
    ";",
    "&",
    " or ",
    "<!--",
    "-->",
    "“",
    "\"",
    "ﾞ",
    "ͅ",
    "ΐ",
];

pub(crate) fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![8 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// The fold as the standard defines its steps, over the whole text at once.
fn folded_at_once(text: &str) -> String {
    let (nfkc, cases) = (ComposingNormalizerBorrowed::new_nfkc(), CaseMapper::new());
    let chars: Vec<char> = text.chars().collect();
    let is_seen = |at: &usize| !is_ignorable(chars[*at]);
    let keeps = |at: usize| {
        let joins = || {
            let before = (0..at)
                .rev()
                .find(is_seen)
                .is_some_and(|at| is_emoji(chars[at]));
            let next = (at + 1..chars.len()).find(is_seen);
            let is_last = !(at + 1..next.unwrap_or(at)).any(|at| chars[at] == JOINER);
            before && is_last && next.is_some_and(|at| is_emoji(chars[at]))
        };
        is_seen(&at) || chars[at] == JOINER && joins()
    };
    let seen: String = (0..chars.len())
        .filter(|at| keeps(*at))
        .map(|at| chars[at])
        .collect();
    let mut folded = seen;
    for _ in 0..2 {
        folded = cases.fold_string(&nfkc.normalize(&folded)).into_owned();
    }
    let mut blanks = String::new();
    for c in nfkc.normalize(&folded).chars() {
        match is_white(c) {
            true if blanks.ends_with(' ') => {}
            true => blanks.push(' '),
            false => blanks.push(c),
        }
    }
    blanks
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in prop_oneof![text(), any::<String>()]) {
        let roster = room_of_all();
        let found = addressed(&text, &roster);
        let repeated = addressed(&text, &roster);
        prop_assert_eq!(found, repeated);
        prop_assert!(mentioned(&text, &roster).len() <= IN_TEXT_MAX);
    }

    #[test]
    fn whoever_is_named_behind_anything_but_a_word_is_found(sign in any::<char>(), behind in "[ ,.!?:;)]") {
        prop_assume!(!is_word(sign) && !is_ignorable(sign) && !is_break(sign) && !matches!(sign, '\\' | '`' | '@' | '＠' | '﹫'));
        let after_a_word = if goes_on_with_a_word(sign) { "" } else { "done" };
        for before in ["hello ", after_a_word] {
            let text = format!("so: {before}{sign}@bob{behind} go");
            prop_assert!(mentioned(&text, &room_of_all()).contains(&agent("bob")), "{text:?}");
        }
    }

    #[test]
    fn line_that_starts_with_an_at_never_addresses_nobody(before in text(), line in text(), behind in text()) {
        let roster = room_of_all();
        let plain = before.replace(['`', '~'], "");
        let found = addressed(&format!("{plain}\n@{line}\n{behind}"), &roster);
        prop_assert!(!found.is_empty());
    }

    #[test]
    fn clusters_fold_to_what_the_whole_text_folds_to(text in prop_oneof![text(), any::<String>()]) {
        prop_assert_eq!(fold(&text), folded_at_once(&text));
    }

    #[test]
    fn fold_of_a_fold_is_itself(text in prop_oneof![text(), any::<String>()]) {
        let folded = fold(&text);
        prop_assert_eq!(fold(&folded), folded);
    }

    #[test]
    fn name_is_found_however_it_is_cased(name in prop::sample::select(AGENTS), behind in "[ ,.!?]( x[ a-z]{0,5})?") {
        prop_assume!(!["ışık"].contains(&name));
        let found = addressed(&format!("@{}{behind}", name.to_uppercase()), &room_of_all());
        prop_assert_eq!(found.first(), Some(&Addressee::Agent(agent(name))));
    }
}
