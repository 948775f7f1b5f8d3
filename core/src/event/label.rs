//! The limits of labels: they stay in memory for every world of a store, so they are few and short.

use super::Labelled;

/// A fault of an owner or of a label: one sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LabelFault {
    /// The owner has no letter.
    #[error("the owner is empty; leave it out instead")]
    EmptyOwner,
    /// There are more labels than a world may have.
    #[error(
        "there are {count} labels, at most {} are allowed",
        Labelled::LABELS_MAX
    )]
    TooMany {
        /// The number of labels.
        count: usize,
    },
    /// The key of a label is too long.
    #[error("the label {key:?} has a name of {} bytes, at most {}", key.len(), Labelled::KEY_MAX)]
    LongKey {
        /// The key.
        key: String,
    },
    /// The key of a label has other characters than those that are typed on command lines.
    #[error("the label {key:?} has a bad name: use letters, digits and . _ - / only")]
    BadKey {
        /// The key.
        key: String,
    },
    /// A value is too long.
    #[error("{of} has {bytes} bytes, at most {} are allowed", Labelled::VALUE_MAX)]
    LongValue {
        /// The key of the label, or `the owner`.
        of: String,
        /// The length.
        bytes: usize,
    },
    /// A value has a control character.
    #[error("{of} has a control character")]
    ControlCharacter {
        /// The key of the label, or `the owner`.
        of: String,
    },
}

impl Labelled {
    /// The most labels of a world.
    pub const LABELS_MAX: usize = 16;
    /// The longest key of a label, in bytes.
    pub const KEY_MAX: usize = 64;
    /// The longest value of a label, and the longest owner, in bytes.
    pub const VALUE_MAX: usize = 128;

    /// Checks the owner and the labels.
    ///
    /// # Errors
    /// The first fault of them.
    pub fn check(&self) -> Result<(), LabelFault> {
        if let Some(owner) = &self.owner {
            check_value("the owner", owner)?;
            if owner.is_empty() {
                return Err(LabelFault::EmptyOwner);
            }
        }
        if self.labels.len() > Self::LABELS_MAX {
            let count = self.labels.len();
            return Err(LabelFault::TooMany { count });
        }
        self.labels
            .iter()
            .try_for_each(|(key, value)| check_key(key).and_then(|()| check_value(key, value)))
    }
}

/// Keys are typed on command lines as `KEY=VALUE`.
fn check_key(key: &str) -> Result<(), LabelFault> {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    if key.len() > Labelled::KEY_MAX {
        return Err(LabelFault::LongKey {
            key: key.to_owned(),
        });
    }
    if key.is_empty() || !key.chars().all(is_fit) {
        return Err(LabelFault::BadKey {
            key: key.to_owned(),
        });
    }
    Ok(())
}

fn check_value(of: &str, value: &str) -> Result<(), LabelFault> {
    let bytes = value.len();
    let of = of.to_owned();
    if bytes > Labelled::VALUE_MAX {
        return Err(LabelFault::LongValue { of, bytes });
    }
    if value.chars().any(char::is_control) {
        return Err(LabelFault::ControlCharacter { of });
    }
    Ok(())
}
