//! What labels may look like: they stay in memory for every world of a store, so they are few and short.

use super::Labelled;

impl Labelled {
    /// The most labels of a world.
    pub const LABELS_MAX: usize = 16;
    /// The longest key of a label, in bytes.
    pub const KEY_MAX: usize = 64;
    /// The longest value of a label, and the longest owner, in bytes.
    pub const VALUE_MAX: usize = 128;

    /// Says what is wrong with the owner or the labels, and of which.
    ///
    /// # Errors
    /// One sentence for a person.
    pub fn check(&self) -> Result<(), String> {
        if let Some(owner) = &self.owner {
            check_value("the owner", owner)?;
            if owner.is_empty() {
                return Err("the owner is empty; leave it out instead".to_owned());
            }
        }
        if self.labels.len() > Self::LABELS_MAX {
            return Err(format!(
                "there are {} labels, at most {} are allowed",
                self.labels.len(),
                Self::LABELS_MAX
            ));
        }
        self.labels
            .iter()
            .try_for_each(|(key, value)| check_key(key).and_then(|()| check_value(key, value)))
    }
}

/// Keys are typed on command lines as `KEY=VALUE`.
fn check_key(key: &str) -> Result<(), String> {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    if key.len() > Labelled::KEY_MAX {
        return Err(format!(
            "the label {key:?} has a name of {} bytes, at most {}",
            key.len(),
            Labelled::KEY_MAX
        ));
    }
    if key.is_empty() || !key.chars().all(is_fit) {
        return Err(format!(
            "{key:?} is no name of a label: letters, digits and . _ - / make one"
        ));
    }
    Ok(())
}

fn check_value(what: &str, value: &str) -> Result<(), String> {
    if value.len() > Labelled::VALUE_MAX {
        return Err(format!(
            "{what} has {} bytes, at most {} are allowed",
            value.len(),
            Labelled::VALUE_MAX
        ));
    }
    if value.chars().any(char::is_control) {
        return Err(format!("{what} has a control character"));
    }
    Ok(())
}
