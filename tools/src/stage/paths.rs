//! A folder with every kind of thing in it, and what each path in it leads to.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use tempfile::TempDir;

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leads {
    /// It is no plain path, or too long for one.
    NoPath,
    /// A file.
    File,
    /// A file with a second name outside.
    HardLink,
    /// The root itself.
    Root,
    /// A folder with something in it.
    Folder,
    /// A folder with nothing in it.
    EmptyFolder,
    /// Nothing stands there, in a folder that does.
    Free,
    /// Its folder is missing.
    Nowhere,
    /// One of its folders is none.
    NoFolder,
    /// A link is its last name.
    Link(To),
    /// A link stands on its way.
    Through(To),
    /// A pipe, a socket or a device.
    Special,
}

/// Where following links leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    /// To a file in the folder.
    File,
    /// To a folder in the folder.
    Folder,
    /// Out of the folder.
    Out,
    /// To nothing.
    Nothing,
    /// Nowhere but to itself.
    Loop,
}

use Leads::{
    EmptyFolder, File, Folder, Free, HardLink, Link, NoFolder, NoPath, Nowhere, Root, Special,
    Through,
};

/// The texts of the files outside.
pub(crate) const SECRET: &str = "a secret";
/// The text of each file inside.
pub(crate) const INSIDE: &str = "a text";

const FOLDERS: &[&str] = &[
    "inner/deep/er",
    "-dir",
    "with space",
    "Größe",
    "empty",
    ".hidden",
    "inner/empty",
];

/// Files that stand where they are named.
const FILES: &[&str] = &[
    "a.md",
    "A.md",
    "inner/b.md",
    "inner/deep/c.md",
    "inner/deep/er/d.md",
    "-rf",
    "--help",
    "-dir/-x",
    "with space/a b",
    " ",
    "tab\tname",
    "two\nlines",
    "return\r",
    "\u{1b}[31mred",
    "\u{7f}",
    "é.md",
    "Größe/ß",
    "ﬁ.md",
    "\u{202e}dm.a",
    "\u{200b}",
    "日本語.md",
    "🦀",
    "back\\slash",
    "C:",
    "~",
    "$HOME",
    "*",
    "?",
    "a;b",
    "|",
    "`id`",
    "%2e%2e",
    "...",
    "..a",
    "a..",
    ".hidden/x",
    ".a",
    "aux",
    "file:",
    "x=1",
    "@",
    "#",
    "\"quoted\"",
    "'",
];

const LINKS: &[(&str, &str)] = &[
    ("to_file", "a.md"),
    ("to_folder", "inner"),
    ("to_deep", "./inner/deep"),
    ("inner/up", "../a.md"),
    ("inner/deep/up", "../../inner/deep"),
    ("to_link", "to_file"),
    ("here", "."),
    ("out_file", "../secret"),
    ("out_folder", "../other"),
    ("inner/out", "../../other"),
    ("out_and_in", "../root/a.md"),
    ("above", ".."),
    ("machine", "/"),
    ("password", "/etc/passwd"),
    ("process", "/proc/self/root"),
    ("to_out", "out_file"),
    ("through_out", "out_folder/secret"),
    ("out_new", "../new"),
    ("gone", "none"),
    ("gone_deep", "none/at/all"),
    ("self", "self"),
    ("one", "two"),
    ("two", "one"),
    ("circle", "inner/../circle/a"),
];

