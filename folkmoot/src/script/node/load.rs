//! From YAML text to the tree.

use std::collections::BTreeSet;
use std::io::{self, Read as _};
use std::path::Path;

use serde_saphyr::granit_parser::{
    Event, Marker, Options, Parser, ScalarStyle, ScanError, Span, options,
};

use super::{Key, Kind, Node, Scalar};
use crate::file;
use crate::script::fault::{Faults, Mark};
use crate::script::scalar;

/// The most bytes of one file.
const BYTES_MAX: usize = 4 * 1024 * 1024;
/// How deep lists and maps may stand in one another.
const DEPTH_MAX: usize = 48;
/// The most values in one file.
const NODES_MAX: usize = 50_000;

/// Reads a file's text: as much of it as tells that it is too long. It may be a device that never
/// ends.
pub(crate) fn text(file: &Path) -> io::Result<String> {
    let mut text = Vec::new();
    file::open(file)?
        .take(BYTES_MAX as u64 + 1)
        .read_to_end(&mut text)?;
    let is_cut = text.len() > BYTES_MAX;
    String::from_utf8(text).or_else(|error| {
        // The end may stand inside a character.
        if is_cut {
            Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
        } else {
            let whole = error
                .as_bytes()
                .get(..error.utf8_error().valid_up_to())
                .unwrap_or_default();
            let line = whole.iter().filter(|byte| **byte == b'\n').count() + 1;
            Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("line {line} is not UTF-8 text"),
            ))
        }
    })
}

/// Reads the file that is source number `source`. `None` if there is no tree to go on with; then
/// there is a fault.
pub(crate) fn load(text: &str, source: usize, faults: &Faults) -> Option<Node> {
    let mut loader = Loader {
        text,
        source,
        faults,
        open: Vec::new(),
        root: None,
        nodes: 0,
    };
    if text.len() > BYTES_MAX {
        faults.add(
            loader.mark(0, 0),
            format!("the file is larger than {BYTES_MAX} bytes"),
        );
        return None;
    }
    for event in Parser::new_from_str_with_options(text, bounds()) {
        match event {
            Ok((event, span)) => loader.take(event, span)?,
            Err(error) => {
                loader.scan_fault(&error);
                return None;
            }
        }
    }
    if loader.root.is_none() {
        let help = "`folkmoot init` writes a script to begin with";
        faults.add_with_help(loader.mark(0, 0), "the file is empty", help);
    }
    loader.root
}

fn bounds() -> Options {
    options! {
        emit_comments: false,
        disallow_directives: true,
        flow_nesting_limit: DEPTH_MAX,
        block_nesting_limit: DEPTH_MAX,
    }
}

/// A list or a map whose end has not come yet.
enum Open {
    List(Mark, Vec<Node>),
    Map(OpenMap),
}

/// A map whose end has not come yet.
struct OpenMap {
    start: Mark,
    entries: Vec<(Key, Node)>,
    /// The texts of the keys so far: a map may have tens of thousands.
    keys: BTreeSet<String>,
    /// The key whose value is next.
    key: Option<Key>,
}

struct Loader<'a> {
    text: &'a str,
    source: usize,
    faults: &'a Faults,
    open: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
}

