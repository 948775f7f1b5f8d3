//! The points at the store's gate.

use async_trait::async_trait;
use folkmoot::Gatekeeper;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::Incarnation;
use folkmoot::core::port::{AppendError, Appended, EventLog};

use crate::point::{Point, Points};

/// Dies before or after an append.
#[derive(Debug)]
pub(crate) struct Gate(pub(crate) Points);

#[async_trait]
impl Gatekeeper for Gate {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        self.0.pass(Point::BeforeAppend);
        let appended = log.append(incarnation, commits).await;
        self.0.pass(Point::AfterAppend);
        appended
    }

    fn read(&self, _commits: usize) {}
}
