//! Clients that decide while another process holds the store, and is killed under their hands.

use std::process::{Child, Command, Stdio};

/// The worlds in which somebody is asked, at event 10.
pub(super) const WORLDS: [&str; 3] = ["desk-1", "desk-2", "desk-3"];

/// One client for each world, all at once.
pub(super) struct Clients(Vec<(&'static str, Child)>);

impl Clients {
    /// Starts them.
    pub(super) fn begin(command: impl Fn(&[&str]) -> Command) -> Self {
        let begin = |world| {
            let mut client = command(&["approve", world, "10", "--as", "ada"]);
            (
                world,
                client
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap(),
            )
        };
        Self(WORLDS.map(begin).into())
    }

    /// Waits until all have ended; gives the worlds in which they were told that their decision stands.
    pub(super) fn end(self) -> Vec<&'static str> {
        let decided = self
            .0
            .into_iter()
            .map(|(world, mut client)| (world, client.wait().unwrap().success()));
        decided
            .filter(|(_, is_decided)| *is_decided)
            .map(|(world, _)| world)
            .collect()
    }
}
