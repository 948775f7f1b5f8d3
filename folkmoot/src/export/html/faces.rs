//! The letters that stand for those who speak: no two have the same.

use std::collections::{BTreeMap, BTreeSet};

/// The letters of everybody, by their name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Faces(BTreeMap<String, String>);

impl Faces {
    /// Gives everybody letters: one, if nobody else's name begins with it, else more.
    pub(super) fn of(names: impl IntoIterator<Item = String>) -> Self {
        let names: BTreeSet<String> = names.into_iter().collect();
        let mut taken = BTreeSet::new();
        let mut faces = BTreeMap::new();
        for name in &names {
            let first = initial(name);
            let alike = names
                .iter()
                .filter(|other| *other != name && initial(other) == first)
                .map(|other| shared(name, other))
                .max();
            let longer = alike.and_then(|alike| {
                // Capitals tell nobody apart.
                pairs(name, &first, alike).find(|pair| taken.insert(pair.to_lowercase()))
            });
            faces.insert(name.clone(), longer.unwrap_or(first));
        }
        Self(faces)
    }

    /// Returns somebody's letters.
    pub(super) fn of_one(&self, name: &str) -> String {
        self.0.get(name).cloned().unwrap_or_else(|| initial(name))
    }
}

fn initial(name: &str) -> String {
    name.chars()
        .find(|c| c.is_alphanumeric())
        .or_else(|| name.chars().next())
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default()
}

/// The number of letters with which both begin.
fn shared(name: &str, other: &str) -> usize {
    let both = name.chars().zip(other.chars());
    both.take_while(|(one, two)| one.to_lowercase().eq(two.to_lowercase()))
        .count()
}

/// The letters for a name that is not alone with its first one, those that tell most first: with its number, with what begins
/// its other words, with a letter behind the `alike` first ones that another name has too, with any letter, with any number.
fn pairs<'n>(name: &'n str, first: &'n str, alike: usize) -> impl Iterator<Item = String> + 'n {
    let words = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .skip(1)
        .filter_map(|word| word.chars().next())
        .filter(|c| c.is_alphabetic());
    let rest = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name.strip_prefix(rest).unwrap_or_default();
    let number = Some(number.to_owned()).filter(|number| matches!(number.len(), 1 | 2));
    let behind = name.chars().skip(alike.max(1));
    let letters = behind
        .chain(name.chars().skip(1))
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase);
    let seconds = words.flat_map(char::to_uppercase).chain(letters);
    number
        .into_iter()
        .chain(seconds.map(String::from))
        .chain((2_u16..=u16::MAX).map(|number| number.to_string()))
        .map(move |second| format!("{first}{second}"))
}

#[cfg(test)]
mod tests;
