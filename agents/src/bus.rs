//! The typed bus: to each agent one channel for text and one for tool results, and activity for observers.
//!
//! A delivery is how `Wake` and `Continue` are performed; there is no other way to an agent's handler.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use folkmoot_core::ids::{AgentName, CallId, MessageId, Position, ToolName};
use folkmoot_core::port::{
    Agent, AgentError, Reaction, Tenure, TextEvent, ToolResultEvent, TurnView,
};
use folkmoot_core::text::UserText;
use folkmoot_core::world::{Activity, Doing};
use futures::FutureExt as _;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinSet;

mod drafts;
mod tail;

pub use drafts::{DRAFT_BYTES_MAX, DraftEnding};
pub(crate) use drafts::{DraftState, Drafts};
pub(crate) use tail::{Next, Tail};

/// How many activity events an observer may fall behind before it misses some.
pub const ACTIVITY_CAPACITY: usize = 1_024;

/// How long an agent's handler may take.
pub const HANDLER_TIMEOUT: Duration = Duration::from_secs(60);

/// The deliveries of one channel that may wait for an agent that is told its news. One that is asked has at most one.
const DELIVERIES_WAITING: usize = 16;

/// What goes on, for observers. Ephemeral: none of it is in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ActivityEvent {
    /// The world began to run, parked, or went idle.
    World(Activity),
    /// An agent does something else now.
    Agent {
        /// The agent.
        agent: AgentName,
        /// What it does.
        doing: Doing,
    },
    /// A tool runs.
    Tool {
        /// The agent whose call it is.
        agent: AgentName,
        /// The call.
        call: CallId,
        /// The tool.
        tool: ToolName,
    },
    /// A running tool tells how far it has come.
    Progress {
        /// The agent whose call it is.
        agent: AgentName,
        /// The call.
        call: CallId,
        /// The tool.
        tool: ToolName,
        /// What it reports: at most 512 bytes, without secrets.
        text: String,
        /// Its number in the run, from 1.
        number: u32,
    },
    /// A piece of a reply that is still being written. A draft: it may yet be replaced.
    Draft {
        /// The agent that speaks.
        agent: AgentName,
        /// The message that it will be.
        message: MessageId,
        /// Where the piece stands in the message, in bytes.
        offset: u64,
        /// The piece.
        delta: UserText,
    },
    /// A reply is no longer being written. Comes once for each message of which there were drafts.
    DraftEnded {
        /// The agent that spoke.
        agent: AgentName,
        /// The message that it was to be.
        message: MessageId,
        /// How it ended.
        ending: DraftEnding,
    },
}

/// The receiver of what an agent does; `None` if its reaction stands.
type Reply = Option<oneshot::Sender<Result<Reaction, AgentError>>>;

/// A delivery on an agent's text channel.
#[derive(Debug)]
struct TextDelivery {
    view: TurnView,
    news: Vec<TextEvent>,
    reply: Reply,
}

/// A delivery on an agent's tool-result channel.
#[derive(Debug)]
struct ToolResultDelivery {
    view: TurnView,
    results: Vec<ToolResultEvent>,
    reply: Reply,
}

/// A delivery to an agent whose reaction stands: it is told, not asked.
#[derive(Debug)]
pub(crate) enum Delivery {
    /// On its text channel.
    Text(TurnView, Vec<TextEvent>),
    /// On its tool-result channel.
    Results(TurnView, Vec<ToolResultEvent>),
}

/// The two channels to one agent.
#[derive(Debug, Clone)]
struct Channels {
    text: mpsc::Sender<TextDelivery>,
    results: mpsc::Sender<ToolResultDelivery>,
}

/// Activity of one world. Nothing of it is kept but the drafts of the replies that are being written, and the newest items
/// of the feed while somebody follows it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ActivityChannel {
    sender: Arc<OnceLock<broadcast::Sender<ActivityEvent>>>,
    drafts: Drafts,
    tail: Tail,
    /// True while this process holds the world, and so writes its drafts.
    is_here: Arc<AtomicBool>,
}

impl ActivityChannel {
    /// Notes whether this process holds the world.
    pub(crate) fn be_here(&self, is_here: bool) {
        self.is_here.store(is_here, Ordering::Relaxed);
    }

