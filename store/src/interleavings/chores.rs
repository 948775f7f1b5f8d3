//! Who rearranges what is stored, beside one another and while the store is closed.

use folkmoot_core::event::Span;
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{Incarnation, Position, Time};
use folkmoot_core::port::{Custody as _, EventLog as _};
use shuttle::future::block_on;
use shuttle::thread::{self, JoinHandle};

use super::engine::Slow;
use super::tries::each_order;
use crate::local::LocalStore;
use crate::local::tests::{creation, post, world};
use crate::read::runs;
use crate::verify::Against;
use crate::write::deletion::DeleteOrder;

const FIRST: Incarnation = Incarnation(1);

/// Does something that may find the store closed; what matters is that it comes to an end.
fn does(store: &LocalStore, work: impl FnOnce(&LocalStore) + Send + 'static) -> JoinHandle<()> {
    let store = store.clone();
    thread::spawn(move || work(&store))
}

fn erase(store: &LocalStore) {
    let span = Span {
        from: Position::new(3),
        to: Position::new(3),
    };
    let _may_be_closed = block_on(store.erase(world(1), &[span], Position::new(4)));
}

fn delete(store: &LocalStore) {
    let _may_be_closed = block_on(store.delete(
        &[world(2)],
        &DeleteOrder {
            by: Principal::World,
            at: Time(1),
        },
    ));
}

fn verify(store: &LocalStore) {
    let _may_be_closed = block_on(store.verify(world(1), Against::default()));
}

fn append(store: &LocalStore) {
    for first in 4..9 {
        let _may_be_closed = block_on(store.append(FIRST, vec![post(1, first)]));
    }
}

fn sweep(store: &LocalStore) {
    let _may_be_closed = runs::sweep(&store.inner.shared);
}

fn filled() -> LocalStore {
    let (_engine, store) = Slow::open();
    for commit in [creation(1), creation(2), post(1, 3)] {
        block_on(store.append(FIRST, vec![commit])).unwrap();
    }
    store
}

#[test]
fn chores_beside_appends_come_to_an_end() {
    each_order("chores", || {
        let store = filled();
        let all: [fn(&LocalStore); 5] = [erase, delete, verify, append, sweep];
        let all = all.map(|work| does(&store, work));
        all.into_iter().for_each(|work| work.join().unwrap());
        store.close().unwrap();
    });
}

#[test]
fn a_store_is_closed_while_chores_are_under_way() {
    each_order("closing", || {
        let store = filled();
        let all: [fn(&LocalStore); 4] = [erase, delete, verify, append];
        let all = all.map(|work| does(&store, work));
        store.close().unwrap();
        all.into_iter().for_each(|work| work.join().unwrap());
    });
}
