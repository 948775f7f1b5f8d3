//! The person at this terminal.

use folkmoot::Proof;
use folkmoot::core::ids::PersonName;
use folkmoot::tools::host::ancestry::descends_from_tool;
use folkmoot_server::LocalUser;

use crate::exit::{CliError, PENDING, STORE};

/// The number of this process's user.
pub(crate) fn uid() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Returns the name of a user who has none.
fn numbered(uid: u32) -> Option<PersonName> {
    PersonName::new(format!("user{uid}")).ok()
}

/// The login name, as a person's name; a user without a usable one is called by their number.
pub(crate) fn login() -> Option<PersonName> {
    let uid = uid();
    let named = ["USER", "LOGNAME"]
        .into_iter()
        .find_map(|name| PersonName::new(std::env::var(name).ok()?).ok());
    named.or_else(|| in_passwd(uid)).or_else(|| numbered(uid))
}

fn in_passwd(uid: u32) -> Option<PersonName> {
    let passwd = std::fs::read_to_string("/etc/passwd").ok()?;
    let mut users = passwd
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>());
    let user = users.find(|fields| fields.get(2) == Some(&uid.to_string().as_str()))?;
    PersonName::new(*user.first()?).ok()
}

/// The user of this process, as a server knows them.
pub(crate) fn local_user() -> Result<LocalUser, CliError> {
    let display = login();
    let display = display
        .ok_or_else(|| CliError::other(STORE, "this user has no usable name: set USER to one"))?;
    let uid = uid();
    Ok(LocalUser { uid, display })
}

/// Proof of this process's user, under the name `display` or their login name.
pub(crate) fn proof(display: Option<PersonName>) -> Option<Proof> {
    Some(Proof::local(uid(), display.or_else(login)?))
}

/// Refuses what a tool started: it could decide about the calls of the agents that use it.
pub(crate) fn refuse_tools() -> Result<(), CliError> {
    match descends_from_tool(std::process::id()) {
        Ok(false) => Ok(()),
        Ok(true) => Err(CliError::other(
            PENDING,
            "refused: a program that a tool runs cannot act in a room",
        )),
        Err(error) => Err(CliError::other(
            PENDING,
            format!("refused: cannot tell whether a tool runs this program: {error}"),
        )),
    }
}
