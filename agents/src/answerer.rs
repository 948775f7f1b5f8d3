//! The holder's end of the inbox: it takes what other processes ask of the worlds that this one holds, and answers.
//!
//! An ask is delivered at least once, and done once: its id is the key of its command, unless that has one, and a world gives
//! a key its first answer (decision 0045).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use folkmoot_core::command::Keyed;
use folkmoot_core::command::commit::CommandKey;
use folkmoot_core::ids::{AskId, NodeId, PersonName, WorldId, WorldName};
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{ASKS_WAITING_MAX, Ask, AsksWanted, Inbox, MemberError, WaitingAsk};
use folkmoot_core::world::Accepted;
use futures::StreamExt as _;
use tokio::task::{self, JoinError, JoinSet};
use tokio::time::Instant;

use crate::error::OpenError;
use crate::means::courier::LOOK_EVERY;
use crate::proof::Proof;
use crate::runtime::Runtime;
use crate::seat::{Key, WorldHandle};
use crate::wire::{Told, WrittenAsk, read_principal};

#[cfg(test)]
mod tests;

/// The most asks that are taken at a time: those of several worlds, so that one that many ask holds up few.
const ASKS_TAKEN_MAX: usize = 4 * ASKS_WAITING_MAX;

/// The most asks of one world that are under way at a time, in the order of their ids.
const AT_A_TIME: usize = 16;

/// How often an ask is tried whose world cannot be had, before that is its answer.
const TRIES_MAX: u32 = 4;

/// Says which node this process is now: it has another id after it was declared dead.
type WhoAmI = dyn Fn() -> NodeId + Send + Sync;

/// Answers what other processes ask of the worlds that this one holds. Cheap to clone.
#[derive(Clone)]
pub struct Answerer {
    runtime: Runtime,
    inbox: Arc<dyn Inbox>,
    node: Arc<WhoAmI>,
}

impl fmt::Debug for Answerer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answerer")
            .field("inbox", &self.inbox)
            .finish_non_exhaustive()
    }
}

/// The work of an answerer at present.
#[derive(Default)]
struct Round {
    under_way: JoinSet<(WorldId, Vec<AskId>)>,
    /// The worlds whose asks are under way, and the tasks that answer them.
    busy: BTreeMap<WorldId, task::Id>,
    /// The worlds that could not be had, and until when they are left alone.
    left_alone: BTreeMap<WorldId, Instant>,
    /// How often the asks of a world were tried that could not be answered.
    tries: BTreeMap<WorldId, BTreeMap<AskId, u32>>,
}

/// The result of a look at what is asked.
enum Looked {
    /// Nothing is asked of worlds that are not busy.
    All,
    /// More may be asked, or is to be tried again soon.
    NotAll,
}

/// The reason that an ask is not answered yet.
struct NotYet(String);

/// The answer to an ask.
struct Answer {
    told: Told,
    /// The world that is closed behind it, so that whoever asked can take it.
    let_go: Option<WorldName>,
}

impl From<Told> for Answer {
    fn from(told: Told) -> Self {
        let let_go = None;
        Self { told, let_go }
    }
}

impl Answerer {
    /// Answers with the worlds of `runtime` what `inbox` has for the node that `node` names.
    #[must_use]
    pub fn new(
        runtime: Runtime,
        inbox: Arc<dyn Inbox>,
        node: impl Fn() -> NodeId + Send + Sync + 'static,
    ) -> Self {
        let node = Arc::new(node);
        Self {
            runtime,
            inbox,
            node,
        }
    }

