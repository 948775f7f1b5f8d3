//! What holds in every room, whatever is said in it.

mod ahead;
mod answers;
mod attachments;
mod drafts;
mod durability;
mod ending;
mod output;
mod revisions;
mod rights;
mod seats;
mod tenure;
mod turns;
mod waiting;

use folkmoot::Store;
use folkmoot::core::event::Event;
use folkmoot_tests::{commits_of, room_name};

/// The events of the room, in order.
async fn events(store: &Store) -> Vec<Event> {
    commits_of(store, &room_name())
        .await
        .into_iter()
        .flat_map(|commit| commit.events)
        .collect()
}
