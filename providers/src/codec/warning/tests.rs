use std::path::Path;

use super::ALL;

#[test]
fn codes_are_in_the_order_of_the_alphabet_and_none_stands_twice() {
    assert!(ALL.is_sorted_by(|one, next| one < next), "{ALL:?}");
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