impl Loader<'_> {
    /// Takes one event; `None` means to give up, after a fault.
    fn take(&mut self, event: Event<'_>, span: Span) -> Option<()> {
        let mark = self.mark_of(span);
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            self.faults
                .add(mark, format!("the file has more than {NODES_MAX} values"));
            return None;
        }
        if let Some(tag) = span.tag_span() {
            self.faults.add_with_help(
                self.mark_of(tag),
                "tags (`!name`) are not part of world scripts",
                "leave the tag out",
            );
        }
        match event {
            Event::Scalar(text, style, anchor, _) => {
                self.refuse_anchor(anchor, mark);
                // What is left out comes as a `~` without extent.
                let text = if mark.len == 0 {
                    String::new()
                } else {
                    text.into_owned()
                };
                let scalar = Scalar {
                    text,
                    is_plain: style == ScalarStyle::Plain,
                };
                self.scalar(scalar, mark)?;
            }
            Event::SequenceStart(_, anchor, _) => {
                self.refuse_anchor(anchor, mark);
                self.open.push(Open::List(mark, Vec::new()));
            }
            Event::MappingStart(_, anchor, _) => {
                self.refuse_anchor(anchor, mark);
                let entries = Vec::new();
                let keys = BTreeSet::new();
                self.open.push(Open::Map(OpenMap {
                    start: mark,
                    entries,
                    keys,
                    key: None,
                }));
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(mark)?,
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.refuse_anchor(1, mark);
                return None;
            }
            Event::DocumentStart(..) if self.root.is_some() => {
                self.faults.add_with_help(
                    mark,
                    "a second document begins here, and a world script is one document",
                    "put it into a file of its own",
                );
                return None;
            }
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd
            | Event::Anchor(..)
            | Event::Comment(..) => {}
            // The parser may learn of more kinds of events than it has today.
            _ => self
                .faults
                .add(mark, "world scripts do not use this part of YAML"),
        }
        Some(())
    }

    fn refuse_anchor(&self, anchor: usize, mark: Mark) {
        if anchor != 0 {
            self.faults.add_with_help(
                mark,
                "anchors (`&name`) and aliases (`*name`) are not part of world scripts",
                "write the value out, or share a spec with `include`",
            );
        }
    }

    fn scalar(&mut self, scalar: Scalar, mark: Mark) -> Option<()> {
        if let Some(Open::Map(OpenMap {
            key: key @ None, ..
        })) = self.open.last_mut()
        {
            *key = Some(Key { mark, scalar });
            return Some(());
        }
        if scalar::is_beyond_json(&scalar) {
            self.faults.add(
                mark,
                format!("`{}` is not a number that can be stored", scalar.text),
            );
        }
        self.put(Node {
            mark,
            kind: Kind::Scalar(scalar),
        })
    }

    fn close(&mut self, end: Mark) -> Option<()> {
        let node = match self.open.pop()? {
            Open::List(start, items) => Node {
                mark: extent(start, end, items.first().map(|item| item.mark)),
                kind: Kind::List(items),
            },
            Open::Map(OpenMap { start, entries, .. }) => Node {
                mark: extent(start, end, entries.first().map(|(key, _)| key.mark)),
                kind: Kind::Map(entries),
            },
        };
        self.put(node)
    }

    /// Puts a finished value where it belongs.
    fn put(&mut self, node: Node) -> Option<()> {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List(_, items)) => items.push(node),
            Some(Open::Map(map)) => match map.key.take() {
                Some(key) if !map.keys.insert(key.text().to_owned()) => {
                    let message = format!("`{}` stands here twice", key.text());
                    self.faults
                        .add_with_help(key.mark, message, "keep one of them");
                }
                Some(key) => map.entries.push((key, node)),
                None => {
                    let help = "write a name in front of the `:`";
                    self.faults
                        .add_with_help(node.mark, "a list or a map cannot be a key", help);
                    return None;
                }
            },
        }
        Some(())
    }

    fn scan_fault(&self, error: &ScanError) {
        let mark = self.mark_from(*error.marker());
        let (before, at) = self
            .text
            .split_at_checked(mark.offset)
            .unwrap_or((self.text, ""));
        let mark = Mark {
            len: at.chars().next().map_or(0, char::len_utf8),
            ..mark
        };
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let indent = self
            .text
            .get(line..)
            .unwrap_or("")
            .split(|c| c != ' ' && c != '\t')
            .next()
            .unwrap_or("");
        match (indent.find('\t'), at.chars().next()) {
            (Some(tab), _) => {
                let tab = self.mark(line + tab, 1);
                self.faults
                    .add_with_help(tab, "a tab cannot indent a line", "use blanks");
            }
            (None, Some(first @ ('@' | '`'))) => {
                let word = self.word(at);
                let message =
                    format!("a value that starts with `{first}` cannot stand without quotes");
                let help = format!("put it in quotes: {word:?}");
                self.faults.add_with_help(
                    Mark {
                        len: word.len(),
                        ..mark
                    },
                    message,
                    help,
                );
            }
            (None, Some(_) | None) => self.faults.add(
                mark,
                format!("this cannot be read as YAML: {}", error.info()),
            ),
        }
    }

    /// The value that was probably meant by `text`: to the end of the line, or of its place between
    /// brackets.
    fn word<'t>(&self, text: &'t str) -> &'t str {
        let is_in_brackets = self.open.iter().any(|open| match open {
            Open::List(mark, _) | Open::Map(OpenMap { start: mark, .. }) => mark.len > 0,
        });
        let line = text.lines().next().unwrap_or("");
        let word = line.split(" #").next().unwrap_or("");
        let word = if is_in_brackets {
            word.split([',', '}', ']']).next().unwrap_or("")
        } else {
            word
        };
        word.trim_end()
    }

    fn mark_of(&self, span: Span) -> Mark {
        let start = self.mark_from(span.start);
        let end = span.end.byte_offset().unwrap_or(start.offset);
        Mark {
            len: end.saturating_sub(start.offset),
            ..start
        }
    }

    fn mark_from(&self, marker: Marker) -> Mark {
        let offset = marker.byte_offset().or_else(|| {
            let mut starts = self.text.char_indices().map(|(at, _)| at);
            starts.nth(marker.index())
        });
        self.mark(offset.unwrap_or(self.text.len()), 0)
    }

    const fn mark(&self, offset: usize, len: usize) -> Mark {
        Mark {
            source: self.source,
            offset,
            len,
        }
    }
}

/// The mark of a list or map: brackets and all, or its first key or item if it has no brackets.
fn extent(start: Mark, end: Mark, first: Option<Mark>) -> Mark {
    match first {
        Some(first) if start.len == 0 => first,
        Some(_) | None => Mark {
            len: (end.offset + end.len).saturating_sub(start.offset),
            ..start
        },
    }
}
