//! The nearest known word to a mistyped one.

/// The one of `known` that `word` was probably meant to be: the one that looks most like it, or begins with it.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let all = known.into_iter().collect::<Vec<&str>>();
    let distance = |other: &str| strsim::damerau_levenshtein(&lower, &other.to_lowercase());
    let most = word.chars().count().div_ceil(3).clamp(1, 3);
    let scored = all.iter().map(|other| (distance(other), *other));
    let near = scored
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, other)| other);
    near.or_else(|| {
        word.get(..3)
            .and_then(|_| all.iter().copied().find(|other| other.starts_with(&lower)))
    })
}

/// Help for an unknown word: the nearest known one, or else all that there are, behind `label`;
/// `None` if there are none.
pub(crate) fn help<'a>(
    word: &str,
    label: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(word, known.iter().copied()) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None if known.is_empty() => None,
        None => Some(format!("{label}: {}", known.join(", "))),
    }
}
