//! Store directories in which every file is a zstd file of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) fn unpack(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            unpack(&entry.path(), &to.join(entry.file_name()));
        } else if let Some(name) = entry.file_name().to_str().unwrap().strip_suffix(".zst") {
            let bytes = zstd::decode_all(fs::File::open(entry.path()).unwrap()).unwrap();
            fs::write(to.join(name), bytes).unwrap();
        }
    }
}

pub(super) fn pack(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for (file, bytes) in files(from) {
        let to = to.join(format!("{}.zst", file.display()));
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, zstd::encode_all(bytes.as_slice(), 19).unwrap()).unwrap();
    }
}

/// All files below `folder`, and what is in them.
pub(super) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = PathBuf::from(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            all.extend(
                files(&entry.path())
                    .into_iter()
                    .map(|(below, bytes)| (name.join(below), bytes)),
            );
        } else {
            all.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    all
}
