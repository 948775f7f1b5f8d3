//! Faults of a script on their way to the terminal that had it played.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot::run::Unmet;
use folkmoot::script::{Fault, Script};
use serde::{Deserialize, Serialize};

use crate::exit::CliError;

/// The fault that ended a play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToldFault {
    /// The script does not fit its world.
    Script(ToldPlace),
    /// A step failed.
    Step(ToldPlace),
    /// An expectation did not hold.
    Unmet {
        /// Where it is claimed.
        place: ToldPlace,
        /// The thing that was expected.
        expected: String,
        /// The thing that came.
        came: String,
    },
}

/// A place in a script, and the fault there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToldPlace {
    file: PathBuf,
    source: String,
    span: (usize, usize),
    message: String,
    help: Option<String>,
}

impl ToldFault {
    /// The fault that `error` is about.
    ///
    /// # Errors
    /// The error itself, if it is not about one place in a script.
    pub(super) fn of(error: CliError) -> Result<Self, CliError> {
        match error {
            CliError::Script(error) => match error.faults.as_slice() {
                [fault] => Ok(Self::Script(ToldPlace::of(fault))),
                _ => Err(CliError::Script(error)),
            },
            CliError::Step(fault) => Ok(Self::Step(ToldPlace::of(&fault))),
            CliError::Unmet(unmet) => Ok(Self::Unmet {
                place: ToldPlace::of(&unmet.fault),
                expected: unmet.expected,
                came: unmet.came,
            }),
            error @ (CliError::Store(_)
            | CliError::World(_)
            | CliError::Fold(_)
            | CliError::Other { .. }
            | CliError::HolderLost(_)
            | CliError::Closed
            | CliError::Said(_)) => Err(error),
        }
    }

    /// The error of a terminal, for which `script` stands in `file` and is named so.
    pub(crate) fn into_error(self, script: &Script, file: &Path) -> CliError {
        let fault = |place: ToldPlace| place.into_fault(script, file);
        match self {
            Self::Script(place) => CliError::Script(fault(place).into()),
            Self::Step(place) => CliError::Step(fault(place)),
            Self::Unmet {
                place,
                expected,
                came,
            } => CliError::Unmet(Box::new(Unmet {
                fault: fault(place),
                expected,
                came,
            })),
        }
    }
}

impl ToldPlace {
    fn of(fault: &Fault) -> Self {
        Self {
            file: fault.file.clone(),
            source: fault.source.to_string(),
            span: fault.span,
            message: fault.message.clone(),
            help: fault.help.clone(),
        }
    }

    /// The file was named from the root for the other process: here it is named as it was typed.
    fn into_fault(self, script: &Script, typed: &Path) -> Fault {
        let absolute = |path: &Path| std::path::absolute(path).ok();
        let is_script = absolute(typed).as_ref() == Some(&self.file);
        let base = absolute(&script.base);
        let beside = base.and_then(|base| self.file.strip_prefix(base).ok());
        let file = match beside {
            _ if is_script => typed.to_owned(),
            Some(rest) => script.base.join(rest),
            None => self.file.clone(),
        };
        Fault {
            file,
            source: Arc::from(self.source),
            span: self.span,
            message: self.message,
            help: self.help,
        }
    }
}
