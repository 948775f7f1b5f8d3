//! What holds of every commit, whatever happened.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::audit::{Auditor, Finding};
use crate::command::Command;
use crate::command::commit::{Commit, RebuildError};
use crate::event::*;
use crate::ids::{AgentName, CallId, EpisodeId, Position, ToolName, TurnId};
use crate::model::response::Part;
use crate::prompt::tokens::TokenCounter;
use crate::prompt::{Item, fingerprint_next, fingerprint_start};
use crate::tool::{EffectClass, Repeat};
use crate::world::effect::Effect;
use crate::world::memory::CallState;
use crate::world::{Decision, Request, RequestKind, World};

mod money;
mod redo;

/// Worlds and counts beside the live world.
#[derive(Debug, Clone, Default)]
pub(crate) struct Laws {
    replayed: World,
    erased: World,
    /// The fold of a log of which every third event lost its content.
    partly_erased: World,
    requests: BTreeMap<AgentName, Vec<Arc<Item>>>,
    broken: BTreeSet<AgentName>,
    once: BTreeSet<CallId>,
    closed: BTreeSet<CallId>,
    turns: BTreeMap<TurnId, EpisodeId>,
    spent: BTreeMap<(AgentName, EpisodeId), u32>,
    gone: BTreeSet<Position>,
    summaries: BTreeMap<EpisodeId, u32>,
    commits: u32,
    books: money::Books,
    redone: redo::Redone,
    /// The model that each agent's last request was for.
    asked: BTreeMap<AgentName, String>,
    auditors: [Auditor; 3],
    /// Whether content was erased from the log itself.
    has_lost: bool,
}

impl Laws {
    pub(crate) fn hold(
        &mut self,
        before: &World,
        command: &Command,
        commit: &Commit,
        decision: &Decision,
        world: &World,
    ) {
        self.fold(commit, world);
        self.audit(commit);
        rebuilds(before, command, commit, decision);
        for (at, event) in commit.numbered() {
            self.watch(at, event, world);
        }
        self.books.agree(world);
        for called in commit.events.iter().filter_map(asked) {
            self.asks(called, world);
        }
        pairs_are_whole(world);
        sums_are_right(world);
        requests_have_their_calls(world);
        asks_are_held(world);
        episodes_are_held(world);
        runs_are_within_limits(world);
        self.gone_is_gone(world);
    }

    /// The log has lost content: what is folded from it is another world from here on.
    pub(crate) fn replay(&mut self, world: &World, commits: &[Commit]) {
        self.replayed = world.clone();
        self.has_lost = true;
        self.auditors = <[Auditor; 3]>::default();
        commits.iter().for_each(|commit| self.audit(commit));
    }

    /// The fold of the log is the world, from a checkpoint as well; the fold without content owes the same.
    fn fold(&mut self, commit: &Commit, world: &World) {
        self.commits += 1;
        if self.commits.is_multiple_of(5) {
            let saved = serde_json::to_vec(&self.replayed).unwrap();
            self.replayed = World::restore(&saved).unwrap();
        }
        let reread: Vec<Event> = commit
            .events
            .iter()
            .map(|event| reread(event, false))
            .collect();
        assert_eq!(reread, commit.events, "an event survives its record");
        self.replayed.apply(commit);
        assert_eq!(self.replayed, *world, "live and replayed");
        let events = commit.events.iter().map(reread_erased).collect();
        self.erased.apply(&Commit {
            header: commit.header.clone(),
            events,
        });
        assert_eq!(
            self.erased.owed().collect::<Vec<_>>(),
            world.owed().collect::<Vec<_>>(),
            "erasure owes the same"
        );
        assert_eq!(self.erased.activity(), world.activity());
        assert_eq!(self.erased.head(), world.head());
        let some = commit
            .numbered()
            .map(|(at, event)| reread_partly(at, event))
            .collect();
        self.partly_erased.apply(&Commit {
            header: commit.header.clone(),
            events: some,
        });
        assert_eq!(
            self.partly_erased.owed().collect::<Vec<_>>(),
            world.owed().collect::<Vec<_>>(),
            "nor does a part"
        );
        pairs_are_whole(&self.partly_erased);
    }

