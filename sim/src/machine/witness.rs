//! Stands between the runtime and its store, and tells what is asked and what is answered.

use std::sync::Arc;
use std::task::Poll;

use async_trait::async_trait;
use folkmoot::Gatekeeper;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::{Incarnation, WorldName};
use folkmoot::core::port::{AppendError, Appended, EventLog};
use futures::FutureExt as _;

use super::outside::Outside;
use super::process::Pulse;
use crate::law::{Law, Violation};

/// Somebody beside the log of one process, who writes down.
#[derive(Debug, Clone)]
pub(crate) struct Witness {
    pub(crate) outside: Arc<Outside>,
    pub(crate) pulse: Arc<Pulse>,
}

impl Witness {
    fn answered(&self, commits: &[Commit], answer: &Result<Appended, AppendError>) {
        for commit in commits {
            let checked = {
                let mut books = self.outside.books();
                if let Ok(Appended::Committed { .. }) = answer {
                    books.counts.commits += 1;
                    books.counts.events += commit.events.len() as u64;
                }
                books.checker.answered(commit, answer)
            };
            self.outside.hold(checked);
        }
        let Err(error) = answer else { return };
        if matches!(
            error,
            AppendError::Full(_) | AppendError::Io(_) | AppendError::Stopped(_)
        ) {
            self.pulse.stop();
        } else if !self.pulse.is_taken_over() {
            let what = format!("a world decided on what is not its log: {error}");
            let world = commits.first().map(|commit| commit.header.world);
            let world = world.and_then(|world| WorldName::new(world.to_string()).ok());
            self.outside.hold(Err(Violation {
                world,
                ..Violation::of(Law::StateIsTheFold, what)
            }));
        }
    }
}

#[async_trait]
impl Gatekeeper for Witness {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        self.outside.acts(&self.pulse, "somebody appends");
        commits
            .iter()
            .for_each(|commit| self.outside.books().checker.asked(commit));
        let mut append = log.append(incarnation, commits.clone()).fuse();
        let first =
            futures::future::poll_fn(|context| Poll::Ready(append.poll_unpin(context))).await;
        let answer = match first {
            Poll::Ready(answer) => answer,
            Poll::Pending => {
                self.pulse.appended.notify_one();
                append.await
            }
        };
        self.answered(&commits, &answer);
        answer
    }

    fn read(&self, _commits: usize) {}
}
