use super::*;

#[test]
fn all_files_beneath_a_folder_are_counted() {
    let home = tempfile::tempdir().unwrap();
    let below = home.path().join("a").join("b");
    fs::create_dir_all(&below).unwrap();
    fs::write(home.path().join("one"), [1; 10]).unwrap();
    fs::write(home.path().join("a").join("two"), [1; 200]).unwrap();
    fs::write(below.join("three"), [1; 3_000]).unwrap();
    assert_eq!(folder_bytes(home.path()).unwrap(), 3_210);
}
