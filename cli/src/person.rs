//! The person at this terminal.

use folkmoot::Proof;
use folkmoot::core::ids::PersonName;

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

/// Proof of this process's user, under the name `display` or their login name.
pub(crate) fn proof(display: Option<PersonName>) -> Option<Proof> {
    Some(Proof::local(uid(), display.or_else(login)?))
}
