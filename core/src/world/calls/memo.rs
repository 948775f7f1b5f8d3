//! Results that stand for further calls with the same arguments.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::event::{CallStatus, ToolFinished};
use crate::ids::{Digest, Position};
use crate::spec::rules::schema_digest;
use crate::tool::{ToolOutcome, ToolSpec};
use crate::world::World;
use crate::world::memory::{CallResult, OpenCall, Turn};

/// The most results that are kept; the oldest goes first.
const MEMOS_MAX: usize = 128;

/// Results that stand for further calls, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::world) struct Memos(VecDeque<Memo>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Memo {
    /// The digest of tool and arguments that it is the result of.
    key: Digest,
    /// The `ToolFinished` that gave it.
    at: Position,
    result: CallResult,
    /// The news of the turn that called. Once one of them is taken back, so is the result.
    because: Arc<[Position]>,
}

/// Returns what tells calls of a tool that memoises from each other. A result that a model read
/// whole is none for one that may read less.
fn key(tool: &ToolSpec, arguments: Digest) -> Digest {
    let schema = schema_digest(tool);
    let settings = tool.settings;
    // What a model may see of the result is part of it. A policy cannot fail to serialise.
    let view = serde_json::to_vec(&tool.view).unwrap_or_default();
    let name = tool.name.as_str().as_bytes();
    Digest::of(&[
        name,
        schema.as_bytes(),
        settings.as_bytes(),
        &view,
        arguments.as_bytes(),
    ])
}

impl Memos {
    pub(in crate::world) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn find(&self, key: Digest) -> Option<&Memo> {
        self.0.iter().find(|memo| memo.key == key)
    }

    fn keep(&mut self, memo: Memo) {
        self.0.retain(|kept| kept.key != memo.key);
        self.0.push_back(memo);
        if self.0.len() > MEMOS_MAX {
            self.0.pop_front();
        }
    }

    /// Forgets what is there for one of the messages at `gone`, which are in order.
    pub(in crate::world) fn forget(&mut self, gone: &[Position]) {
        self.0
            .retain(|memo| !memo.because.iter().any(|at| gone.binary_search(at).is_ok()));
    }
}

/// Returns the position of the result that a call of `tool` with arguments of this digest has
/// without a run.
pub(in crate::world) fn memo_of(
    world: &World,
    tool: &ToolSpec,
    arguments: Digest,
) -> Option<Position> {
    let memo = if tool.memoises {
        world.memos.find(key(tool, arguments))
    } else {
        None
    };
    memo.map(|memo| memo.at)
}

/// The result of a call that ended without a run of its own; of one that was erased or forgotten,
/// that it is gone.
pub(in crate::world) fn remembered(world: &World, at: Position) -> Option<CallResult> {
    world
        .memos
        .0
        .iter()
        .find(|memo| memo.at == at)
        .map(|memo| memo.result.clone())
}

/// Keeps what a run gave, if it stands for further calls. What a person was asked about does not:
/// it depends on more than the arguments.
pub(in crate::world) fn memoise(world: &mut World, event: &ToolFinished, result: &CallResult) {
    let is_done = matches!(event.outcome, Content::Present(Some(ToolOutcome::Done(_))));
    if event.status != CallStatus::Done || !is_done {
        return;
    }
    let turn = world.agents.turn(&event.agent);
    let open = world
        .agents
        .open_call(&event.agent, event.call)
        .filter(|open| open.input.is_none());
    let Some((turn, open)) = turn.zip(open) else {
        return;
    };
    let Some(tool) = memoising(turn, open) else {
        return;
    };
    let key = key(tool, open.arguments_digest);
    let because = Arc::clone(&turn.because);
    world.memos.keep(Memo {
        key,
        at: world.head,
        result: result.clone(),
        because,
    });
}

fn memoising<'t>(turn: &'t Turn, open: &OpenCall) -> Option<&'t ToolSpec> {
    turn.rules
        .spec()
        .tools
        .get(open.tool.as_ref()?)
        .filter(|tool| tool.memoises)
}