    /// Answers for as long as it is polled; it never ends. Dropped, it leaves what is not answered to whoever holds the
    /// world next, or to itself when it runs again.
    pub async fn run(self) {
        let mut round = Round::default();
        let mut heard = 0;
        loop {
            let looked = self.look(&mut round).await.unwrap_or_else(|error| {
                let why = with_causes(&error);
                tracing::warn!(why, "the node could not look for what it is asked");
                Looked::NotAll
            });
            let wait = match looked {
                Looked::All => self.inbox.look_every(),
                Looked::NotAll => LOOK_EVERY,
            };
            tokio::select! {
                Some(done) = round.under_way.join_next() => round.end(done),
                hint = self.inbox.hint(heard) => heard = hint,
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Takes the asks that wait, those of each world by their ids, and begins to answer them.
    async fn look(&self, round: &mut Round) -> Result<Looked, MemberError> {
        let not_of = round.not_now(Instant::now());
        let wanted = AsksWanted {
            limit: ASKS_TAKEN_MAX,
            not_of: &not_of,
        };
        let asks = self.inbox.asks((self.node)(), wanted).await?;
        let is_nothing_left = asks.is_empty();
        if is_nothing_left {
            round.forget(&not_of);
        }
        let mut worlds: BTreeMap<WorldId, Vec<(WaitingAsk, u32)>> = BTreeMap::new();
        for ask in asks {
            let tries = round.tries(&ask.ask);
            worlds.entry(ask.ask.world).or_default().push((ask, tries));
        }
        for (world, asks) in worlds {
            let answerer = self.clone();
            round.begin(world, async move { answerer.answer_all(asks).await });
        }
        Ok(if is_nothing_left && round.left_alone.is_empty() {
            Looked::All
        } else {
            Looked::NotAll
        })
    }

    /// Answers asks of one world; gives those that could not be answered.
    async fn answer_all(&self, asks: Vec<(WaitingAsk, u32)>) -> Vec<AskId> {
        let answers = futures::stream::iter(asks)
            .map(|(ask, tries)| self.answer(ask, tries))
            .buffered(AT_A_TIME);
        answers.filter_map(futures::future::ready).collect().await
    }

    /// Answers an ask; gives its id if it cannot be answered now.
    async fn answer(&self, waiting: WaitingAsk, tries: u32) -> Option<AskId> {
        let id = waiting.ask.id;
        let answer = match self.told(&waiting).await {
            Ok(answer) => answer,
            Err(NotYet(why)) if tries.saturating_add(1) >= TRIES_MAX => Told::Stopped(why).into(),
            Err(NotYet(why)) => {
                tracing::debug!(ask = %id, why, "an ask is not answered yet");
                return Some(id);
            }
        };
        match self.inbox.answer(id, answer.told.write()).await {
            Ok(()) => {
                // Behind the answer: a world that is asked something is due at once, and somebody else would take it.
                if let Some(name) = answer.let_go {
                    self.runtime.let_go(&name).await;
                }
                None
            }
            Err(error) => {
                // It is listed once more, and gets the same answer by its key.
                let why = with_causes(&error);
                tracing::warn!(ask = %id, why, "an answer could not be given");
                Some(id)
            }
        }
    }

    /// Gives the command of an ask to its world, through the same door as everybody.
    async fn told(&self, WaitingAsk { ask, login, .. }: &WaitingAsk) -> Result<Answer, NotYet> {
        let unread = |what: &str, why: String| {
            let why = format!("the node that has it cannot read {what}: {why}");
            Answer::from(Told::Elsewhere(why))
        };
        let asked = match WrittenAsk::read(&ask.command) {
            Ok(asked) => asked,
            Err(error) => return Ok(unread("the command", error.to_string())),
        };
        let giver = match giver(ask, login) {
            Ok(giver) => giver,
            Err(why) => return Ok(unread("who gives the command", why)),
        };
        let command = match asked {
            WrittenAsk::Command(command) => command,
            WrittenAsk::LetGo(name) => return self.may_let_go(ask, name, &giver).await,
        };
        let key = match key(ask, command.key) {
            Ok(key) => key,
            Err(why) => return Ok(unread("the command", why)),
        };
        let Some(world) = self.world(ask.world, &command.world).await? else {
            return Ok(no_such_world(&command.world).into());
        };
        match world
            .as_principal(giver)
            .give(command.action, Some(key))
            .await
        {
            Err(error) if error.leaves_it_to_others() => Err(NotYet(error.to_string())),
            told => Ok(Told::from(told).into()),
        }
    }

    /// Tells whether the world of an ask is to be closed, so that whoever asks can take it.
    async fn may_let_go(
        &self,
        ask: &Ask,
        name: WorldName,
        giver: &Proof,
    ) -> Result<Answer, NotYet> {
        let Some(world) = self.world(ask.world, &name).await? else {
            return Ok(no_such_world(&name).into());
        };
        let may = Runtime::check_let_go(&world, giver.principal()).await;
        Ok(Answer {
            let_go: may.is_ok().then_some(name),
            told: may.map(|()| Accepted::default()).into(),
        })
    }

    /// The world of an ask, open here. `None` if there is none of that name and id.
    async fn world(&self, id: WorldId, name: &WorldName) -> Result<Option<WorldHandle>, NotYet> {
        let open = self.runtime.world(name).and_then(|world| world.id);
        if open != Some(id) {
            let found = self.runtime.log().find(name).await;
            let found = found.map_err(|error| NotYet(with_causes(&error)))?;
            if found.is_none_or(|entry| entry.world != id) {
                return Ok(None);
            }
        }
        match Box::pin(self.runtime.take_up(name)).await {
            Ok(world) if world.id == Some(id) => Ok(Some(world)),
            Ok(_) | Err(OpenError::NoSuchWorld(_)) => Ok(None),
            Err(error) => Err(NotYet(with_causes(&error))),
        }
    }
}

impl Round {
    /// The worlds whose asks are not wanted at `now`: they are under way, or left alone.
    fn not_now(&mut self, now: Instant) -> Vec<WorldId> {
        self.left_alone.retain(|_, until| *until > now);
        self.busy
            .keys()
            .chain(self.left_alone.keys())
            .copied()
            .collect()
    }

    /// How often an ask was tried before.
    fn tries(&self, ask: &Ask) -> u32 {
        let of_world = self.tries.get(&ask.world);
        of_world.map_or(0, |tries| tries.get(&ask.id).copied().unwrap_or(0))
    }

    /// Begins to answer the asks of a world; `answered` gives those that could not be.
    fn begin(
        &mut self,
        world: WorldId,
        answered: impl Future<Output = Vec<AskId>> + Send + 'static,
    ) {
        let task = self.under_way.spawn(async move { (world, answered.await) });
        self.busy.insert(world, task.id());
    }

    /// Notes the end of a task. The world of one that broke off is tried again after a while.
    fn end(&mut self, done: Result<(WorldId, Vec<AskId>), JoinError>) {
        match done {
            Ok((world, unanswered)) => self.note(world, unanswered),
            Err(error) => {
                tracing::error!(%error, "answering broke off");
                let until = Instant::now() + LOOK_EVERY;
                let broken = self.busy.extract_if(.., |_, task| *task == error.id());
                self.left_alone
                    .extend(broken.map(|(world, _)| (world, until)));
            }
        }
    }

    /// Notes what became of the asks of a world.
    fn note(&mut self, world: WorldId, unanswered: Vec<AskId>) {
        self.busy.remove(&world);
        let before = self.tries.remove(&world).unwrap_or_default();
        if unanswered.is_empty() {
            return;
        }
        self.left_alone.insert(world, Instant::now() + LOOK_EVERY);
        let tried = |ask: AskId| {
            let tries = before.get(&ask).copied().unwrap_or(0);
            (ask, tries.saturating_add(1))
        };
        self.tries
            .insert(world, unanswered.into_iter().map(tried).collect());
    }

    /// Forgets what is no longer asked here: nothing is asked but of the worlds in `but`.
    fn forget(&mut self, but: &[WorldId]) {
        self.tries.retain(|world, _| but.contains(world));
    }
}

fn no_such_world(name: &WorldName) -> Told {
    let why = format!("the command names {name}, and no world of that name has its id");
    Told::Elsewhere(why)
}

/// Whoever gives the command: by the word of a node, else by that of the ledger.
fn giver(ask: &Ask, login: &str) -> Result<Proof, String> {
    match &ask.principal {
        Some(principal) => read_principal(principal).map_err(|error| error.to_string()),
        None => {
            let display = PersonName::new(login).map_err(|error| error.to_string())?;
            Ok(Proof::by(Proof::LEDGER).user(login).called(display))
        }
    }
}

/// The key of the command, which makes delivering it again harmless. Only a node is believed that it runs a script: else
/// a login could use up the keys of its steps.
fn key(ask: &Ask, key: Option<Keyed>) -> Result<Key, String> {
    match key {
        None => Ok(Key::of_ask(ask.id)),
        Some(Keyed {
            key: CommandKey::Client(key),
            ..
        }) => Ok(Key::Client(key)),
        Some(Keyed {
            key: CommandKey::Step(step),
            digest,
        }) if ask.principal.is_some() => Ok(Key::Step(step, digest)),
        Some(Keyed {
            key: CommandKey::Step(step),
            ..
        }) => Err(format!(
            "its key is the step {step} of a world script, and no node vouches for it; use a key of your own"
        )),
    }
}
