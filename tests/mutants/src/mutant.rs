//! The form of a mutant: two lines that say what it breaks and which test must fail, then what is found and what replaces it.

use std::fs;
use std::path::Path;

/// A change that breaks a guarantee.
#[derive(Debug)]
pub(crate) struct Mutant {
    /// The name of its file, without the ending.
    pub(crate) name: String,
    /// The words that `cargo test` takes; the last one is the test's path.
    pub(crate) test: String,
    pub(crate) edits: Vec<Edit>,
}

/// Lines of code, with two lines around those that change, and the lines that take their place.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) find: String,
    pub(crate) replace: String,
}

/// Reads all mutants of a folder, in the order of their names.
pub(crate) fn read_all(folder: &str) -> Result<Vec<Mutant>, String> {
    let failed = |error: std::io::Error| format!("{folder}: {error}");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        files.push(entry.map_err(failed)?.path());
    }
    files.sort();
    files
        .iter()
        .map(|file| read(file).map_err(|fault| format!("{}: {fault}", file.display())))
        .collect()
}

fn read(file: &Path) -> Result<Mutant, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let name = file
        .file_stem()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut blocks = text.split("\nfind:\n");
    let head = blocks.next().unwrap_or_default();
    let value = |key: &str| {
        head.lines()
            .find_map(|line| line.strip_prefix(key))
            .map(|value| value.trim().to_owned())
    };
    value("guarantee:")
        .filter(|what| !what.is_empty())
        .ok_or("it has no line `guarantee: …`")?;
    let test = value("test:")
        .filter(|test| test.contains(' '))
        .ok_or("it has no line `test: …`")?;
    let edit = |block: &str| {
        let (find, replace) = block
            .split_once("\nreplace:\n")
            .ok_or("a `find:` has no `replace:`")?;
        // Whether a comma stands behind the last line hangs on what follows there.
        let trimmed = |lines: &str| lines.trim_end().trim_end_matches(',').to_owned();
        Ok::<_, String>(Edit {
            find: trimmed(find),
            replace: trimmed(replace),
        })
    };
    let edits = blocks.map(edit).collect::<Result<Vec<_>, _>>()?;
    if edits.is_empty() {
        Err("it changes nothing".to_owned())
    } else {
        Ok(Mutant { name, test, edits })
    }
}
