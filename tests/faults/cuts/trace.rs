//! What a process did to the files of a folder, in order: the records of `record.c`, with names resolved to files.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;

/// A file or folder; the first is the recorded folder itself. A name that is used again is another node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Node(pub(crate) usize);

/// The recorded folder.
pub(crate) const ROOT: Node = Node(0);

/// The file in it that a process writes into what it was told: no file of the store.
pub(crate) const NOTES: &str = "notes";

/// What was done.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A name was made, changed or removed.
    Name(Rename),
    /// Bytes of the trace were written into a file.
    Write {
        node: Node,
        at: u64,
        data: Range<usize>,
    },
    /// A file was cut or extended.
    SetLen { node: Node, len: u64 },
    /// A file or folder was synced.
    Sync { node: Node },
    /// The process was told something: a line, as bytes of the trace.
    Note { line: Range<usize> },
}

/// A change of names: from nowhere, elsewhere, or to nowhere.
#[derive(Debug, Clone)]
pub(crate) struct Rename {
    pub(crate) node: Node,
    pub(crate) from: Option<(Node, String)>,
    pub(crate) to: Option<(Node, String)>,
}

/// All that was done.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) bytes: Vec<u8>,
    pub(crate) steps: Vec<Step>,
    pub(crate) is_folder: Vec<bool>,
}

impl Trace {
    /// Reads the records of one or more processes that worked in the folder one after the other.
    pub(crate) fn parse(bytes: Vec<u8>) -> Self {
        let mut reader = Resolver::default();
        let mut at = 0;
        while let Some(record) = Record::read(&bytes, &mut at) {
            reader.take(&record, &bytes);
        }
        Self {
            steps: reader.steps,
            is_folder: reader
                .nodes
                .iter()
                .map(|node| node.names.is_some())
                .collect(),
            bytes,
        }
    }

    pub(crate) fn text(&self, line: &Range<usize>) -> &str {
        std::str::from_utf8(&self.bytes[line.clone()])
            .unwrap()
            .trim_end()
    }
}

/// A record as it stands in the file.
struct Record {
    what: u8,
    a: i32,
    b: i32,
    x: u64,
    y: u64,
    one: Range<usize>,
    two: Range<usize>,
}

/// The bytes of a record before its strings.
const HEAD: usize = 33;

impl Record {
    /// The next one; `None` at the end, or if a killed process left half of one.
    fn read(bytes: &[u8], at: &mut usize) -> Option<Self> {
        let head = bytes.get(*at..*at + HEAD)?;
        let four = |at: usize| i32::from_le_bytes(head[at..at + 4].try_into().unwrap());
        let eight = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap());
        let one = *at + HEAD..*at + HEAD + usize::try_from(four(25)).unwrap();
        let two = one.end..one.end + usize::try_from(four(29)).unwrap();
        bytes.get(one.start..two.end)?;
        *at = two.end;
        Some(Self {
            what: head[0],
            a: four(1),
            b: four(5),
            x: eight(9),
            y: eight(17),
            one,
            two,
        })
    }
}

/// A file or folder as it is when everything has been done so far.
#[derive(Debug, Default)]
struct Now {
    names: Option<BTreeMap<String, Node>>,
    len: u64,
    is_notes: bool,
}

#[derive(Debug)]
struct Resolver {
    steps: Vec<Step>,
    nodes: Vec<Now>,
    open: HashMap<i32, Node>,
}

impl Default for Resolver {
    fn default() -> Self {
        let root = Now {
            names: Some(BTreeMap::new()),
            ..Now::default()
        };
        Self {
            steps: Vec::new(),
            nodes: vec![root],
            open: HashMap::new(),
        }
    }
}

/// `O_CREAT` and `O_TRUNC`.
const CREATES: i32 = 0o100;
const CUTS: i32 = 0o1000;

/// `FALLOC_FL_KEEP_SIZE`.
const KEEPS_LEN: i32 = 1;