/// Paths and what they lead to, beside [`FILES`].
const PATHS: &[(&str, Leads)] = &[
    ("", NoPath),
    ("./a.md", NoPath),
    ("inner/./b.md", NoPath),
    ("inner//b.md", NoPath),
    ("inner/../a.md", NoPath),
    ("a.md/", NoPath),
    ("inner/", NoPath),
    ("a.md/.", NoPath),
    ("..", NoPath),
    ("../", NoPath),
    ("../secret", NoPath),
    ("../other/secret", NoPath),
    ("../root/a.md", NoPath),
    ("inner/..", NoPath),
    ("inner/../../secret", NoPath),
    ("./../secret", NoPath),
    ("inner/deep/../../../secret", NoPath),
    ("out_folder/../secret", NoPath),
    ("to_folder/../a.md", NoPath),
    ("none/../a.md", NoPath),
    ("/", NoPath),
    ("//", NoPath),
    ("/a.md", NoPath),
    ("//a.md", NoPath),
    ("/etc/passwd", NoPath),
    ("/proc/self/environ", NoPath),
    ("/proc/self/root/etc/passwd", NoPath),
    ("/proc/self/cwd", NoPath),
    ("/dev/zero", NoPath),
    ("/dev/stdin", NoPath),
    ("a.md\0", NoPath),
    ("\0", NoPath),
    ("a.md\0.txt", NoPath),
    ("inner\0/b.md", NoPath),
    ("../secret\0", NoPath),
    (".", Root),
    ("inner", Folder),
    ("inner/deep", Folder),
    ("inner/deep/er", Folder),
    ("-dir", Folder),
    (".hidden", Folder),
    ("empty", EmptyFolder),
    ("inner/empty", EmptyFolder),
    ("hard", HardLink),
    ("inner/hard", HardLink),
    ("none", Free),
    ("inner/none", Free),
    ("a.MD", Free),
    ("e\u{301}.md", Free),
    ("fi.md", Free),
    ("a.md ", Free),
    ("a．md", Free),
    ("\u{2024}\u{2024}", Free),
    ("．．", Free),
    ("inner\u{2215}b.md", Free),
    ("..\\secret", Free),
    ("%2e%2e%2fsecret", Free),
    ("\u{feff}a.md", Free),
    ("none/a.md", Nowhere),
    ("none/none/none", Nowhere),
    ("Inner/b.md", Nowhere),
    ("．．/secret", Nowhere),
    ("%2e./secret", Nowhere),
    (".../secret", NoFolder),
    ("a.md/b", NoFolder),
    ("a.md/b/c", NoFolder),
    ("hard/x", NoFolder),
    ("pipe/x", NoFolder),
    ("socket/x", NoFolder),
    ("to_file", Link(To::File)),
    ("inner/up", Link(To::File)),
    ("to_link", Link(To::File)),
    ("to_folder", Link(To::Folder)),
    ("to_deep", Link(To::Folder)),
    ("here", Link(To::Folder)),
    ("inner/deep/up", Link(To::Folder)),
    ("out_file", Link(To::Out)),
    ("out_folder", Link(To::Out)),
    ("inner/out", Link(To::Out)),
    ("out_and_in", Link(To::Out)),
    ("above", Link(To::Out)),
    ("machine", Link(To::Out)),
    ("password", Link(To::Out)),
    ("process", Link(To::Out)),
    ("to_out", Link(To::Out)),
    ("through_out", Link(To::Out)),
    ("out_new", Link(To::Out)),
    ("gone", Link(To::Nothing)),
    ("gone_deep", Link(To::Nothing)),
    ("self", Link(To::Loop)),
    ("one", Link(To::Loop)),
    ("two", Link(To::Loop)),
    ("circle", Link(To::Loop)),
    ("to_folder/b.md", Through(To::File)),
    ("to_deep/c.md", Through(To::File)),
    ("to_deep/er/d.md", Through(To::File)),
    ("here/a.md", Through(To::File)),
    ("here/here/here/a.md", Through(To::File)),
    ("here/inner/b.md", Through(To::File)),
    ("inner/deep/up/c.md", Through(To::File)),
    ("to_folder/deep", Through(To::Folder)),
    ("out_folder/secret", Through(To::Out)),
    ("inner/out/secret", Through(To::Out)),
    ("above/secret", Through(To::Out)),
    ("above/root/a.md", Through(To::Out)),
    ("machine/etc/passwd", Through(To::Out)),
    ("process/etc/passwd", Through(To::Out)),
    ("to_folder/out/secret", Through(To::Out)),
    ("out_folder/new", Through(To::Out)),
    ("to_folder/none/x", Through(To::Nothing)),
    ("gone/x", Through(To::Nothing)),
    ("self/x", Through(To::Loop)),
    ("one/x", Through(To::Loop)),
    ("pipe", Special),
    ("inner/pipe", Special),
    ("socket", Special),
];

