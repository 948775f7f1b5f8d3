//! The Rust code of the repository, and where lines of it stand. White space and the comma before a closing bracket count for
//! nothing, so that a mutant survives moves and formatting.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All code that git knows.
#[derive(Debug)]
pub(crate) struct Code(Vec<File>);

#[derive(Debug)]
struct File {
    path: PathBuf,
    text: String,
    bare: Bare,
}

/// A text without what does not count.
#[derive(Debug)]
struct Bare {
    text: String,
    /// The place in the whole text of each byte of the bare one.
    places: Vec<usize>,
}

impl Code {
    /// Reads it, from the root of the repository.
    pub(crate) fn read() -> Result<Self, String> {
        Self::read_in(Path::new("."))
    }

    /// Reads it in another copy of the repository.
    pub(crate) fn read_in(root: &Path) -> Result<Self, String> {
        let listed = Command::new("git")
            .args(["ls-files", "*.rs"])
            .current_dir(root)
            .output();
        let listed = listed.map_err(|error| format!("git: {error}"))?;
        let names = String::from_utf8_lossy(&listed.stdout).into_owned();
        let read = |name: &str| {
            let path = root.join(name);
            let text = fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
            Ok(File {
                bare: Bare::of(&text),
                path,
                text,
            })
        };
        let is_code = |name: &&str| root.join(name).exists();
        names
            .lines()
            .filter(is_code)
            .map(read)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Where these lines stand: they must do so exactly once.
    pub(crate) fn find(&self, lines: &str) -> Result<(&Path, &str, Range<usize>), String> {
        let wanted = Bare::of(lines).text;
        let mut found = self
            .0
            .iter()
            .flat_map(|file| file.bare.find(&wanted).map(move |range| (file, range)));
        let first = lines
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .unwrap_or_default();
        let Some((file, range)) = found.next() else {
            return Err(format!("these lines are nowhere: {first} …"));
        };
        match found.next() {
            Some((other, _)) => {
                let (one, other) = (file.path.display(), other.path.display());
                Err(format!(
                    "these lines stand twice, in {one} and {other}: {first} …"
                ))
            }
            None => Ok((&file.path, &file.text, range)),
        }
    }

    /// Whether a file of the package that is called like a part of the test's path has a function of the test's name.
    pub(crate) fn has_test(&self, test: &str) -> bool {
        let path: Vec<&str> = test
            .rsplit(' ')
            .next()
            .unwrap_or_default()
            .split("::")
            .collect();
        let Some((function, modules)) = path.split_last() else {
            return false;
        };
        let is_one = |part: &str| modules.contains(&part) || matches!(part, "main" | "lib");
        self.0.iter().any(|file| {
            let mut parts = file
                .path
                .iter()
                .filter_map(|part| part.to_str())
                .map(|part| part.trim_end_matches(".rs"));
            // A macro may make the function.
            parts.any(is_one) && file.text.contains(function)
        })
    }
}

impl Bare {
    fn of(text: &str) -> Self {
        let (mut bare, mut places) = (
            String::with_capacity(text.len()),
            Vec::with_capacity(text.len()),
        );
        for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
            if matches!(c, ')' | ']' | '}') && bare.ends_with(',') {
                bare.pop();
                places.pop();
            }
            bare.push(c);
            places.extend(std::iter::repeat_n(at, c.len_utf8()));
        }
        Self { text: bare, places }
    }

    /// Where a bare text stands, in the whole one.
    fn find<'a>(&'a self, wanted: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let whole = |start: usize, text: &str| {
            let first = *self.places.get(start)?;
            let last = *self
                .places
                .get(start.checked_add(text.len())?.checked_sub(1)?)?;
            Some(first..last.checked_add(text.chars().next_back()?.len_utf8())?)
        };
        self.text
            .match_indices(wanted)
            .filter_map(move |(start, text)| whole(start, text))
    }
}