    /// The log is decided again as it was; what was erased is never the reason of a divergence.
    fn audit(&mut self, commit: &Commit) {
        let found = self.auditors[0].take(commit);
        let is_fine = matches!(found, Finding::Decided | Finding::RecordedRefusal);
        assert!(
            is_fine || (self.has_lost && found == Finding::Erased),
            "{commit:?}: {found:?}"
        );
        let with = |events| Commit {
            header: commit.header.clone(),
            events,
        };
        let bare = with(commit.events.iter().map(reread_erased).collect());
        let some = with(
            commit
                .numbered()
                .map(|(at, event)| reread_partly(at, event))
                .collect(),
        );
        for (auditor, commit) in self.auditors[1..].iter_mut().zip([bare, some]) {
            let found = auditor.take(&commit);
            assert!(
                !matches!(found, Finding::Diverged(_)),
                "{commit:?}, erased: {found:?}"
            );
        }
    }

    fn watch(&mut self, at: Position, event: &Event, world: &World) {
        if let Event::Turn(TurnEvent::PrefixBroken(broken)) = event {
            self.broken.insert(broken.agent.clone());
        }
        if let Event::Turn(TurnEvent::TurnOpened(opened)) = event {
            self.turns.insert(TurnId(at), opened.episode);
        }
        if let Event::Turn(TurnEvent::ModelCalled(called)) = event
            && called.attempt.0 == 1
        {
            assert_eq!(called.call.0, at);
            match called.purpose {
                Purpose::Turn => self.spend(&called.agent, called.turn, false, world),
                Purpose::Closing => self.spend(&called.agent, called.turn, true, world),
                Purpose::Compaction => self.spend_summary(&called.agent, called.turn, world),
            }
        }
        if let Event::Turn(TurnEvent::AgentReacted(reacted)) = event
            && reacted.has_answered
        {
            self.spend(&reacted.agent, reacted.turn, true, world);
        }
        if let Event::Talk(TalkEvent::MessageEdited(MessageEdited { gone, .. }))
        | Event::Talk(TalkEvent::MessageRetracted(MessageRetracted { gone, .. }))
        | Event::Talk(TalkEvent::ReplyRegenerated(ReplyRegenerated { gone, .. })) = event
        {
            self.gone.extend(gone);
        }
        self.watch_call(event);
        self.redone.watch(at, event);
        self.books.watch(event, &self.turns, world);
    }

    /// What was taken back is nowhere, and nothing is there for it, but for the items that a model reads just now.
    fn gone_is_gone(&self, world: &World) {
        let is_gone = |at: &Position| self.gone.contains(at);
        let is_clean = |because: &[Position]| !because.iter().any(is_gone);
        assert!(
            world
                .transcript()
                .iter()
                .all(|said| !is_gone(&said.at) && is_clean(&said.because))
        );
        for spec in &world.rules().spec().agents {
            let memory = world.memory(&spec.name).unwrap();
            let turn = memory.turn.as_ref();
            assert!(
                memory.inbox.iter().all(|news| !is_gone(&news.at)),
                "{}'s inbox",
                spec.name
            );
            assert!(
                turn.is_none_or(|turn| is_clean(&turn.because)),
                "{}'s news",
                spec.name
            );
            let is_reading = turn.is_some_and(|turn| turn.model.is_some());
            assert!(
                memory.taken_back.is_empty() || is_reading,
                "{} reads nothing",
                spec.name
            );
            let is_left = memory.items.iter().any(|kept| !is_clean(&kept.because));
            assert!(
                !is_left || !memory.taken_back.is_empty(),
                "{} remembers what is gone",
                spec.name
            );
        }
    }

