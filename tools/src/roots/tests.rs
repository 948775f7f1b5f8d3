use std::os::unix::fs::symlink;

use super::{open_folder, roots_touch};

#[test]
fn a_root_touches_the_store_if_one_holds_the_other_by_whatever_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("data/inner")).unwrap();
    std::fs::create_dir_all(at("store/blobs")).unwrap();
    symlink(at("store"), at("data/link")).unwrap();
    for (root, store, touches) in [
        ("data", "store", false),
        ("data", "store2", false),
        ("data", "data2", false),
        ("store", "store", true),
        ("store/blobs", "store", true),
        (".", "store", true),
        ("data", "data/new/store", true),
        ("data/inner", "data/new/store", false),
        ("data/link/blobs", "store", true),
        ("data/link", "store/blobs", true),
        ("data/../store", "store", true),
    ] {
        assert_eq!(
            roots_touch(&at(root), &at(store)).unwrap(),
            touches,
            "{root} and {store}"
        );
    }
}

#[test]
fn a_path_through_a_dead_link_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    symlink("nowhere", folder.path().join("dead")).unwrap();
    roots_touch(&folder.path().join("dead/data"), folder.path()).unwrap_err();
}

#[test]
fn folder_is_opened_along_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(real.join("data/inner")).unwrap();
    symlink("data", real.join("link")).unwrap();
    assert!(
        open_folder(&real.join("data/inner"))
            .unwrap()
            .metadata()
            .unwrap()
            .is_dir()
    );
    for path in ["link", "link/inner"] {
        let error = open_folder(&real.join(path)).unwrap_err();
        assert!(
            error.to_string().contains("symbolic link"),
            "{path}: {error}"
        );
    }
    open_folder(&real.join("none")).unwrap_err();
}
