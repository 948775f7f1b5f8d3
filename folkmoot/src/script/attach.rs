//! The files that a script attaches to messages: found, measured and read.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::fault::{Fault, Faults, Mark};
use super::node::Node;
use super::{Script, ScriptError, Verb};
use crate::file;
use crate::media_type::{known_endings, media_type_of};

/// A file to attach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attach {
    /// Where it is, relative to the script's folder.
    pub path: PathBuf,
    /// Its media type.
    pub media_type: &'static str,
    /// Where it is named.
    pub at: Mark,
}

impl Attach {
    /// Reads a checked name.
    pub(crate) fn read(node: &Node) -> Option<Self> {
        let path = PathBuf::from(node.text()?);
        Some(Self {
            media_type: media_type_of(&path)?,
            path,
            at: node.mark,
        })
    }
}

/// A file that a step attaches, open to be read.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) name: String,
    pub(crate) media_type: &'static str,
    pub(crate) file: File,
}

/// Checks the name of a file: what it ends with must say what it is.
pub(crate) fn check_name(node: &Node, faults: &Faults) {
    let Some(name) = node.text() else { return };
    if media_type_of(Path::new(name)).is_none() {
        let help = format!("known endings: {}", known_endings().join(", "));
        faults.add_with_help(
            node.mark,
            format!("the name `{name}` does not say which kind of file it is"),
            help,
        );
    }
}

impl Script {
    /// Checks that the files which the steps from the one with the number `from` on attach, counted
    /// from 0, are there and not larger than the world allows. What a step expects to be refused
    /// may be too large.
    ///
    /// # Errors
    /// A fault for each file that is missing or too large.
    pub fn check_files(&self, from: usize) -> Result<(), ScriptError> {
        let mut faults = Vec::new();
        for (index, step) in self.steps.iter().enumerate().skip(from) {
            let Verb::Say(post) = &step.verb else {
                continue;
            };
            let max = self.spec_before(index).limits.attachment_bytes_max;
            let max = if step.refused.is_some() {
                u64::MAX
            } else {
                u64::from(max)
            };
            faults.extend(
                post.attach
                    .iter()
                    .filter_map(|attach| self.open(attach, max).err()),
            );
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(ScriptError { faults })
        }
    }

    /// Opens a file that a step attaches.
    ///
    /// # Errors
    /// A fault at the place that names the file.
    pub(crate) fn attached(&self, attach: &Attach) -> Result<Attached, Fault> {
        let name = attach
            .path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        Ok(Attached {
            name,
            media_type: attach.media_type,
            file: self.open(attach, u64::MAX)?,
        })
    }

    fn open(&self, attach: &Attach, bytes_max: u64) -> Result<File, Fault> {
        let open = || {
            let file = file::open(&self.base.join(&attach.path))?;
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                Err(io::ErrorKind::IsADirectory.into())
            } else {
                Ok((file, metadata.len()))
            }
        };
        let (file, bytes) = open().map_err(|error| self.unreadable(attach, &error))?;
        if bytes > bytes_max {
            let message = format!(
                "`{}` has {bytes} bytes, at most {bytes_max} are allowed",
                attach.path.display()
            );
            let help = "make it smaller, or raise `attachment_bytes_max` under `limits`".to_owned();
            return Err(self.sources.fault(attach.at, message, Some(help)));
        }
        Ok(file)
    }

    pub(crate) fn unreadable(&self, attach: &Attach, error: &io::Error) -> Fault {
        let message = format!(
            "`{}` cannot be read: {}",
            attach.path.display(),
            file::why(error)
        );
        let help = format!(
            "the path is relative to the script's folder, {}",
            self.base.display()
        );
        self.sources.fault(attach.at, message, Some(help))
    }
}
