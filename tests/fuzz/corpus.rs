//! Real inputs, and what was found before.

use std::path::{Path, PathBuf};

/// The repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .find(|above| above.join(".ci").is_dir())
        .unwrap()
}

/// The bytes of the files of a folder of the repository whose names end in `ending`, in the order of their names.
///
/// # Panics
/// If there are none: they have moved.
pub(crate) fn files(folder: &str, ending: &str) -> Vec<Vec<u8>> {
    let folder = root().join(folder);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let is_wanted = |path: &PathBuf| path.is_file() && path.to_string_lossy().ends_with(ending);
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(is_wanted)
        .collect();
    assert!(
        !paths.is_empty(),
        "nothing ends in {ending} in {}",
        folder.display()
    );
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

/// Texts as inputs.
pub(crate) fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Puts a first byte before each input, for targets whose first byte says how the rest is split.
pub(crate) fn split(inputs: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    inputs
        .into_iter()
        .map(|input| [vec![0], input].concat())
        .collect()
}

/// What was found to break a law once, or to take new ways through the code: a JSON text a line, a character a byte.
pub(crate) fn of(target: &str) -> Vec<Vec<u8>> {
    let path = root()
        .join("tests/fuzz/corpus")
        .join(target)
        .with_extension("jsonl");
    let lines = std::fs::read_to_string(path).unwrap_or_default();
    let read = |line: &str| -> Vec<u8> {
        let text: String = serde_json::from_str(line).unwrap();
        text.chars().map(|c| u8::try_from(c).unwrap()).collect()
    };
    lines.lines().map(read).collect()
}

/// An input as such a line; of a long one only the beginning.
pub(crate) fn line(input: &[u8]) -> String {
    let shown = &input[..input.len().min(4_096)];
    let text: String = shown.iter().map(|byte| char::from(*byte)).collect();
    let more = if shown.len() < input.len() {
        " and so on"
    } else {
        ""
    };
    format!("{}{more}", serde_json::to_string(&text).unwrap())
}
