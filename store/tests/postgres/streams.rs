//! Streams that somebody has, and does not look at.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::ids::Position;
use folkmoot_core::port::EventLog as _;
use folkmoot_store::{Rows as _, SharedStore};
use futures::{StreamExt as _, poll};

use crate::rows::{begin, node, open};
use crate::server::shared;

/// More than a ledger has connections to read by.
const STREAMS: usize = 16;

/// How long something may take that a test waits for.
const WITHIN: Duration = Duration::from_secs(60);

#[tokio::test]
async fn streams_that_nobody_looks_at_hold_up_no_reader() {
    let Some(server) = shared("streams that nobody looks at") else {
        return;
    };
    let ledger = Arc::new(open(&server.url()).await);
    let holder = node();
    let world = begin(ledger.as_ref(), holder).await;
    let store = SharedStore::new(Arc::clone(&ledger) as _, holder);
    let mut streams = Vec::new();
    for _ in 0..STREAMS {
        streams.push(store.subscribe(world, Position::new(1)).await.unwrap());
    }
    // Each begins to read, and is not looked at again: its reader waits for something else.
    for stream in &mut streams {
        assert!(poll!(stream.next()).is_pending());
    }
    let last = tokio::time::timeout(WITHIN, ledger.last(world)).await;
    let last = last.expect("somebody else reads meanwhile").unwrap();
    assert_eq!(last.unwrap().first, Position::new(1));
    drop(streams);
}
