//! The causal slice of an event: the events without which it would not have happened.
//!
//! Every cause is an earlier event, so one way back through the log finds them all.
//! [`Slice::needs`] names the commit that is wanted next, always an older one; whoever has the log
//! looks it up and hands it to [`Slice::take`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::command::CommandKind;
use crate::command::commit::Commit;
use crate::event::{CallEvent, Event, TalkEvent};
use crate::ids::principal::Principal;
use crate::ids::{Position, Time};

mod causes;
mod search;
#[cfg(test)]
mod tests;

use causes::causes;
use search::{Bearing, PassedEvent, Search};

/// An event of a slice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceNode {
    /// The event.
    pub at: Position,
    /// The name of the event's kind.
    pub kind: String,
    /// The time of its record.
    pub time: Time,
    /// The command that it answers.
    pub command: CommandKind,
    /// The principal who gave that command.
    pub by: Principal,
    /// The events that made it necessary, in the order of the log; none for what somebody did of
    /// their own accord.
    pub because: Vec<Position>,
}

impl SliceNode {
    fn of(commit: &Commit, at: Position, event: &Event) -> Self {
        let header = &commit.header;
        Self {
            at,
            kind: event.kind().name().to_owned(),
            time: header.stamp.time,
            command: header.command,
            by: header.principal.clone(),
            because: Vec::new(),
        }
    }

    /// Tells whether a person, the world's script, or the process that has the world open did it of
    /// their own accord.
    #[must_use]
    pub const fn is_own_act(&self) -> bool {
        match &self.by {
            Principal::Person(_) | Principal::Service(_) | Principal::World => true,
            Principal::Agent(_) | Principal::Tool(_) => false,
            Principal::Runtime => begins_by_itself(self.command),
        }
    }
}

/// Tells whether the shell gives this command without an event that asks for it.
const fn begins_by_itself(command: CommandKind) -> bool {
    matches!(
        command,
        CommandKind::Create
            | CommandKind::Open
            | CommandKind::Revise
            | CommandKind::RecordStep
            | CommandKind::Sign
    )
}

/// The event that another one is missing to be explained.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Want {
    /// The event there.
    At(Position),
    /// The verdicts about the message there, which stand in its commit.
    Routed(Position),
    /// The event that let a call begin: the one there, or the grant that was used beside it.
    Moved(crate::ids::CallId, Position),
    /// Something older whose place is not known.
    Older(Search),
}

/// The causal slice of an event, in the making.
#[derive(Debug, Clone)]
pub struct Slice {
    most: usize,
    /// All events from here on were seen.
    seen: Position,
    nodes: BTreeMap<Position, SliceNode>,
    /// The events that are wanted, each with the one that it explains; `None` for the one that the
    /// slice is of.
    wants: Vec<(Option<Position>, Want)>,
    is_cut: bool,
}

impl Slice {
    /// Begins the slice of the event at `at`, of at most `most` events.
    #[must_use]
    pub fn of(at: Position, most: usize) -> Self {
        let nodes = BTreeMap::new();
        let wants = vec![(None, Want::At(at))];
        Self {
            most,
            seen: at.next(),
            nodes,
            wants,
            is_cut: false,
        }
    }

    /// The event whose commit is to be taken next, older than all before; `None` once the slice is
    /// whole.
    #[must_use]
    pub fn needs(&self) -> Option<Position> {
        let before = self.seen.previous();
        let place = |want: &Want| match want {
            Want::At(at) | Want::Routed(at) | Want::Moved(_, at) => *at,
            Want::Older(search) => {
                if search.reaches(before) {
                    before
                } else {
                    Position::ZERO
                }
            }
        };
        let next = self.wants.iter().map(|(_, want)| place(want)).max();
        next.filter(|at| *at > Position::ZERO && *at < self.seen)
    }