impl Resolver {
    fn take(&mut self, record: &Record, bytes: &[u8]) {
        let path = |range: &Range<usize>| {
            std::str::from_utf8(&bytes[range.clone()])
                .unwrap()
                .to_owned()
        };
        match record.what {
            b'S' => self.open.clear(),
            b'O' => self.open(record, &path(&record.one)),
            b'C' => drop(self.open.remove(&record.a)),
            b'P' => drop(self.open.insert(record.b, self.open[&record.a])),
            b'W' => self.write(self.open[&record.a], record),
            b'T' => self.set_len(self.open[&record.a], record.x),
            b'A' if record.b == 0 => {
                let node = self.open[&record.a];
                self.set_len(node, self.nodes[node.0].len.max(record.x + record.y));
            }
            b'A' if record.b == KEEPS_LEN => {}
            b'F' => self.steps.push(Step::Sync {
                node: self.open[&record.a],
            }),
            // It begins to write, and promises nothing.
            b'r' => {}
            b'M' => drop(self.make(&path(&record.one), true)),
            b'U' | b'D' => self.remove(&path(&record.one)),
            b'R' => self.rename(&path(&record.one), &path(&record.two)),
            other => panic!(
                "{:?} {}: a way to change files that is not known",
                char::from(other),
                path(&record.one)
            ),
        }
    }

    fn open(&mut self, record: &Record, path: &str) {
        let node = match self.find(path) {
            Some(node) => node,
            None if record.b & CREATES != 0 => self.make(path, false),
            None => panic!("{path} was opened, and nobody made it"),
        };
        if record.b & CUTS != 0 && self.nodes[node.0].len > 0 {
            self.set_len(node, 0);
        }
        self.open.insert(record.a, node);
    }

    fn find(&self, path: &str) -> Option<Node> {
        let parts = path.split('/').filter(|part| !part.is_empty());
        parts.into_iter().try_fold(ROOT, |node, part| {
            self.nodes[node.0].names.as_ref()?.get(part).copied()
        })
    }

    /// The folder that a path is in, and its name there.
    fn place(&self, path: &str) -> (Node, String) {
        let path = Path::new(path);
        let folder = path.parent().unwrap().to_str().unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        (
            self.find(folder)
                .unwrap_or_else(|| panic!("{folder} was never made")),
            name.to_owned(),
        )
    }

    fn names(&mut self, folder: Node) -> &mut BTreeMap<String, Node> {
        self.nodes[folder.0].names.as_mut().unwrap()
    }

    fn make(&mut self, path: &str, is_folder: bool) -> Node {
        let node = Node(self.nodes.len());
        let names = is_folder.then(BTreeMap::new);
        self.nodes.push(Now {
            names,
            len: 0,
            is_notes: path == NOTES,
        });
        let to = self.place(path);
        self.names(to.0).insert(to.1.clone(), node);
        if path != NOTES {
            self.steps.push(Step::Name(Rename {
                node,
                from: None,
                to: Some(to),
            }));
        }
        node
    }

    fn remove(&mut self, path: &str) {
        let from = self.place(path);
        let node = self.names(from.0).remove(&from.1).unwrap();
        self.steps.push(Step::Name(Rename {
            node,
            from: Some(from),
            to: None,
        }));
    }

    fn rename(&mut self, old: &str, new: &str) {
        let (from, to) = (self.place(old), self.place(new));
        let node = self.names(from.0).remove(&from.1).unwrap();
        self.names(to.0).insert(to.1.clone(), node);
        self.steps.push(Step::Name(Rename {
            node,
            from: Some(from),
            to: Some(to),
        }));
    }

    fn write(&mut self, node: Node, record: &Record) {
        let now = &mut self.nodes[node.0];
        now.len = now.len.max(record.x + record.one.len() as u64);
        let step = if now.is_notes {
            Step::Note {
                line: record.one.clone(),
            }
        } else {
            Step::Write {
                node,
                at: record.x,
                data: record.one.clone(),
            }
        };
        self.steps.push(step);
    }

    fn set_len(&mut self, node: Node, len: u64) {
        self.nodes[node.0].len = len;
        self.steps.push(Step::SetLen { node, len });
    }
}