    fn watch_call(&mut self, event: &Event) {
        if let Event::Call(CallEvent::ToolStarted(started)) = event
            && started.repeat == Repeat::Never
            && started.effect != EffectClass::Read
        {
            assert!(
                self.once.insert(started.call),
                "an unrepeatable tool started twice: {started:?}"
            );
        }
        if let Event::Call(CallEvent::QuestionAnswered(QuestionAnswered { call, .. }))
        | Event::Call(CallEvent::Reconciled(Reconciled {
            call,
            how: ReconciledHow::DidNot,
            ..
        })) = event
        {
            self.once.remove(call);
        }
        if let Event::Call(CallEvent::ToolFinished(ToolFinished { call, .. }))
        | Event::Call(CallEvent::CallReplaced(CallReplaced { call, .. })) = event
        {
            assert!(
                self.closed.insert(*call),
                "a call has two results: {event:?}"
            );
        }
    }

    fn spend(&mut self, agent: &AgentName, turn: TurnId, may_be_last: bool, world: &World) {
        let episode = self.turns[&turn];
        let own = self.spent.entry((agent.clone(), episode)).or_default();
        *own += 1;
        let open = world.memory(agent).and_then(|memory| memory.turn.as_ref());
        let limits = &open.map_or(world.rules(), |open| &open.rules).spec().limits;
        assert!(
            *own < limits.model_calls_per_agent + u32::from(may_be_last),
            "{agent} made {own} calls"
        );
        self.spend_of_all(episode, limits.model_calls_per_episode);
    }

    /// A summary counts for the episode only, and a turn asks for two at most.
    fn spend_summary(&mut self, agent: &AgentName, turn: TurnId, world: &World) {
        let episode = self.turns[&turn];
        *self.summaries.entry(episode).or_default() += 1;
        let open = world.memory(agent).unwrap().turn.as_ref().unwrap();
        assert!(
            open.compactions <= 2,
            "{agent} asked for {} summaries",
            open.compactions
        );
        self.spend_of_all(episode, open.rules.spec().limits.model_calls_per_episode);
    }

    fn spend_of_all(&self, episode: EpisodeId, max: u32) {
        let of_agents: u32 = self
            .spent
            .iter()
            .filter(|((_, other), _)| *other == episode)
            .map(|(_, spent)| spent)
            .sum();
        let all = of_agents + self.summaries.get(&episode).copied().unwrap_or_default();
        assert!(all <= max, "{all} calls in {episode}");
    }

    /// The request is the one that the log has the fingerprint of, and it extends the one before.
    fn asks(&mut self, called: &ModelCalled, world: &World) {
        let (name, ask) = (&called.agent, world.model_ask(&called.agent).unwrap());
        let request = &ask.request;
        let start = fingerprint_start(
            &request.model,
            &request.parameters,
            &request.system,
            &request.tools,
        );
        let chain = request.items.iter().fold(start, |before, item| {
            fingerprint_next(before, item.digest())
        });
        assert_eq!(request.fingerprint, chain, "the fingerprint from scratch");
        let recorded = (
            called.fingerprint,
            called.purpose,
            called.items as usize,
            called.attempt,
        );
        assert_eq!(
            recorded,
            (chain, ask.purpose, request.items.len(), ask.attempt),
            "the request that was recorded"
        );
        pairs(&request.items);
        if called.purpose == Purpose::Compaction {
            return summarises(name, &request.items, world);
        }
        let whole = self
            .requests
            .insert(name.clone(), request.items.clone())
            .unwrap_or_default();
        let model = self.asked.insert(name.clone(), request.model.clone());
        if !self.broken.remove(name) {
            assert!(
                model.is_none_or(|model| model == request.model),
                "{name} asks another model"
            );
            assert!(
                request.items.starts_with(&whole),
                "{name}'s request does not extend its last one"
            );
        }
    }
}

/// The request for a summary holds the oldest items and then the instruction, and no tools.
fn summarises(name: &AgentName, items: &[Arc<Item>], world: &World) {
    let memory = world.memory(name).unwrap();
    let (instruction, read) = items.split_last().unwrap();
    assert!(matches!(**instruction, Item::Notice { .. }));
    assert!(
        read.len() < memory.items.len(),
        "a summary never stands for all"
    );
    assert!(
        memory
            .items
            .iter()
            .zip(read)
            .all(|(kept, item)| kept.item == *item),
        "the oldest"
    );
    assert_eq!(world.model_ask(name).unwrap().request.tools, []);
}

