use std::path::Path;

use super::ALL;

#[test]
fn the_documentation_lists_all_codes_with_what_they_mean() {
    let text = include_str!("../../../../docs/providers.md");
    let section = text
        .split("## Warnings\n")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let rows: Vec<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .map(|(code, meaning)| {
            assert!(meaning.len() > " |".len(), "{code} has no meaning");
            code
        })
        .collect();
    assert_eq!(rows, ALL);
    assert!(ALL.is_sorted(), "they are in the order of the alphabet");
}

#[test]
fn codes_are_written_nowhere_else() {
    fn check(folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "tests" {
                    check(&path);
                }
            } else if !matches!(name.as_str(), "tests" | "warning") {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
                let found = ALL
                    .iter()
                    .find(|name| code.contains(&format!("\"{name}\"")));
                assert_eq!(found, None, "{}", path.display());
                assert!(
                    !code.contains("_not_carried\""),
                    "{}: an unlisted code",
                    path.display()
                );
            }
        }
    }
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/codec"));
}
