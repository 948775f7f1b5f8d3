//! A script's files: loads what is included, and merges the specs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fault::{Faults, Mark, Source, Sources};
use super::node::{self, Key, Kind, Node, load};
use crate::file;
use crate::file::absolute_folder;

/// How many files may include one another.
const FILES_MAX: usize = 16;

/// A script's files, loaded.
#[derive(Debug)]
pub(crate) struct Files {
    /// Their texts.
    pub(crate) sources: Sources,
    /// Their trees: the script first, then what it includes.
    pub(crate) trees: Vec<Node>,
    /// True if all of them could be loaded. If not, there is a fault, and looking for names would
    /// only find more.
    pub(crate) is_whole: bool,
}

impl Files {
    /// Loads the script `text` of `file`, and what it includes.
    pub(crate) fn open(text: &str, file: &Path, faults: &Faults) -> Self {
        let mut files = Self {
            sources: Sources::default(),
            trees: Vec::new(),
            is_whole: false,
        };
        let mut next = Some((text.to_owned(), file.to_owned()));
        while let Some((text, file)) = next.take() {
            let number = files.sources.0.len();
            files.sources.0.push(Source {
                file: file.clone(),
                text: Arc::from(text.as_str()),
            });
            let Some(tree) = load(&text, number, faults) else {
                return files;
            };
            match tree
                .get("include")
                .map(|include| files.included(include, &file, faults))
            {
                Some(None) => return files,
                Some(included) => next = included,
                None => {}
            }
            files.trees.push(tree);
        }
        files.is_whole = true;
        files
    }

    /// Reads the file that `include` in `file` names.
    fn included(&self, include: &Node, file: &Path, faults: &Faults) -> Option<(String, PathBuf)> {
        let path = folder(file).join(include.text()?);
        let is_open = self
            .sources
            .0
            .iter()
            .any(|source| is_same(&source.file, &path));
        if is_open {
            faults.add_with_help(
                include.mark,
                format!("`{}` includes itself", path.display()),
                "leave this `include` out, or name another file",
            );
            return None;
        }
        if self.sources.0.len() >= FILES_MAX {
            faults.add(
                include.mark,
                format!("more than {FILES_MAX} files include one another"),
            );
            return None;
        }
        match node::text(&path) {
            Ok(text) => Some((text, path)),
            Err(error) => {
                let message = format!("`{}` cannot be read: {}", path.display(), file::why(&error));
                faults.add_with_help(
                    include.mark,
                    message,
                    "the path is relative to the folder of this file",
                );
                None
            }
        }
    }

    /// The specs of all files as one; what includes wins over what is included.
    pub(crate) fn spec(&self) -> Node {
        let nothing = Node {
            mark: Mark::default(),
            kind: Kind::Map(Vec::new()),
        };
        self.trees
            .iter()
            .rev()
            .fold(nothing, |base, top| merged(&base, top))
    }
}

/// The folder in which `file` stands.
pub(crate) fn folder(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or_else(|| Path::new(""));
    absolute_folder(if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    })
    .unwrap_or_else(|_| folder.to_owned())
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), _) | (_, Err(_)) => one == other,
    }
}

/// `base` with what stands in `top` over it: agents per name and key; models, prices, tools, states
/// and replies per entry; all else per key.
pub(crate) fn merged(base: &Node, top: &Node) -> Node {
    overlaid(base, top, &|key, below, above| match key {
        "agents" => rosters(below, above),
        "models" | "prices" | "tools" | "states" | "replies" => {
            overlaid(below, above, &|_, _, above| above.clone())
        }
        "defaults" | "policy" => overlaid(below, above, &|_, _, above| above.clone()),
        "limits" => overlaid(below, above, &|_, below, above| {
            overlaid(below, above, &|_, _, above| above.clone())
        }),
        _ => above.clone(),
    })
}

/// Two maps as one; `both` says what becomes of the values of a key that both have.
fn overlaid(base: &Node, top: &Node, both: &dyn Fn(&str, &Node, &Node) -> Node) -> Node {
    let (Kind::Map(below), Kind::Map(above)) = (&base.kind, &top.kind) else {
        return top.clone();
    };
    let kept =
        below.iter().map(
            |(key, value)| match top.key(key.text()).zip(top.get(key.text())) {
                Some((key, over)) => (key.clone(), both(key.text(), value, over)),
                None => (key.clone(), value.clone()),
            },
        );
    let added = above
        .iter()
        .filter(|(key, _)| base.key(key.text()).is_none())
        .cloned();
    let entries: Vec<(Key, Node)> = kept.chain(added).collect();
    Node {
        mark: top.mark,
        kind: Kind::Map(entries),
    }
}

/// Two lists of agents as one.
fn rosters(base: &Node, top: &Node) -> Node {
    let is_of = |node: &Node, other: &Node| {
        node.text_of("name").is_some() && node.text_of("name") == other.text_of("name")
    };
    let kept = base.items().map(
        |agent| match top.items().find(|other| is_of(agent, other)) {
            Some(other) => overlaid(agent, other, &|_, _, above| above.clone()),
            None => agent.clone(),
        },
    );
    let added = top
        .items()
        .filter(|agent| !base.items().any(|other| is_of(agent, other)))
        .cloned();
    Node {
        mark: top.mark,
        kind: Kind::List(kept.chain(added).collect()),
    }
}
