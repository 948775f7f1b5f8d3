//! Names as they are compared: NFKC, without characters that nobody sees, case folded, each run of
//! white space as one blank.
//!
//! A text is folded in clusters: a character with all that melts into it. The fold of a text is
//! that of its clusters one after the other, so that an end in the folded text has its place in the
//! written one.

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::CodePointMapData;
use icu_properties::props::CanonicalCombiningClass;

use super::{JOINER, is_emoji, is_ignorable, is_white};

const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();
const NFKD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfkd();
const CASES: CaseMapperBorrowed<'static> = CaseMapper::new();

/// The fold of `text`.
pub(crate) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((cluster, behind)) = rest
        .split_at_checked(cluster_len(rest))
        .filter(|_| !rest.is_empty())
    {
        push_fold(&mut folded, cluster);
        rest = behind;
    }
    folded
}

/// Appends the fold of one cluster.
pub(crate) fn push_fold(folded: &mut String, cluster: &str) {
    let mut chars = cluster.chars();
    if let (Some(c), None) = (chars.next(), chars.next())
        && c.is_ascii()
    {
        push(folded, c.to_ascii_lowercase());
        return;
    }
    let seen = seen(cluster);
    let once = CASES.fold_string(&NFKC.normalize(&seen)).into_owned();
    let twice = CASES.fold_string(&NFKC.normalize(&once)).into_owned();
    NFKC.normalize(&twice).chars().for_each(|c| push(folded, c));
}

fn push(folded: &mut String, c: char) {
    match is_white(c) {
        true if folded.ends_with(' ') => {}
        true => folded.push(' '),
        false => folded.push(c),
    }
}

/// The bytes of the first cluster of `text`. It reaches to the end of `text` if more text could
/// belong to it.
pub(crate) fn cluster_len(text: &str) -> usize {
    let mut cluster = Cluster::default();
    text.char_indices()
        .find(|(_, c)| !cluster.takes(*c))
        .map_or(text.len(), |(at, _)| at)
}

/// A cluster that grows.
#[derive(Default)]
struct Cluster {
    text: String,
    /// The last character that is not ignored.
    last: Option<char>,
    is_joined: bool,
}

impl Cluster {
    /// Takes `c` in, if it belongs here.
    fn takes(&mut self, c: char) -> bool {
        let is_in = self.text.is_empty() || self.goes_on_with(c);
        if is_in {
            self.text.push(c);
            if !is_ignorable(c) {
                (self.last, self.is_joined) = (Some(c), false);
            } else if c == JOINER {
                self.is_joined = true;
            }
        }
        is_in
    }

    fn goes_on_with(&self, c: char) -> bool {
        if c.is_ascii() {
            return false;
        }
        let is_picture = self.is_joined && self.last.is_some_and(is_emoji) && is_emoji(c);
        is_ignorable(c) || is_picture || is_attached(c) || self.melts(c)
    }

    /// Tells whether `c` becomes one with the character before it, as vowels of Hangul do.
    fn melts(&self, c: char) -> bool {
        let own = seen(&self.text);
        let next = c.to_string();
        NFKC.normalize(&format!("{own}{c}"))
            != [NFKC.normalize(&own), NFKC.normalize(&next)].concat()
    }
}

/// Tells whether `c` is written upon the character before it.
fn is_attached(c: char) -> bool {
    let class = |c: char| CodePointMapData::<CanonicalCombiningClass>::new().get(c);
    NFKD.normalize(c.encode_utf8(&mut [0; 4]))
        .chars()
        .next()
        .is_some_and(|c| class(c) != CanonicalCombiningClass::NotReordered)
}

/// `cluster` without the characters that nobody sees. Joiners between emoji make another picture,
/// and stay.
fn seen(cluster: &str) -> String {
    let mut seen = String::with_capacity(cluster.len());
    let mut is_joined = false;
    for c in cluster.chars() {
        if is_ignorable(c) {
            is_joined |= c == JOINER;
            continue;
        }
        if is_joined && is_emoji(c) && seen.chars().next_back().is_some_and(is_emoji) {
            seen.push(JOINER);
        }
        is_joined = false;
        seen.push(c);
    }
    seen
}
