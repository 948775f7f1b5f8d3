//! `folkmoot revoke`.

use crate::arguments::{Common, Revoke};
use crate::commands::decision::take;
use crate::commands::place;
use crate::desk::decision::{Decision, What};
use crate::exit::CliError;

/// Ends a grant before its time.
pub(crate) async fn revoke(common: &Common, arguments: Revoke) -> Result<(), CliError> {
    let Revoke {
        world,
        grant,
        person,
    } = arguments;
    let about = place::of(&world, &grant, "grant")?;
    take(
        common,
        &Decision {
            world,
            about,
            by: person.by,
            what: What::Revoke,
        },
    )
    .await
    .map(|_| ())
}