/// What is kept beside an agent's items agrees with them.
fn sums_are_right(world: &World) {
    for spec in &world.rules().spec().agents {
        let memory = world.memory(&spec.name).unwrap();
        let count = |kept: &crate::world::memory::Remembered| {
            u64::from(TokenCounter::ESTIMATE.item(&kept.item))
        };
        assert_eq!(
            memory.tokens,
            memory.items.iter().map(count).sum::<u64>(),
            "the tokens of {}",
            spec.name
        );
    }
}

fn asked(event: &Event) -> Option<&ModelCalled> {
    if let Event::Turn(TurnEvent::ModelCalled(called)) = event {
        Some(called)
    } else {
        None
    }
}

fn rebuilds(before: &World, command: &Command, commit: &Commit, decision: &Decision) {
    if decision.answer.is_err() {
        let at = commit.header.first;
        assert_eq!(
            Command::rebuild(commit),
            Err(RebuildError::Refused {
                at,
                command: command.digest()
            })
        );
        return;
    }
    let rebuilt = Command::rebuild(commit).unwrap();
    assert_eq!(
        rebuilt,
        *before.meant(command),
        "a command is rebuilt from its commit"
    );
    assert_eq!(
        before.decide(&rebuilt, &commit.header.stamp),
        *decision,
        "and decided again"
    );
}

