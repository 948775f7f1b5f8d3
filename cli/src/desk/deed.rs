//! Deeds of people in a room: talking, taking back, stopping; also in a world that nobody runs.

use folkmoot::core::command::commit::Commit;
use folkmoot::core::command::{Action, TalkAction};
use folkmoot::core::event::{Event, Notice, TalkEvent};
use folkmoot::core::ids::{MessageId, PersonName, Position, WorldName};
use folkmoot::core::port::EventLog;
use folkmoot::view::world::entry;
use folkmoot::words::{told, undeliverable};
use folkmoot::{Proof, Runtime};
use futures::TryStreamExt as _;
use serde::{Deserialize, Serialize};

use super::opening::{Holding, Visit};
use super::peer::Peer;
use crate::exit::CliError;

/// A deed of a person, and where it is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PersonDeed {
    /// The world.
    pub(crate) world: WorldName,
    /// The name of the person; their login name if `None`. Claimed, not proven.
    pub(crate) by: Option<PersonName>,
    /// The deed.
    pub(crate) deed: Deed,
}

/// A deed of a person that is no decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Deed {
    /// To say something.
    Say {
        /// The text.
        text: String,
        /// The message that it answers.
        reply_to: Option<MessageId>,
    },
    /// To put other words in the place of a message.
    Edit {
        /// The message.
        message: MessageId,
        /// The new words.
        text: String,
    },
    /// To take a message back.
    Retract(MessageId),
    /// To have an agent's reply made anew.
    Regenerate(MessageId),
    /// To join the roster.
    Join,
    /// To leave the roster.
    Leave,
    /// To stop what goes on.
    Stop,
}

impl Deed {
    /// Returns the command that does it.
    fn action(self) -> Action {
        Action::Talk(match self {
            Self::Say { text, reply_to } => TalkAction::PostMessage {
                text,
                attachments: Vec::new(),
                reply_to,
            },
            Self::Edit { message, text } => TalkAction::Edit { message, text },
            Self::Retract(message) => TalkAction::Retract { message },
            Self::Regenerate(message) => TalkAction::Regenerate { message },
            Self::Join => TalkAction::Join,
            Self::Leave => TalkAction::Leave,
            Self::Stop => TalkAction::Stop { episode: None },
        })
    }

    /// Returns the deed, in a word of the past.
    const fn participle(&self) -> &'static str {
        match self {
            Self::Say { .. } => "said",
            Self::Edit { .. } => "edited",
            Self::Retract(_) => "retracted",
            Self::Regenerate(_) => "regenerated",
            Self::Join => "joined",
            Self::Leave => "left",
            Self::Stop => "stopped",
        }
    }
}

/// A deed that was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Done {
    /// The world.
    pub(crate) world: WorldName,
    /// The deed: `said`, `edited`, `retracted`, `regenerated`, `joined`, `left` or `stopped`.
    pub(crate) how: String,
    /// The message that was said, or the last event that came of the deed; `None` if it changed
    /// nothing.
    pub(crate) at: Option<Position>,
    /// What the room tells people about it at once, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notices: Vec<String>,
}

/// Does a deed in the name of `proof`, whom `peer` is told of a refusal for. A world that is
/// not open is opened for it, as `holding` says.
pub(super) async fn act(
    runtime: &Runtime,
    proof: Proof,
    wish: &PersonDeed,
    peer: Peer,
    holding: &Holding,
) -> Result<Done, CliError> {
    let how = wish.deed.participle().to_owned();
    let action = wish.deed.clone().action();
    let visit = Visit::begin(runtime, &wish.world, &proof, &action, peer, holding).await?;
    let given = visit.world.as_principal(proof).give(action, None).await;
    visit.end(runtime).await;
    let accepted = given.map_err(|error| peer.told(error))?;
    let notices = match accepted.last {
        Some(last) => notices(&**runtime.log(), &wish.world, last).await?,
        None => Vec::new(),
    };
    Ok(Done {
        world: wish.world.clone(),
        how,
        at: accepted.message.map(|message| message.0).or(accepted.last),
        notices,
    })
}

/// The notices in the commit of `world` that holds the event `at`, each as a sentence.
async fn notices(
    log: &dyn EventLog,
    world: &WorldName,
    at: Position,
) -> Result<Vec<String>, CliError> {
    let id = entry(log, world).await?.world;
    let Some(stored) = log.read(id, at).await?.try_next().await? else {
        return Ok(Vec::new());
    };
    let commit = stored.commit;
    let posted = commit.events.iter().filter_map(|event| {
        let Event::Talk(TalkEvent::NoticePosted(posted)) = event else {
            return None;
        };
        Some(sentence(world, &commit, &posted.notice))
    });
    Ok(posted.collect())
}

fn sentence(world: &WorldName, commit: &Commit, notice: &Notice) -> String {
    let Notice::Undeliverable { nearest, named, .. } = notice else {
        return told(notice, |request| format!("{world}#{request}"));
    };
    let unknown = commit.events.iter().find_map(|event| {
        if let Event::Talk(TalkEvent::MessageRouted(routed)) = event {
            routed.unknown.present()
        } else {
            None
        }
    });
    undeliverable(unknown.map_or(&[], Vec::as_slice), nearest, named)
}
