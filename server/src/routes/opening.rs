//! Opening a room from a template, for whomever it is to belong to.

use folkmoot::{ClockKind, Opening, Rights, WorldName};

use crate::identity::Caller;
use crate::problem::Problem;
use crate::request::RequestKey;
use crate::rooms::{Daily, Lobby};
use crate::routes::templates::blocking;
use crate::routes::worlds::NewWorld;

/// The owner of a room that is opened.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ownership<'a> {
    /// The caller.
    Own,
    /// Somebody for whom the caller acts, and who gives the caller these rights in it.
    #[cfg_attr(not(feature = "mcp"), expect(dead_code, reason = "hosts of MCP do so"))]
    Of(&'a Caller, &'a Rights),
}

/// Opens a room from a template, or finds the one that this key opened.
pub(crate) async fn begin(
    lobby: &Lobby,
    caller: &Caller,
    wish: NewWorld,
    key: &RequestKey,
    ownership: Ownership<'_>,
) -> Result<WorldName, Problem> {
    lobby.check_create(caller)?;
    let templates = lobby.rooms.templates.clone();
    let name = wish.template.clone();
    let template = blocking(move || templates.load(&name)).await??;
    let new = lobby
        .name_of_new(caller, &template.name, wish.name, key.hash(caller))
        .await?;
    let name = new.name.clone();
    if new.found.is_some() {
        return Ok(name);
    }
    lobby.check_day(&caller.key(), Daily::WorldsOpened).await?;
    let mut labels = wish.labels;
    labels.extend(wish.title.map(|title| ("title".to_owned(), title)));
    let mut definition = template.definition;
    let owner = match ownership {
        Ownership::Own => caller,
        Ownership::Of(owner, rights) => {
            let people = &mut definition.spec.policy.rights.people;
            people.insert(caller.key(), rights.clone());
            owner
        }
    };
    let opening = Opening {
        base: Some(template.base),
        clock: ClockKind::System,
        id: Some(new.id),
        founder: Some(owner.proof.clone()),
        owner: Some(owner.key()),
        labels: Some(labels),
        ..Opening::with(new.name, definition)
    };
    lobby.begin(opening).await?;
    Ok(name)
}
