//! Waits for other agents that last too long.

use super::Draft;
use crate::event::{Event, JoinElapsed};

impl Draft<'_> {
    /// Records which agents have waited long enough for those that they addressed.
    pub(super) fn elapse_joins(&mut self) {
        let world = self.world;
        for agent in &world.busy {
            let joining = world.memories.get(agent).and_then(|memory| memory.joining.as_ref());
            if let Some(joining) = joining.filter(|joining| joining.until <= self.now()) {
                let missing = joining.of.iter().cloned().collect();
                self.push(Event::JoinElapsed(JoinElapsed { agent: agent.clone(), missing }));
            }
        }
    }
}
