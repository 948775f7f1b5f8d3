//! Names that people could take for one another, and those that nobody may have.

use std::sync::OnceLock;

use unicode_security::skeleton;

use crate::ids::letters::fold::fold;

#[cfg(test)]
mod tests;

/// The words that stand for what is no person and no agent.
const WORDS: [&str; 3] = ["runtime", "world", "system"];
/// The prefixes of agents and tools where it is said who acts.
const PREFIXES: [&str; 2] = ["agent:", "tool:"];

/// How a name looks: by the characters that stand for all those like them, capitals and small
/// letters told apart first, and the other way round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looks([String; 2]);

impl Looks {
    /// The looks of `name`.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let alike = |text: &str| fold(&skeleton(text).collect::<String>());
        Self([alike(name), alike(&fold(name))])
    }

    /// Tells whether one of both names could be taken for the other.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| one == other)
    }

    /// Both looks.
    pub(crate) const fn each(&self) -> &[String; 2] {
        &self.0
    }

    fn begins_like(&self, other: &Self) -> bool {
        self.0
            .iter()
            .zip(&other.0)
            .any(|(one, other)| one.starts_with(other.as_str()))
    }
}

/// Returns what a name that no person and no agent may have stands for: `runtime`, `world`,
/// `system`, `agent:` or `tool:`, also when it only looks like that. `None` for any other name.
#[must_use]
pub fn reserved(name: &str) -> Option<&'static str> {
    static KEPT: OnceLock<Vec<(&str, Looks)>> = OnceLock::new();
    let kept = KEPT.get_or_init(|| {
        WORDS
            .iter()
            .chain(&PREFIXES)
            .map(|word| (*word, Looks::of(word)))
            .collect()
    });
    let looks = Looks::of(name);
    let is_kept = |(word, known): &&(&str, Looks)| {
        if word.ends_with(':') {
            looks.begins_like(known)
        } else {
            looks.is_like(known)
        }
    };
    kept.iter().find(is_kept).map(|(word, _)| *word)
}

/// Returns the reason that nobody can be called `name` among `others`: it stands for nobody, or
/// could be taken for one of them.
pub fn name_fault<'n>(name: &str, others: impl IntoIterator<Item = &'n str>) -> Option<String> {
    if let Some(word) = reserved(name) {
        return Some(format!("nobody can be called {name}: {word} is reserved"));
    }
    let looks = Looks::of(name);
    let other = others
        .into_iter()
        .find(|other| looks.is_like(&Looks::of(other)))?;
    Some(format!(
        "{name} looks like {other}, who is in the room; take another name"
    ))
}
