//! Frames as a socket sends them: each names its run.

use std::collections::BTreeMap;

use folkmoot::core::ids::EpisodeId;
use folkmoot::core::world::World;
use folkmoot::{AgentName, FeedActivity, FeedBody, FeedDraft, MessageId};
use serde::Serialize;

use crate::stream::Frame;

/// A frame with the episode that it belongs to.
#[derive(Debug, Serialize)]
pub(super) struct SocketFrame<'f> {
    /// The episode; absent if it belongs to none.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<EpisodeId>,
    #[serde(flatten)]
    frame: &'f Frame,
}

impl<'f> SocketFrame<'f> {
    pub(super) const fn new(run: Option<EpisodeId>, frame: &'f Frame) -> Self {
        Self { run, frame }
    }
}

/// The episodes that agents work on, so that drafts can name theirs.
#[derive(Debug, Default)]
pub(super) struct Runs {
    agents: BTreeMap<AgentName, EpisodeId>,
    drafts: BTreeMap<MessageId, EpisodeId>,
}

impl Runs {
    /// The episodes of the turns that are open in `world`.
    pub(super) fn begin(world: &World) -> Self {
        let open = world.rules().spec().agents.iter().filter_map(|agent| {
            let turn = world.memory(&agent.name)?.turn.as_ref()?;
            Some((agent.name.clone(), turn.episode))
        });
        Self {
            agents: open.collect(),
            drafts: BTreeMap::new(),
        }
    }

    /// The episode of a frame.
    pub(super) fn of(&mut self, frame: &Frame) -> Option<EpisodeId> {
        match frame {
            Frame::Item(item) => {
                let opened = FeedBody::Activity {
                    activity: FeedActivity::TurnOpened,
                };
                if item.body == opened
                    && let (Some(agent), Some(run)) = (&item.agent, item.episode)
                {
                    self.agents.insert(agent.clone(), run);
                }
                item.episode
            }
            Frame::Draft(FeedDraft::Draft { agent, message, .. }) => {
                let run = *self.agents.get(agent)?;
                self.drafts.insert(*message, run);
                Some(run)
            }
            Frame::Draft(FeedDraft::DraftEnd { message, .. }) => self.drafts.remove(message),
            Frame::CaughtUp(_) | Frame::Bye(_) => None,
        }
    }
}
