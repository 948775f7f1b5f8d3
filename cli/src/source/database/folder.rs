//! The folder in which the processes of a machine keep what they share of a database.

use std::ffi::OsString;
use std::path::PathBuf;

use folkmoot::store::Identity;

use crate::exit::{CliError, STORE};

/// The folder of this program in that for the state of a user's programs.
const OWN: &str = "folkmoot";

/// The folder for the state of this program, by the values of `XDG_STATE_HOME` and `HOME`. One that is not absolute does not
/// count, as the specification of the former wants: it would follow the working folder.
pub(super) fn states([state, home]: [Option<OsString>; 2]) -> Result<PathBuf, CliError> {
    let absolute = |value: Option<OsString>| {
        let folder = value.map(PathBuf::from);
        folder.filter(|folder| folder.is_absolute())
    };
    let home = || absolute(home).map(|home| home.join(".local/state"));
    let states = absolute(state).or_else(home).ok_or_else(|| {
        let why = "the processes of this machine need one folder for the locks of their tools: set HOME, or XDG_STATE_HOME, to an \
                   absolute path, the same for all of them";
        CliError::other(STORE, why)
    })?;
    Ok(states.join(OWN))
}

/// The name of a database's folder. A standby that takes over has the same: runs that began before go on.
pub(super) fn name(identity: &Identity, schema: &str) -> String {
    let Identity {
        system, database, ..
    } = identity;
    format!("postgres-{system}-{database}-{schema}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(state: Option<&str>, home: Option<&str>) -> Option<PathBuf> {
        states([state, home].map(|value| value.map(OsString::from))).ok()
    }

    #[test]
    fn folder_does_not_follow_the_working_folder() {
        let cases = [
            (Some("/s"), Some("/h"), Some("/s/folkmoot")),
            (None, Some("/h"), Some("/h/.local/state/folkmoot")),
            (Some("s"), Some("/h"), Some("/h/.local/state/folkmoot")),
            (Some(""), Some("/h"), Some("/h/.local/state/folkmoot")),
            (Some("s"), Some("h"), None),
            (None, None, None),
        ];
        for (state, home, folder) in cases {
            assert_eq!(said(state, home), folder.map(PathBuf::from), "{state:?}");
        }
    }

    #[test]
    fn each_schema_has_its_own_and_each_history_the_same() {
        let identity = Identity {
            system: 7,
            timeline: 1,
            database: 5,
        };
        let later = Identity {
            timeline: 2,
            ..identity
        };
        assert_eq!(name(&identity, "one"), "postgres-7-5-one");
        assert_eq!(name(&identity, "one"), name(&later, "one"));
        assert_ne!(name(&identity, "one"), name(&identity, "two"));
    }
}
