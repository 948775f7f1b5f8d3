//! Servers over one ledger.

use folkmoot::core::ids::{NodeId, PersonName, Seed, Stamp, Time};
use folkmoot::store::{Burial, LedgerUpkeep as _, MemoryLedger, SharedStore};
use folkmoot::{Proof, Room as Definition, Shipped};

use super::*;
use crate::identity::Several;

/// The lobby of a node of its own over `ledger`.
pub(super) fn lobby(ledger: &Arc<MemoryLedger>, number: u8) -> Lobby {
    let node = NodeId::from_stamp(&Stamp {
        time: Time::SIMULATED_START,
        seed: Seed::new([number; 16]),
    });
    let store: Store = SharedStore::new(Arc::clone(ledger) as _, node).into();
    Lobby::new(Rooms {
        runtime: Runtime::builder(&store)
            .assembler(Shipped::default())
            .build(),
        store,
        templates: Templates::of("nowhere"),
        authenticate: Arc::new(Several {
            sessions: None,
            tokens: None,
            issuers: Vec::new(),
        }),
        sessions: None,
        hosts: Hosts::any(),
        limits: ServerLimits::default(),
        drain: Drain::new(),
    })
}

/// A room, with these rights of everybody.
async fn begin(lobby: &Lobby, rights: &str) {
    let room = format!(
        "
world: desk
agents: [{{ name: clerk, model: scripted }}]
models: {{ scripted: {{ provider: scripted }} }}
replies: {{ clerk: [{{ text: Noted. }}] }}
policy: {{ rights: {{ default: [{rights}] }} }}"
    );
    let room = Definition::from_yaml(&room).unwrap();
    lobby.rooms.runtime.open_room(&room).await.unwrap();
}

#[tokio::test]
async fn world_that_took_the_name_of_a_deleted_one_has_its_own_rights() {
    let ledger = Arc::new(MemoryLedger::default());
    let [one, other] = [1, 2].map(|number| lobby(&ledger, number));
    let eve = Caller::of(Proof::script(PersonName::new("eve").unwrap()));
    begin(&one, "read").await;
    let old = one.room(&eve, "desk").await.unwrap();
    // As another process would: the world stays open here for a while.
    let node = one.rooms.store.as_shared().unwrap().node();
    let deleted = ledger.delete(node, &[(old.entry.world, Vec::new())]).await;
    assert_eq!(deleted.unwrap(), Burial::Deleted);
    begin(&other, "").await;
    for lobby in [&one, &other] {
        let problem = lobby.room(&eve, "desk").await.unwrap_err();
        assert_eq!(problem.code(), ProblemCode::NotFound);
    }
}
