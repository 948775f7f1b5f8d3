use std::collections::BTreeSet;

/// The most letters of a column's name.
const LETTERS_MAX: usize = 64;

/// Names that SQLite has for the number of a row: a column of that name would hide it.
const TAKEN: [&str; 3] = ["rowid", "oid", "_rowid_"];

/// The name of a column, and the one that stands in the file if that is another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) original: Option<String>,
}

/// Names for columns: trimmed, without control characters, of bounded length, and unique whatever their case.
pub(super) fn named<'n>(originals: impl IntoIterator<Item = &'n str>) -> Vec<Named> {
    let mut taken: BTreeSet<String> = TAKEN.into_iter().map(String::from).collect();
    let originals = originals.into_iter().enumerate();
    originals
        .map(|(place, original)| {
            let name = unique(&clean(original, place), &mut taken);
            Named {
                original: (name != original && !original.is_empty()).then(|| bounded(original)),
                name,
            }
        })
        .collect()
}

fn clean(original: &str, place: usize) -> String {
    let blank = |letter: char| if letter.is_control() { ' ' } else { letter };
    let plain: String = original
        .chars()
        .map(blank)
        .filter(|letter| !is_hidden(*letter))
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let name: String = words.join(" ").chars().take(LETTERS_MAX).collect();
    match name.trim_end() {
        "" => format!("column_{}", place + 1),
        name => name.to_owned(),
    }
}

/// Letters that change how others are shown, and are not seen themselves.
const fn is_hidden(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    if taken.insert(name.to_lowercase()) {
        return name.to_owned();
    }
    let numbered = (2_u64..).map(|number| format!("{name}_{number}"));
    let mut free = numbered.filter(|name| taken.insert(name.to_lowercase()));
    free.next().unwrap_or_default()
}

fn bounded(original: &str) -> String {
    original.chars().take(4 * LETTERS_MAX).collect()
}