    /// Takes the commit that [`Slice::needs`] asks for. Another one is passed over.
    pub fn take(&mut self, commit: &Commit) {
        if !self
            .needs()
            .is_some_and(|at| commit.header.first <= at && at <= commit.last())
        {
            return;
        }
        for (_, want) in &mut self.wants {
            resolve(want, commit);
        }
        let events: Vec<_> = commit
            .numbered()
            .filter(|(at, _)| *at < self.seen)
            .collect();
        for (at, event) in events.into_iter().rev() {
            self.look_at(commit, at, event);
        }
        self.seen = commit.header.first;
    }

    /// The events of the slice, newest first, and whether older ones are left out.
    #[must_use]
    pub fn finish(self) -> (Vec<SliceNode>, bool) {
        let mut nodes: Vec<SliceNode> = self.nodes.into_values().rev().collect();
        for node in &mut nodes {
            node.because.sort_unstable();
            node.because.dedup();
        }
        (nodes, self.is_cut)
    }

    fn look_at(&mut self, commit: &Commit, at: Position, event: &Event) {
        let mut wanted_by = Vec::new();
        let mut passed = Vec::new();
        self.wants.retain_mut(|(by, want)| match want {
            Want::At(wanted) | Want::Routed(wanted) | Want::Moved(_, wanted) => {
                let is_it = *wanted == at;
                if is_it {
                    wanted_by.push(*by);
                }
                !is_it
            }
            Want::Older(search) => {
                let Bearing {
                    is_it,
                    is_over,
                    newer,
                } = search.meet(commit, at, event);
                if is_it {
                    wanted_by.push(*by);
                }
                if let Some(PassedEvent {
                    node,
                    is_because_of_this,
                }) = newer
                {
                    wanted_by.extend(is_because_of_this.then_some(Some(node.at)));
                    passed.push((*by, node));
                }
                !is_over
            }
        });
        passed.into_iter().for_each(|(by, node)| self.add(by, node));
        if wanted_by.is_empty() {
            return;
        }
        if self.nodes.len() >= self.most {
            self.cut();
            return;
        }
        wanted_by
            .into_iter()
            .for_each(|by| self.add(by, SliceNode::of(commit, at, event)));
        for mut want in causes(commit, at, event) {
            resolve(&mut want, commit);
            self.wants.push((Some(at), want));
        }
    }

    fn add(&mut self, by: Option<Position>, node: SliceNode) {
        if let Some(parent) = by.and_then(|by| self.nodes.get_mut(&by)) {
            parent.because.push(node.at);
        }
        self.nodes.entry(node.at).or_insert(node);
    }

    fn cut(&mut self) {
        self.is_cut = true;
        self.wants.clear();
    }
}

/// Puts the place in, if it is in `commit`.
fn resolve(want: &mut Want, commit: &Commit) {
    let place = match want {
        Want::At(_) | Want::Older(_) => None,
        Want::Routed(message) => {
            let verdicts = |event: &Event| matches!(event, Event::Talk(TalkEvent::MessageRouted(routed)) if routed.message == *message);
            holds(commit, *message).then(|| place_of(commit, verdicts).unwrap_or(*message))
        }
        Want::Moved(call, at) => {
            let is_admission = |(here, event): (Position, &Event)| {
                here == *at && matches!(event, Event::Call(CallEvent::CallsAdmitted(_)))
            };
            let used = |event: &Event| matches!(event, Event::Call(CallEvent::GrantUsed(used)) if used.call == *call);
            let granted = commit
                .numbered()
                .any(is_admission)
                .then(|| place_of(commit, used))
                .flatten();
            holds(commit, *at).then(|| granted.unwrap_or(*at))
        }
    };
    if let Some(place) = place {
        *want = Want::At(place);
    }
}

fn holds(commit: &Commit, at: Position) -> bool {
    commit.header.first <= at && at <= commit.last()
}

fn place_of(commit: &Commit, is_it: impl Fn(&Event) -> bool) -> Option<Position> {
    commit
        .numbered()
        .find(|(_, event)| is_it(event))
        .map(|(at, _)| at)
}