    /// Tells whether this process holds the world.
    pub(crate) fn is_here(&self) -> bool {
        self.is_here.load(Ordering::Relaxed)
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<ActivityEvent> {
        self.sender
            .get_or_init(|| broadcast::channel(ACTIVITY_CAPACITY).0)
            .subscribe()
    }

    /// Tells whether anybody reads what comes of the world.
    pub(crate) fn is_followed(&self) -> bool {
        let listeners = |sender: &broadcast::Sender<_>| sender.receiver_count();
        self.tail.is_followed() || self.sender.get().map_or(0, listeners) > 0
    }

    pub(crate) fn send(&self, event: ActivityEvent) {
        if let Some(sender) = self.sender.get() {
            // Everybody may have stopped listening.
            let _listeners = sender.send(event);
        }
    }

    /// Shows a piece of a reply, and keeps it until the reply is over.
    pub(crate) fn draft(&self, agent: AgentName, message: MessageId, offset: u64, delta: UserText) {
        if self.drafts.keep(&agent, message, offset, &delta) {
            self.tail.tell();
            self.send(ActivityEvent::Draft {
                agent,
                message,
                offset,
                delta,
            });
        }
    }

    /// Tells that what `agent` was writing, if it was, is over with the event at `at`.
    pub(crate) fn end_draft(&self, agent: &AgentName, at: Position, ending: DraftEnding) {
        if let Some(message) = self.drafts.end(agent, at, ending) {
            self.tail.tell();
            self.send(ActivityEvent::DraftEnded {
                agent: agent.clone(),
                message,
                ending,
            });
        }
    }

    /// Tells that whatever is being written breaks off at `at`.
    pub(crate) fn abort_drafts(&self, at: Position) {
        self.drafts
            .writers()
            .iter()
            .for_each(|agent| self.end_draft(agent, at, DraftEnding::Aborted));
    }

    /// The replies that are being written.
    pub(crate) const fn drafts(&self) -> &Drafts {
        &self.drafts
    }

    /// The newest items of the feed.
    pub(crate) const fn tail(&self) -> &Tail {
        &self.tail
    }
}

/// The bus of one world. An agent's channels exist from the first delivery on.
#[derive(Debug)]
pub(crate) struct Bus {
    agents: BTreeMap<AgentName, Subscriber>,
    attendants: JoinSet<()>,
    activity: ActivityChannel,
    /// The right to tell anybody anything.
    tenure: Arc<dyn Tenure>,
}

/// An agent that is to be told its news.
struct Subscriber {
    agent: Arc<dyn Agent>,
    channels: Option<Channels>,
}

impl fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscriber")
            .field("is_attended", &self.channels.is_some())
            .finish_non_exhaustive()
    }
}

/// An agent's end of the bus, detached from the world so that a delivery can wait.
#[derive(Debug, Clone)]
pub(crate) struct Line(Option<Channels>);

impl Bus {
    pub(crate) fn new(activity: ActivityChannel, tenure: Arc<dyn Tenure>) -> Self {
        Self {
            agents: BTreeMap::new(),
            attendants: JoinSet::new(),
            activity,
            tenure,
        }
    }

    /// Subscribes agents to their two channels. Who is subscribed already stays so.
    pub(crate) fn subscribe(
        &mut self,
        agents: impl IntoIterator<Item = (AgentName, Arc<dyn Agent>)>,
    ) {
        for (name, agent) in agents {
            self.agents.entry(name).or_insert(Subscriber {
                agent,
                channels: None,
            });
        }
    }

    /// The end of the bus at which `agent` listens.
    pub(crate) fn line(&mut self, agent: &AgentName) -> Line {
        let Some(subscriber) = self.agents.get_mut(agent) else {
            return Line(None);
        };
        let channels = subscriber.channels.get_or_insert_with(|| {
            let (text, texts) = mpsc::channel(DELIVERIES_WAITING);
            let (results, all_results) = mpsc::channel(DELIVERIES_WAITING);
            self.attendants.spawn(attend(
                Arc::clone(&subscriber.agent),
                Arc::clone(&self.tenure),
                texts,
                all_results,
            ));
            Channels { text, results }
        });
        Line(Some(channels.clone()))
    }

    /// The reaction of `agent`, whatever the news, if it has one.
    pub(crate) fn standing(&self, agent: &AgentName) -> Option<Reaction> {
        let subscriber = self.agents.get(agent)?;
        subscriber.agent.standing().map(Reaction::AskModel)
    }

