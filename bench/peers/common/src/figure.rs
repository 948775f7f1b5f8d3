//! What a measurement prints.
#![expect(
    clippy::print_stdout,
    reason = "printing it is what the program is for"
)]

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::Fallible;

/// A figure, with others that belong to it.
#[derive(Debug)]
pub struct Figure(Map<String, Value>);

impl Figure {
    /// What was measured.
    #[must_use]
    pub fn new(value: f64) -> Self {
        Self(Map::from_iter([("value".to_owned(), json!(value))]))
    }

    /// The same with one more number.
    #[must_use]
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.0.insert(name.to_owned(), json!(value));
        self
    }

    /// Prints it as one line of JSON.
    pub fn print(self) {
        println!("{}", Value::Object(self.0));
    }
}

/// How many bytes of the disk the files under `folder` take.
///
/// # Errors
/// The folder cannot be read.
#[expect(clippy::cast_precision_loss, reason = "no size here comes near 2^52")]
pub fn disk_bytes(folder: &Path) -> Fallible<f64> {
    use std::os::unix::fs::MetadataExt as _;
    let mut bytes = 0.0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() {
            disk_bytes(&entry.path())?
        } else {
            (metadata.blocks() * 512) as f64
        };
    }
    Ok(bytes)
}

/// The resident memory of this process in bytes.
///
/// # Errors
/// The system does not tell.
pub fn resident_bytes() -> Fallible<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line
        .and_then(|line| line.split_whitespace().next())
        .ok_or("no VmRSS")?;
    Ok(kib.parse::<f64>()? * 1024.0)
}
