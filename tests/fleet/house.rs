//! The rooms of a fleet: bob pays whenever somebody says so, and writes it down.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use folkmoot::core::ids::{Incarnation, WorldId};
use folkmoot::core::prompt::Item;
use folkmoot::core::tool::{EffectClass, ToolOutcome};
use folkmoot::port::{Model, ModelCall, ToolCall};
use folkmoot::{Drafts, LLMResponse, ModelError};
use folkmoot_tests::{FakeTool, Room, says, wants};

use crate::books::{Book, Line, Moment, Run};
use crate::node::Trap;

/// How long a payment takes: long enough that some are under way whenever something happens.
const PAYS_FOR: Duration = Duration::from_millis(200);

/// How long a payment takes that is to be under way for as long as its node lives.
const PAYS_FOR_EVER: Duration = Duration::from_secs(3_600);

/// The most payments that one message asks for.
pub(crate) const PAYMENTS_MAX: usize = 100;

/// Who decides whether a payment is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    /// Nobody is asked.
    Free,
    /// A person.
    Asked,
}

/// The room, for a node of this name that writes down in its book what it does.
pub(crate) fn room(consent: Consent, folder: &Path, (name, book): (&str, &Book)) -> Room {
    let room = match consent {
        Consent::Free => Room::auto(),
        Consent::Asked => Room::asking(),
    };
    let till = Till {
        folder: folder.to_owned(),
        stay: Trap::Stay(name.to_owned()),
        book: book.clone(),
    };
    // No kind of time limit is to end what a test wants to be under way.
    let limit = u64::try_from(PAYS_FOR_EVER.as_millis()).unwrap();
    let pay = FakeTool::new("pay", EffectClass::Destructive, move |call| {
        till.clone().pay(call)
    });
    room.agent("bob", &["pay"], Arc::new(Payer))
        .tool(pay.within_ms(limit))
        .with(|spec| {
            spec.limits.tool_calls_per_answer = u32::try_from(PAYMENTS_MAX).unwrap();
        })
}

/// A model that wants to pay as often as the last word of a message says, and is content with what it gets.
#[derive(Debug)]
struct Payer;

#[async_trait]
impl Model for Payer {
    async fn call(
        &self,
        call: &ModelCall,
        _drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        let Some(Item::Heard { text, .. }) = call.request.items().last().map(|item| &**item) else {
            return Ok(says("It is paid."));
        };
        let last = text.split_whitespace().next_back();
        let times = last.and_then(|word| word.parse().ok()).unwrap_or(1);
        Ok(wants(&vec!["pay"; times]))
    }
}

/// The tool. Its effect is a line in the book.
#[derive(Debug, Clone)]
struct Till {
    folder: PathBuf,
    stay: Trap,
    book: Book,
}

impl Till {
    async fn pay(self, call: ToolCall) -> ToolOutcome {
        Trap::InTool.spring(&self.folder, &self.book, &run_of(&call));
        let run = run_of(&call);
        let is_newest = self.is_newest(&run);
        // A resource without a fence would have it happen.
        self.book.write(&Line::Began(run.clone()));
        if !is_newest {
            self.book.write(&Line::Refused(run));
            return ToolOutcome::text("A later one has been here.");
        }
        let takes = if self.stay.is_mine(&self.folder) {
            let when = Moment::now();
            let run = run.clone();
            self.book.write(&Line::Stays(Run { when, ..run }));
            PAYS_FOR_EVER
        } else {
            PAYS_FOR
        };
        let mut under_way = UnderWay {
            book: self.book,
            run: Some(run),
        };
        // It is the work of the tool, and no wait for something else.
        tokio::time::sleep(takes).await;
        under_way.end();
        ToolOutcome::text("paid")
    }

    /// A resource with a fence: it knows the latest incarnation of a world that has been here.
    fn is_newest(&self, run: &Run) -> bool {
        let path = self.folder.join(format!("{}.fence", run.world));
        let seen = fs::read_to_string(&path).ok();
        let seen = seen.and_then(|seen| seen.parse().ok()).map(Incarnation);
        let is_newest = seen.is_none_or(|seen| seen <= run.incarnation);
        if is_newest {
            fs::write(path, run.incarnation.0.to_string()).unwrap();
        }
        is_newest
    }
}

fn run_of(call: &ToolCall) -> Run {
    let key = call.idempotency_key.clone();
    let world = key.split(':').next().unwrap();
    Run {
        world: WorldId(world.parse().unwrap()),
        key,
        attempt: call.attempt,
        incarnation: call.incarnation,
        when: Moment::now(),
    }
}

/// A run, from when it began until it ended or was dropped.
struct UnderWay {
    book: Book,
    run: Option<Run>,
}

impl UnderWay {
    fn end(&mut self) {
        if let Some(run) = self.run.take() {
            let when = Moment::now();
            self.book.write(&Line::Ended(Run { when, ..run }));
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Some(run) = self.run.take() {
            let when = Moment::now();
            self.book.write(&Line::Dropped(Run { when, ..run }));
        }
    }
}
