//! Finding the message that a step is about.

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Author, Event, TalkEvent};
use folkmoot_core::ids::{AgentName, MessageId, Position};
use folkmoot_core::world::World;

use super::{Run, RunError};
use crate::script::{MessageRef, Step};

impl Run<'_> {
    /// The message that `wanted` names.
    pub(super) async fn message(
        &mut self,
        step: &Step,
        wanted: &MessageRef,
    ) -> Result<MessageId, RunError> {
        match wanted {
            MessageRef::Step(id) => self.message_of(step, id).await,
            MessageRef::At(at) => {
                let at = *at;
                // One that does not stand is left to the world to refuse.
                Ok(self
                    .read(move |world| standing(world, at))
                    .await?
                    .unwrap_or(MessageId(at)))
            }
            MessageRef::From { agent, nth } => {
                let name = agent.clone();
                let nth = *nth;
                let found = self.read(move |world| said_by(world, &name, nth)).await?;
                found.ok_or_else(|| RunError::Failed(self.fault(step, missing(agent, nth))))
            }
        }
    }

    /// The message that the step called `id` posted, whether it still stands or not.
    pub(super) async fn message_of(
        &mut self,
        step: &Step,
        id: &str,
    ) -> Result<MessageId, RunError> {
        let posted = self.commits_of(id).await?;
        let message = |event: &Event| {
            if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
                Some(posted.message)
            } else {
                None
            }
        };
        let found = posted
            .iter()
            .flat_map(|commit| &commit.events)
            .find_map(message);
        found.ok_or_else(|| {
            RunError::Failed(self.fault(step, format!("the step `{id}` has posted no message")))
        })
    }

    /// Returns what the command of the step called `id` appended in this run.
    pub(super) async fn commits_of(&mut self, id: &str) -> Result<Vec<Commit>, RunError> {
        let named = self
            .steps()
            .find(|(_, other)| other.id.as_deref() == Some(id))
            .map(|(number, _)| number);
        let run = self.run;
        let record = self
            .read(move |world| {
                let script = world.script();
                named
                    .and_then(|number| script.done.get(&number).copied())
                    .filter(|_| script.run == run)
            })
            .await?;
        match record {
            Some(record) => self.commits(record.from, record.from).await,
            None => Ok(Vec::new()),
        }
    }
}

/// The message at `at`, by its position or by its id.
fn standing(world: &World, at: Position) -> Option<MessageId> {
    world
        .transcript()
        .iter()
        .find(|message| message.at == at || message.id.0 == at)
        .map(|message| message.id)
}

/// A message of `agent` that was said in this run and stands.
fn said_by(world: &World, agent: &AgentName, nth: Option<u32>) -> Option<MessageId> {
    let began = world.script().began;
    let is_its = |author: &Author| match author {
        Author::Agent(name) => name == agent,
        Author::Person(_) | Author::Service(_) | Author::World => false,
    };
    let mut all = world
        .transcript()
        .iter()
        .filter(|message| message.at >= began && is_its(&message.author));
    let found = match nth {
        Some(nth) => all.nth(usize::try_from(nth).unwrap_or(usize::MAX).saturating_sub(1)),
        None => all.next_back(),
    };
    found.map(|message| message.id)
}

fn missing(agent: &AgentName, nth: Option<u32>) -> String {
    match nth {
        Some(nth) => format!("{agent} has fewer than {nth} messages in this run that still stand"),
        None => format!("{agent} has no message in this run that still stands"),
    }
}
