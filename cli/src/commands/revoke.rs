//! `folkmoot revoke`.

use folkmoot::core::ids::GrantId;

use crate::arguments::{CommonArgs, RevokeArgs};
use crate::commands::decision::take;
use crate::commands::place;
use crate::desk::ruling::{Matter, PersonRuling};
use crate::exit::CliError;

/// Ends a grant before its time.
pub(crate) async fn revoke(common: &CommonArgs, arguments: RevokeArgs) -> Result<(), CliError> {
    let RevokeArgs {
        world,
        grant,
        person,
    } = arguments;
    let about = place::needed(&world, grant.as_deref(), "grant")?;
    let ruling = PersonRuling {
        world: world.world,
        by: person.by,
        matter: Matter::Grant(GrantId(about)),
    };
    take(common, ruling).await.map(|_| ())
}
