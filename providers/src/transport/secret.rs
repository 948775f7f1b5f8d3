//! Settings with `${NAME}` in them, and the values that they stand for.

use std::fmt;

use serde::Deserialize;

#[cfg(test)]
mod tests;

/// The place where variables are looked up.
pub trait Environment: fmt::Debug + Send + Sync {
    /// The value of `name`. An empty one counts as not set.
    fn variable(&self, name: &str) -> Option<String>;
}

/// The variables of this process.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

/// A value that is never shown, stored or compared. It is made when a call is performed and dropped
/// with it.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, for the one place that sends it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// A variable that is not set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {name} is not set")]
pub struct MissingVariable {
    /// The variable's name.
    pub name: String,
}

/// A text with `${NAME}` and `${NAME:-default}` in it, unexpanded: safe to store and to show.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Template {
    text: String,
    pieces: Vec<TemplatePiece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TemplatePiece {
    Text(String),
    Variable {
        name: String,
        default: Option<String>,
    },
}

impl TemplatePiece {
    fn value(&self, environment: &dyn Environment) -> Option<Secret> {
        match self {
            Self::Text(_) => None,
            // The default is left out: it stands in the script for everybody to read.
            Self::Variable { name, .. } => environment.variable(name).map(Secret),
        }
    }
}

/// A text that is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{rest}` is not of the form ${{NAME}} or ${{NAME:-default}}")]
pub struct TemplateError {
    /// From the faulty `${` on.
    pub rest: String,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// [`TemplateError`] for a `${` without its end, or with something else than a name in it.
    pub fn new(text: impl Into<String>) -> Result<Self, TemplateError> {
        let text = text.into();
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, behind)) = rest.split_once("${") {
            let variable = behind
                .split_once('}')
                .and_then(|(inner, rest)| Some((variable(inner)?, rest)));
            let Some((variable, behind)) = variable else {
                return Err(TemplateError {
                    rest: format!("${{{behind}"),
                });
            };
            pieces.extend([TemplatePiece::Text(before.to_owned()), variable]);
            rest = behind;
        }
        pieces.push(TemplatePiece::Text(rest.to_owned()));
        Ok(Self { text, pieces })
    }

    /// The template that is one variable.
    #[must_use]
    pub fn of_variable(name: &str, default: Option<&str>) -> Self {
        let text = default.map_or_else(
            || format!("${{{name}}}"),
            |default| format!("${{{name}:-{default}}}"),
        );
        let piece = TemplatePiece::Variable {
            name: name.to_owned(),
            default: default.map(str::to_owned),
        };
        Self {
            text,
            pieces: vec![piece],
        }
    }

    /// The text as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Tells whether the text has a variable in it.
    #[must_use]
    pub fn has_variables(&self) -> bool {
        self.pieces
            .iter()
            .any(|piece| matches!(piece, TemplatePiece::Variable { .. }))
    }

    /// The names of its variables, in order.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            TemplatePiece::Text(_) => None,
            TemplatePiece::Variable { name, .. } => Some(name.as_str()),
        })
    }

    /// The values of its variables that are set. Defaults are no secrets: they stand in the script.
    pub fn values(&self, environment: &dyn Environment) -> impl Iterator<Item = Secret> {
        self.pieces
            .iter()
            .filter_map(|piece| piece.value(environment))
    }

    /// The same without a variable that the text begins with.
    pub(super) fn values_behind_the_first_piece(
        &self,
        environment: &dyn Environment,
    ) -> impl Iterator<Item = Secret> {
        let written = self
            .pieces
            .iter()
            .filter(|piece| !matches!(piece, TemplatePiece::Text(text) if text.is_empty()));
        written.skip(1).filter_map(|piece| piece.value(environment))
    }

    /// Puts the values in.
    ///
    /// # Errors
    /// [`MissingVariable`] for the first one that is neither set nor has a default.
    pub fn expand(&self, environment: &dyn Environment) -> Result<Secret, MissingVariable> {
        let value = |piece: &TemplatePiece| match piece {
            TemplatePiece::Text(text) => Ok(text.clone()),
            TemplatePiece::Variable { name, default } => environment
                .variable(name)
                .filter(|value| !value.is_empty())
                .or_else(|| default.clone())
                .ok_or_else(|| MissingVariable { name: name.clone() }),
        };
        self.pieces
            .iter()
            .map(value)
            .collect::<Result<String, _>>()
            .map(Secret)
    }
}

impl TryFrom<String> for Template {
    type Error = TemplateError;

    fn try_from(text: String) -> Result<Self, TemplateError> {
        Self::new(text)
    }
}

fn variable(inner: &str) -> Option<TemplatePiece> {
    let (name, default) = inner
        .split_once(":-")
        .map_or((inner, None), |(name, default)| (name, Some(default)));
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name =
        name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit());
    is_name.then(|| TemplatePiece::Variable {
        name: name.to_owned(),
        default: default.map(str::to_owned),
    })
}
