//! Keys, tokens and passwords.

use super::Find;

mod assigned;
mod pem;
mod token;

pub(super) use assigned::is_secret;

/// A private key is looked for first: what is in it looks like much else.
pub(super) const FINDERS: &[Find] = &[
    pem::find,
    token::find,
    token::find_jwt,
    assigned::find_in_url,
    assigned::find,
];