/// Every call that a model reads stands before its result, and the results stand in the calls' order.
fn pairs(items: &[Arc<Item>]) {
    let mut open: Vec<&str> = Vec::new();
    for item in items.iter().rev() {
        match &**item {
            Item::Result { label, .. } => open.push(label),
            Item::Said { parts } => {
                let calls = parts.iter().rev().filter_map(|part| match part {
                    Part::Call(call) => Some(call.label.as_str()),
                    Part::Text(_) | Part::Reasoning(_) | Part::Refusal(_) | Part::Opaque(_) => None,
                });
                assert_eq!(
                    calls.collect::<Vec<_>>(),
                    open,
                    "each call has its one result"
                );
                open.clear();
            }
            Item::Heard { .. }
            | Item::Notice { .. }
            | Item::State { .. }
            | Item::Summary { .. } => {
                assert_eq!(open, Vec::<&str>::new(), "a result without a call")
            }
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "a result without a call");
}

/// No agent without an open turn has an open call or an unpaired one.
fn pairs_are_whole(world: &World) {
    for spec in &world.rules().spec().agents {
        let memory = world.memory(&spec.name).unwrap();
        if memory.turn.is_none() {
            assert!(memory.open_calls.is_empty());
            assert!(memory.held_notices.is_empty());
            pairs(
                &memory
                    .items
                    .iter()
                    .map(|kept| Arc::clone(&kept.item))
                    .collect::<Vec<_>>(),
            );
        }
    }
}

/// What waits for a person is what an open call waits for, and the other way round.
fn requests_have_their_calls(world: &World) {
    let mut waiting = BTreeSet::new();
    for spec in &world.rules().spec().agents {
        for (call, open) in &world.memory(&spec.name).unwrap().open_calls {
            if let CallState::AwaitsApproval { request, .. }
            | CallState::AwaitsAnswer { request, .. }
            | CallState::AwaitsSettlement { request, .. } = open.state
            {
                assert_eq!(
                    (
                        world.consent().pending()[&request].call,
                        &world.consent().pending()[&request].agent
                    ),
                    (*call, &spec.name)
                );
                waiting.insert(request);
            }
        }
    }
    let is_closed =
        |request: &&Request| matches!(request.kind, RequestKind::Outcome { is_open: false, .. });
    let closed = world.consent().pending().values().filter(is_closed).count();
    assert_eq!(
        world.consent().pending().len(),
        waiting.len() + closed,
        "a request without a call that waits"
    );
}

/// A question that is open stands in the inbox or in the open turn of the one that is to answer it; and nobody waits for
/// itself by way of others.
fn asks_are_held(world: &World) {
    let agents = || world.rules().spec().agents.iter().map(|spec| &spec.name);
    let mut held: BTreeMap<(AgentName, CallId), Vec<AgentName>> = BTreeMap::new();
    for name in agents() {
        let memory = world.memory(name).unwrap();
        let queued = memory.inbox.iter().flat_map(|message| &message.asks);
        for ask in queued.chain(memory.turn.iter().flat_map(|turn| &turn.asks)) {
            held.entry(ask.clone()).or_default().push(name.clone());
        }
    }
    let mut edges: BTreeMap<AgentName, Vec<AgentName>> = BTreeMap::new();
    for name in agents() {
        for (call, open) in &world.memory(name).unwrap().open_calls {
            assert!(world.doing(name) != crate::world::Doing::Nothing);
            if let CallState::AwaitsAgent { asked, .. } = &open.state {
                let holders = held
                    .get(&(name.clone(), *call))
                    .map_or(&[][..], Vec::as_slice);
                assert!(
                    holders.contains(asked),
                    "{asked} owes an answer and does not know it, but {holders:?} do"
                );
                edges.entry(name.clone()).or_default().push(asked.clone());
            }
        }
    }
    while let Some(free) = edges
        .iter()
        .find(|(_, to)| !to.iter().any(|one| edges.contains_key(one)))
    {
        let free = free.0.clone();
        edges.remove(&free);
    }
    assert!(
        edges.is_empty(),
        "agents wait for one another in a circle: {edges:?}"
    );
}

/// A destructive run goes on alone, of each tool at most eight reads and one write do; and what waits for its turn has
/// somebody before it, or is owed.
fn runs_are_within_limits(world: &World) {
    let mut runs: BTreeMap<(Option<ToolName>, EffectClass), u32> = BTreeMap::new();
    let mut ready = 0;
    for spec in &world.rules().spec().agents {
        for open in world.memory(&spec.name).unwrap().open_calls.values() {
            if let CallState::Running(run) = &open.state {
                *runs.entry((open.tool.clone(), run.effect)).or_default() += 1;
            }
            ready += u32::from(matches!(open.state, CallState::Ready { .. }));
        }
    }
    let all: u32 = runs.values().sum();
    for ((tool, effect), count) in &runs {
        let max = match effect {
            EffectClass::Read => 8,
            EffectClass::Write => 1,
            EffectClass::Destructive => 2 - all.min(2),
        };
        assert!(
            *count <= max,
            "{count} runs of {tool:?} ({effect}) among {all}"
        );
    }
    let is_owed = world
        .owed()
        .any(|effect| matches!(effect, Effect::RunTool { .. }));
    assert!(
        ready == 0 || all > 0 || is_owed || world.upkeep().is_erasing(),
        "a call waits for its turn, and nothing runs"
    );
}

/// An episode is held by each message in an inbox and each open turn of it.
fn episodes_are_held(world: &World) {
    let mut held: BTreeMap<EpisodeId, u32> = BTreeMap::new();
    for spec in &world.rules().spec().agents {
        let memory = world.memory(&spec.name).unwrap();
        let news = memory.inbox.iter().map(|message| message.episode);
        let joining = memory
            .joining
            .as_ref()
            .filter(|joining| joining.tells)
            .map(|joining| joining.episode);
        let turn = memory.turn.as_ref().map(|turn| turn.episode);
        news.chain(turn)
            .chain(joining)
            .for_each(|of| *held.entry(of).or_default() += 1);
    }
    let open: BTreeMap<EpisodeId, u32> = world
        .episodes()
        .iter()
        .map(|(id, episode)| (*id, episode.open))
        .collect();
    assert_eq!(open, held);
}

fn reread_erased(event: &Event) -> Event {
    reread(event, true)
}

/// The event as it is read back once its content was erased.
pub(crate) fn bare(event: &Event) -> Event {
    reread_erased(event)
}

fn reread_partly(at: Position, event: &Event) -> Event {
    reread(event, at.get().is_multiple_of(3))
}

fn reread(event: &Event, erase: bool) -> Event {
    let mut record = event.to_record().unwrap();
    if erase && record.content != StoredContent::None {
        record.content = StoredContent::Erased { by: None };
    }
    Event::from_record(record).unwrap()
}
