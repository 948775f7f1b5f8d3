//! The way from bytes to a table: once through the rows for types, and once more for values.
//!
//! Two passes cost less than types that are guessed from a part: no column is ever made wider behind rows that are written,
//! and the same bytes always give the same table (docs/decisions/0040).

use std::io;
use std::sync::Arc;

use rusqlite::Connection;

use super::describe::Description;
use super::error::ImportError;
use super::limits::Limits;
use super::sniff::Assume;
use super::source::Source;
use form::Form;
use plan::Plan;
use survey::Survey;

mod form;
mod pass;
mod plan;
mod survey;

#[cfg(test)]
mod tests;

/// Tells whether the work is to end.
pub type IsStopped = Arc<dyn Fn() -> bool + Send + Sync>;

/// A file to be imported.
#[derive(Clone)]
pub struct Import {
    /// The name of the file: its ending is a hint.
    pub name: String,
    /// Its bytes.
    pub source: Arc<dyn Source>,
    /// The settings of a person who knows it better.
    pub assume: Assume,
    /// The bounds.
    pub limits: Limits,
    /// The sign to stop. It is looked at again and again.
    pub is_stopped: IsStopped,
}

impl std::fmt::Debug for Import {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Import")
            .field("name", &self.name)
            .field("bytes", &self.source.bytes())
            .field("assume", &self.assume)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Import {
    /// The file `name`, within the standard bounds.
    #[must_use]
    pub fn new(name: impl Into<String>, source: Arc<dyn Source>) -> Self {
        Self {
            name: name.into(),
            source,
            assume: Assume::default(),
            limits: Limits::STANDARD,
            is_stopped: Arc::new(|| false),
        }
    }

    /// Makes the table `table` of it, in one transaction, and describes it.
    ///
    /// # Errors
    /// [`ImportError`] says why there is no such table now.
    pub fn run(
        &self,
        connection: &mut Connection,
        table: &str,
    ) -> Result<Description, ImportError> {
        let result = self.clone().stoppable().import(connection, table);
        match result {
            // Whatever it broke, that was the reason.
            Err(_) if (self.is_stopped)() => Err(ImportError::Stopped),
            Err(error) => Err(error),
            Ok(description) => Ok(description),
        }
    }

    fn stoppable(mut self) -> Self {
        self.source = Arc::new(Stoppable {
            source: self.source,
            is_stopped: Arc::clone(&self.is_stopped),
        });
        self
    }

    fn import(&self, connection: &mut Connection, table: &str) -> Result<Description, ImportError> {
        if self.source.bytes() > self.limits.bytes {
            return Err(ImportError::TooMany {
                of: "bytes",
                max: self.limits.bytes,
            });
        }
        let form = Form::of(self)?;
        let survey = Survey::of(self, &form)?;
        let Some(encoding) = survey.better_encoding(self, &form) else {
            return self.write(&form, survey, connection, table);
        };
        let form = form.in_encoding(self, encoding)?;
        let survey = Survey::of(self, &form)?;
        self.write(&form, survey, connection, table)
    }

    fn write(
        &self,
        form: &Form,
        survey: Survey,
        connection: &mut Connection,
        table: &str,
    ) -> Result<Description, ImportError> {
        let plan = Plan::new(form, survey);
        let transaction = connection.transaction()?;
        let figures = plan.write(self, form, &transaction, table)?;
        transaction.commit()?;
        Ok(plan.description(self.source.bytes(), form, figures))
    }
}

/// A source that cannot be read any more once the work is to end.
struct Stoppable {
    source: Arc<dyn Source>,
    is_stopped: IsStopped,
}

impl Source for Stoppable {
    fn bytes(&self) -> u64 {
        self.source.bytes()
    }

    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        if (self.is_stopped)() {
            return Err(io::Error::other("stopped"));
        }
        self.source.read_at(at, into)
    }
}
