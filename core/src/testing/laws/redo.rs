//! A turn that takes another's place does nothing a second time that nobody was asked about. Kept from the events alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::*;
use crate::ids::{AgentName, CallId, Position, ToolName, TurnId};
use crate::tool::{EffectClass, Repeat};

#[derive(Debug, Clone, Default)]
pub(super) struct Redone {
    /// The news of each turn, and whose it is.
    turns: BTreeMap<TurnId, (AgentName, Vec<Position>)>,
    /// The tools that ran in each turn.
    ran: BTreeMap<TurnId, BTreeSet<ToolName>>,
    /// The tools that must ask in each turn.
    must_ask: BTreeMap<TurnId, BTreeSet<ToolName>>,
    /// The same, of turns that are to answer a message.
    behind: BTreeMap<Position, BTreeSet<ToolName>>,
    /// The same, of turns of one agent.
    again: BTreeMap<(AgentName, Position), BTreeSet<ToolName>>,
    calls: BTreeMap<CallId, (TurnId, ToolName)>,
    /// The turn of each message of an agent, by where it stands.
    said_in: BTreeMap<Position, TurnId>,
    allowed: BTreeSet<CallId>,
}

impl Redone {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "no other event bears on what was done before"
    )]
    pub(super) fn watch(&mut self, at: Position, event: &Event) {
        match event {
            Event::Turn(TurnEvent::TurnOpened(opened)) => self.open(TurnId(at), opened),
            Event::Talk(TalkEvent::MessagePosted(MessagePosted {
                turn: Some(turn), ..
            })) => {
                self.said_in.insert(at, *turn);
                self.behind
                    .insert(at, self.must_ask.get(turn).cloned().unwrap_or_default());
            }
            Event::Talk(TalkEvent::MessageEdited(edited)) => {
                let tools = self.tools_behind(edited.at);
                self.behind.insert(at, tools);
            }
            Event::Talk(TalkEvent::ReplyRegenerated(again)) => {
                let Some(turn) = self.said_in.get(&again.at) else {
                    return;
                };
                let tools = self.tools_of(*turn);
                for news in &again.news {
                    self.again
                        .entry((again.agent.clone(), *news))
                        .or_default()
                        .extend(tools.clone());
                }
            }
            Event::Call(CallEvent::CallsAdmitted(admitted)) => {
                for call in &admitted.calls {
                    let tool = call.tool.clone().map(|tool| (admitted.turn, tool));
                    self.calls.extend(tool.map(|tool| (call.call, tool)));
                }
            }
            Event::Call(CallEvent::ApprovalDecided(decided))
                if decided.verdict == Verdict::Allow =>
            {
                self.allowed.insert(decided.call);
            }
            Event::Call(CallEvent::CallReplaced(replaced))
                if self.allowed.contains(&replaced.call) =>
            {
                self.allowed.insert(replaced.by);
            }
            Event::Call(CallEvent::ToolStarted(started)) => self.start(started),
            _ => {}
        }
    }

    fn open(&mut self, turn: TurnId, opened: &TurnOpened) {
        let mut tools = opened
            .resumes
            .and_then(|before| self.must_ask.get(&before).cloned())
            .unwrap_or_default();
        for at in &opened.news {
            tools.extend(self.behind.get(at).cloned().unwrap_or_default());
            tools.extend(
                self.again
                    .get(&(opened.agent.clone(), *at))
                    .cloned()
                    .unwrap_or_default(),
            );
        }
        self.must_ask.insert(turn, tools);
        self.turns
            .insert(turn, (opened.agent.clone(), opened.news.clone()));
    }

    fn start(&mut self, started: &ToolStarted) {
        let Some((turn, tool)) = self.calls.get(&started.call) else {
            return;
        };
        let must_ask = self
            .must_ask
            .get(turn)
            .is_some_and(|tools| tools.contains(tool));
        if must_ask && started.effect != EffectClass::Read && started.repeat != Repeat::Always {
            assert!(
                self.allowed.contains(&started.call),
                "{tool} ran again in {turn:?}, and nobody was asked"
            );
        }
        self.ran.entry(*turn).or_default().insert(tool.clone());
    }

    fn tools_of(&self, turn: TurnId) -> BTreeSet<ToolName> {
        let own = self
            .ran
            .get(&turn)
            .into_iter()
            .chain(self.must_ask.get(&turn));
        own.flatten().cloned().collect()
    }

    /// The tools of all turns that answer the message at `at`.
    fn tools_behind(&self, at: Position) -> BTreeSet<ToolName> {
        let answers = self
            .turns
            .iter()
            .filter(|(_, (_, news))| news.contains(&at));
        let tools = answers.flat_map(|(turn, _)| self.tools_of(*turn));
        tools
            .chain(self.behind.get(&at).cloned().unwrap_or_default())
            .collect()
    }
}
