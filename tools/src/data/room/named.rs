//! The data sets among the files that a call sees, and their names.

use std::collections::BTreeSet;

use folkmoot_core::port::RoomFile;
use folkmoot_core::tool::{ToolErrorCode, ToolFailure};

/// The most letters of a name that comes from a file's.
const NAME_MAX: usize = 48;

/// The most names that an error tells.
const NAMES_TOLD: usize = 20;

/// The endings of files with rows, and their media types.
pub(super) const ENDINGS: [(&str, &str); 6] = [
    ("csv", "text/csv"),
    ("tsv", "text/tab-separated-values"),
    ("tab", "text/tab-separated-values"),
    ("jsonl", "application/x-ndjson"),
    ("ndjson", "application/x-ndjson"),
    ("parquet", "application/vnd.apache.parquet"),
];

/// A data set, under the name that queries have for it.
#[derive(Debug, Clone)]
pub(super) struct DataSet {
    /// The name. The newest file of a name has it bare.
    pub(super) name: String,
    /// The file.
    pub(super) file: RoomFile,
}

/// Returns the data sets among `files`, which stand oldest first, in the same order.
pub(super) fn data_sets(files: &[RoomFile]) -> Vec<DataSet> {
    let mut taken = BTreeSet::new();
    let named = files.iter().rev().filter(|file| is_data_set(file));
    let mut sets: Vec<DataSet> = named
        .map(|file| DataSet {
            name: free_name(file, &mut taken),
            file: file.clone(),
        })
        .collect();
    sets.reverse();
    sets
}

/// Returns the media type of a data set by the ending of its name.
pub(super) fn media_type_of(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    let known = ENDINGS.iter().find(|(known, _)| *known == ending);
    known.map(|(_, media_type)| *media_type)
}

fn is_data_set(file: &RoomFile) -> bool {
    media_type_of(&file.file.name).is_some()
        || ENDINGS
            .iter()
            .any(|(_, media_type)| *media_type == file.file.media_type)
}

/// A name that no newer file has: those of older ones end with the event that brought them.
fn free_name(file: &RoomFile, taken: &mut BTreeSet<String>) -> String {
    let bare = name_of(&file.file.name);
    let (at, ordinal) = (file.id.at, file.id.ordinal);
    let candidates = [
        bare.clone(),
        format!("{bare}_{at}"),
        format!("{bare}_{at}_{ordinal}"),
    ];
    // The last one is taken only where a file's own name imitates it: numbers end that.
    let numbered = (2_u32..).map(|number| format!("{bare}_{at}_{ordinal}_{number}"));
    let mut names = candidates.into_iter().chain(numbered);
    let name = names.find(|name| !taken.contains(name)).unwrap_or(bare);
    taken.insert(name.clone());
    name
}

/// The name of a table for a file's name: letters, digits and `_`, in lower case.
fn name_of(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let mut name = String::new();
    for letter in stem.chars().flat_map(char::to_lowercase).take(NAME_MAX) {
        let is_plain = letter.is_ascii_alphanumeric();
        if is_plain {
            name.push(letter);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_matches('_');
    match name.chars().next() {
        None => "data".to_owned(),
        Some(first) if first.is_ascii_digit() || is_reserved(name) => format!("t_{name}"),
        Some(_) => name.to_owned(),
    }
}

/// Whether SQL has another meaning for the name.
fn is_reserved(name: &str) -> bool {
    const WORDS: [&str; 18] = [
        "all", "case", "cross", "default", "from", "group", "index", "join", "limit", "on",
        "order", "select", "set", "table", "union", "values", "where", "with",
    ];
    WORDS.contains(&name) || name.starts_with("sqlite_")
}

/// Returns the data set that a model means: by its name, or by that of its file, of which the newest counts.
pub(super) fn find<'s>(sets: &'s [DataSet], name: &str) -> Result<&'s DataSet, ToolFailure> {
    let by_name = sets.iter().find(|set| set.name == name);
    let by_file = || sets.iter().rev().find(|set| set.file.file.name == name);
    by_name
        .or_else(by_file)
        .ok_or_else(|| not_there(sets, name))
}

/// The failure of a call that names no data set.
pub(super) fn not_there(sets: &[DataSet], name: &str) -> ToolFailure {
    let newest = sets.iter().rev().take(NAMES_TOLD);
    let names: Vec<&str> = newest.map(|set| set.name.as_str()).collect();
    let there = match sets.len() {
        0 => "no file of these people has rows".to_owned(),
        count if count > names.len() => {
            format!("there are {count}, the newest: {}", names.join(", "))
        }
        _ => format!("there are: {}", names.join(", ")),
    };
    let why = format!("there is no data set {name:?}; {there}");
    ToolFailure::new(ToolErrorCode::NotFound, why).about(name)
}
