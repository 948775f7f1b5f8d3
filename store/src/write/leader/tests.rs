use std::thread;

use folkmoot_core::ids::Incarnation;
use folkmoot_core::port::{AppendError, EventLog as _};
use futures::executor::block_on;

use crate::local::LocalStore;
use crate::local::tests::creation;

#[test]
fn store_whose_leader_panicked_stops_and_is_closed() {
    let store = LocalStore::memory();
    let leader = store.inner.leader.get().unwrap();
    thread::scope(|scope| {
        let led = scope.spawn(|| {
            let _held = leader.committer.lock().unwrap();
            panic!("as an append might");
        });
        led.join().unwrap_err();
    });
    for _ in 0..2 {
        let refused = block_on(store.append(Incarnation(1), vec![creation(1)]));
        assert!(
            matches!(refused, Err(AppendError::Stopped(_))),
            "{refused:?}"
        );
    }
    store.close().unwrap();
}