/// The devices, where the system lets us make some: major and minor number.
const DEVICES: &[(&str, u32, u32)] = &[("null", 1, 3), ("zero", 1, 5), ("inner/terminal", 5, 0)];

/// The folder `root`, with secrets beside it.
#[derive(Debug)]
pub(crate) struct Tree {
    folder: TempDir,
    /// Its paths, with what they lead to.
    pub(crate) paths: Vec<(String, Leads)>,
}

impl Tree {
    pub(crate) fn new() -> Self {
        // In memory where that can be: every write is synced, and there are hundreds.
        let in_memory = tempfile::tempdir_in("/dev/shm");
        let folder = in_memory.or_else(|_| tempfile::tempdir()).unwrap();
        let root = folder.path().join("root");
        fs::create_dir(folder.path().join("other")).unwrap();
        for secret in ["secret", "other/secret", "hard", "hard_too"] {
            fs::write(folder.path().join(secret), SECRET).unwrap();
        }
        for name in FOLDERS {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for name in FILES {
            fs::write(root.join(name), INSIDE).unwrap();
        }
        for (name, to) in LINKS {
            symlink(to, root.join(name)).unwrap();
        }
        fs::hard_link(folder.path().join("hard"), root.join("hard")).unwrap();
        fs::hard_link(folder.path().join("hard_too"), root.join("inner/hard")).unwrap();
        for pipe in ["pipe", "inner/pipe"] {
            let mode = Mode::from_raw_mode(0o600);
            mknodat(CWD, root.join(pipe), FileType::Fifo, mode, 0).unwrap();
        }
        drop(UnixListener::bind(root.join("socket")).unwrap());
        let mut paths = paths();
        paths.extend(devices(&root));
        let longest = "n".repeat(255);
        fs::write(root.join(&longest), INSIDE).unwrap();
        paths.push((longest, File));
        Self { folder, paths }
    }

    /// The folder that holds the root.
    pub(crate) fn base(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base().join("root")
    }

    /// All that stands outside the root: names and texts.
    pub(crate) fn outside(&self) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        for folder in [self.base().to_owned(), self.base().join("other")] {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let text = fs::read_to_string(&path).unwrap_or_default();
                found.push((path, text));
            }
        }
        found.sort();
        found
    }
}

fn paths() -> Vec<(String, Leads)> {
    let files = FILES.iter().map(|name| (*name, File));
    let mut paths: Vec<(String, Leads)> = files
        .chain(PATHS.iter().copied())
        .map(|(path, leads)| (path.to_owned(), leads))
        .collect();
    paths.extend([
        ("inner/".repeat(2000) + "b.md", NoPath),
        ("x".repeat(5000), NoPath),
        ("m".repeat(256), NoPath),
        ("m".repeat(256) + "/x", NoPath),
        ("é".repeat(128), NoPath),
        (
            "to_folder/none/".to_owned() + &"m".repeat(255),
            Through(To::Nothing),
        ),
        ("none/".repeat(800) + "x", Nowhere),
    ]);
    paths
}

/// Devices that the system lets us make.
fn devices(root: &Path) -> Vec<(String, Leads)> {
    let mode = Mode::from_raw_mode(0o666);
    DEVICES
        .iter()
        .filter(|(name, major, minor)| {
            let device = makedev(*major, *minor);
            let kind = FileType::CharacterDevice;
            mknodat(CWD, root.join(name), kind, mode, device).is_ok()
        })
        .map(|(name, ..)| ((*name).to_owned(), Special))
        .collect()
}