    /// Tells an agent its news or results.
    pub(crate) fn tell(&mut self, delivery: Delivery) {
        let (Delivery::Text(view, _) | Delivery::Results(view, _)) = &delivery;
        let Line(Some(channels)) = self.line(&view.agent.clone()) else {
            return;
        };
        match delivery {
            Delivery::Text(view, news) => {
                let reply = None;
                hand_over(&channels.text, TextDelivery { view, news, reply });
            }
            Delivery::Results(view, results) => {
                let reply = None;
                let delivery = ToolResultDelivery {
                    view,
                    results,
                    reply,
                };
                hand_over(&channels.results, delivery);
            }
        }
    }

    /// Tells observers what goes on, as long as anybody may be told.
    pub(crate) fn announce(&self, event: ActivityEvent) {
        if self.tenure.holds() {
            self.activity.send(event);
        }
    }

    pub(crate) fn activity(&self) -> ActivityChannel {
        self.activity.clone()
    }
}

impl Line {
    /// Tells the agent its news and waits for what it does.
    pub(crate) async fn text(
        self,
        view: TurnView,
        news: Vec<TextEvent>,
    ) -> Result<Reaction, AgentError> {
        let channels = self.0.ok_or_else(nobody)?;
        let (reply, reaction) = oneshot::channel();
        channels
            .text
            .send(TextDelivery {
                view,
                news,
                reply: Some(reply),
            })
            .await
            .map_err(|_| nobody())?;
        reaction.await.map_err(|_| nobody())?
    }

    /// Tells the agent its results and waits for what it does.
    pub(crate) async fn results(
        self,
        view: TurnView,
        results: Vec<ToolResultEvent>,
    ) -> Result<Reaction, AgentError> {
        let channels = self.0.ok_or_else(nobody)?;
        let (reply, reaction) = oneshot::channel();
        channels
            .results
            .send(ToolResultDelivery {
                view,
                results,
                reply: Some(reply),
            })
            .await
            .map_err(|_| nobody())?;
        reaction.await.map_err(|_| nobody())?
    }
}

fn nobody() -> AgentError {
    AgentError {
        code: "no_agent".to_owned(),
        detail: "nothing attends this agent's channels".to_owned(),
    }
}

/// Brings a delivery into a channel. An agent that has fallen behind by a whole channel misses it: nobody waits for it.
fn hand_over<T>(channel: &mpsc::Sender<T>, delivery: T) {
    if let Err(mpsc::error::TrySendError::Full(_)) = channel.try_send(delivery) {
        tracing::warn!(
            "an agent is not told its news: {DELIVERIES_WAITING} deliveries wait for it"
        );
    }
}

fn answer(reply: Reply, reaction: Result<Reaction, AgentError>) {
    match (reply, reaction) {
        (Some(reply), reaction) => {
            // A delivery that was given up meanwhile needs no answer.
            let _unheard = reply.send(reaction);
        }
        (None, Ok(_)) => {}
        (None, Err(error)) => tracing::warn!(%error, "an agent that was told its news failed"),
    }
}

/// Hands each delivery to the agent's handler for that channel, one at a time, as long as anybody may be told.
async fn attend(
    agent: Arc<dyn Agent>,
    tenure: Arc<dyn Tenure>,
    mut texts: mpsc::Receiver<TextDelivery>,
    mut results: mpsc::Receiver<ToolResultDelivery>,
) {
    loop {
        tokio::select! {
            biased;
            Some(TextDelivery { view, news, reply }) = texts.recv() => {
                if !tenure.holds() {
                    return;
                }
                let reaction = guard(agent.on_text(&view, &news)).await;
                answer(reply, reaction);
            }
            Some(ToolResultDelivery { view, results: all, reply }) = results.recv() => {
                if !tenure.holds() {
                    return;
                }
                let reaction = guard(agent.on_tool_results(&view, &all)).await;
                answer(reply, reaction);
            }
            else => return,
        }
    }
}

/// Turns a handler's panic or endless wait into an error.
async fn guard(
    handler: impl Future<Output = Result<Reaction, AgentError>>,
) -> Result<Reaction, AgentError> {
    let failed = |code: &str, detail: String| {
        Err(AgentError {
            code: code.to_owned(),
            detail,
        })
    };
    match tokio::time::timeout(HANDLER_TIMEOUT, AssertUnwindSafe(handler).catch_unwind()).await {
        Ok(Ok(reaction)) => reaction,
        Ok(Err(_panic)) => failed("panicked", "the agent's handler panicked".to_owned()),
        Err(_elapsed) => failed(
            "timed_out",
            format!("the agent's handler took longer than {HANDLER_TIMEOUT:?}"),
        ),
    }
}
