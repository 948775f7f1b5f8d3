//! Numbers as people write them: digits in groups.

/// The most groups that are read: no card and no telephone has more.
const GROUPS_MAX: usize = 8;

/// Groups of digits with separators between them.
pub(super) struct Number<'a> {
    text: &'a str,
    /// The digits without the separators.
    digits: String,
    /// The number of digits of each group.
    lengths: Vec<usize>,
    /// The end of each group.
    ends: Vec<usize>,
}

impl<'a> Number<'a> {
    /// Reads the groups from `start` on, as far as they have at most `digits_max` digits together.
    /// `separator` tells how long the separator at the beginning of a text is.
    pub(super) fn read(
        text: &'a str,
        start: usize,
        digits_max: usize,
        separator: fn(&str) -> usize,
    ) -> Self {
        let mut number = Self {
            text,
            digits: String::new(),
            lengths: Vec::new(),
            ends: Vec::new(),
        };
        let mut rest = text.get(start..).unwrap_or_default();
        while number.lengths.len() < GROUPS_MAX {
            // One more than fit, so that a group that is too long is seen to be.
            let seen = rest.bytes().take(digits_max + 1 - number.digits.len());
            let length = seen.take_while(u8::is_ascii_digit).count();
            let Some((group, behind)) = rest.split_at_checked(length) else {
                break;
            };
            if length == 0 || number.digits.len() + length > digits_max {
                break;
            }
            number.digits.push_str(group);
            number.lengths.push(length);
            number.ends.push(text.len() - behind.len());
            rest = behind.get(separator(behind)..).unwrap_or_default();
        }
        number
    }

    /// Returns what the number begins with, by how many groups of it are taken; the longest first,
    /// none with fewer than `digits_min` digits.
    pub(super) fn prefixes(&self, digits_min: usize) -> impl Iterator<Item = Prefix<'_>> {
        let prefix = |count| {
            let lengths = self.lengths.get(..count)?;
            let end = *self.ends.get(count - 1)?;
            let digits = self.digits.get(..lengths.iter().sum())?;
            Some(Prefix {
                digits,
                lengths,
                end,
                rest: self.text.get(end..)?,
            })
        };
        let prefixes = (1..=self.lengths.len()).rev().filter_map(prefix);
        prefixes.take_while(move |prefix| prefix.digits.len() >= digits_min)
    }
}

/// The first groups of a number.
pub(super) struct Prefix<'a> {
    /// The digits without the separators.
    pub(super) digits: &'a str,
    /// The number of digits of each group.
    pub(super) lengths: &'a [usize],
    /// The end of the number.
    pub(super) end: usize,
    /// The text that follows.
    pub(super) rest: &'a str,
}

/// Returns where a digit has no word and no other digit before it.
pub(super) fn starts(text: &str) -> impl Iterator<Item = usize> {
    let before = std::iter::once(b' ').chain(text.bytes());
    let digits = before.zip(text.bytes()).enumerate();
    digits
        .filter(|(_, (before, digit))| digit.is_ascii_digit() && !is_word(*before))
        .map(|(at, _)| at)
}

/// Tells whether `byte` belongs to an ASCII word. Other letters do not: many scripts put no space
/// before a number.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Tells whether `text` begins with a word.
pub(super) fn begins_word(text: &str) -> bool {
    text.bytes().next().is_some_and(is_word)
}

/// Tells whether `text` ends with a word.
pub(super) fn ends_word(text: &str) -> bool {
    text.bytes().next_back().is_some_and(is_word)
}

/// Tells whether one of `joiners` follows, and a digit behind it: then the number goes on.
pub(super) fn goes_on(rest: &str, joiners: &[char]) -> bool {
    rest.strip_prefix(joiners)
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Tells whether `before` ends with a digit and one of `joiners`: then a number has begun before.
pub(super) fn has_begun(before: &str, joiners: &[char]) -> bool {
    before
        .strip_suffix(joiners)
        .is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()))
}

/// The spaces that stand between groups.
pub(super) const SPACES: [char; 3] = [' ', '\u{a0}', '\u{202f}'];
