//! Rooms that another process holds: whoever talks and decides there need not know where that is.

use std::sync::Arc;

use async_trait::async_trait;
use folkmoot::core::event::ClockKind;
use folkmoot::core::ids::WorldId;
use folkmoot::core::port::{EventLog as _, Model, ModelCall};
use folkmoot::core::prompt::Item;
use folkmoot::core::tool::{EffectClass, ToolOutcome};
use folkmoot::{Answerer, Drafts, LLMResponse, ModelError, Opening, Runtime, WorldHandle};
use folkmoot_tests::{Commons, FakeTool, Member, Room, room_name, says, wants};
use tokio::task::JoinHandle;

mod drafts;
mod holders;
mod restored;
mod seats;
mod strange;
mod visits;

/// A model that wants to pay so often when somebody says something, and is content with what it gets.
#[derive(Debug)]
struct Payer(usize);

#[async_trait]
impl Model for Payer {
    async fn call(
        &self,
        call: &ModelCall,
        _drafts: &dyn Drafts,
    ) -> Result<LLMResponse, ModelError> {
        let last = call.request.items().last().map(|item| &**item);
        Ok(match last {
            Some(Item::Heard { .. }) if self.0 > 0 => wants(&vec!["pay"; self.0]),
            _ => says("done"),
        })
    }
}

/// A room in which bob answers everybody.
fn talkative() -> Room {
    Room::auto().agent("bob", &[], Arc::new(Payer(0)))
}

/// A room in which bob wants to pay so often, and people decide.
fn paying(times: usize) -> Room {
    let pay = FakeTool::new("pay", EffectClass::Destructive, |_call| async {
        ToolOutcome::text("paid")
    });
    Room::asking()
        .agent("bob", &["pay"], Arc::new(Payer(times)))
        .tool(pay)
        .with(|spec| spec.limits.tool_calls_per_answer = 128)
}

/// A process with its runtime, which answers what it is asked, and opens what is due.
struct Process {
    runtime: Runtime,
    member: Member,
    work: Vec<JoinHandle<()>>,
}

impl Process {
    /// Starts the process with this number.
    fn start(number: u8, room: &Room, commons: &Commons) -> Self {
        Self::of(commons.member(number, 10), room, commons)
    }

    /// Starts one that can never have the room itself.
    fn beside(room: &Room, commons: &Commons) -> Self {
        Self::of(commons.member(99, 0).unfit(), room, commons)
    }

    fn of(member: Member, room: &Room, commons: &Commons) -> Self {
        let runtime = Runtime::builder(&member.store())
            .assembler(room.parts())
            .tenures(Arc::new(member.clone()))
            .inbox(Arc::new(commons.clone()))
            .build();
        Self {
            runtime,
            member,
            work: Vec::new(),
        }
    }

    /// From now on it answers what it is asked, and opens the room when that is due.
    fn serving(mut self, commons: &Commons) -> Self {
        let node = self.member.id();
        let answerer = Answerer::new(self.runtime.clone(), Arc::new(commons.clone()), move || {
            node
        });
        self.work.push(tokio::spawn(answerer.run()));
        self.work.push(tokio::spawn(claim(
            self.runtime.clone(),
            self.member.clone(),
            commons.clone(),
        )));
        self
    }

    /// The room, wherever it is held.
    async fn reach(&self) -> WorldHandle {
        let reached = self.runtime.reach(Opening::recorded(room_name())).await;
        reached.unwrap_or_else(|error| panic!("the room is not reached: {error:?}"))
    }

    /// Begins the room here.
    async fn begin(&self, room: &Room) -> WorldHandle {
        let opening = Opening {
            clock: ClockKind::System,
            ..Opening::with(room_name(), room.definition())
        };
        let opened = self.runtime.open(opening).await;
        opened.unwrap_or_else(|error| panic!("the room does not open: {error:?}"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.work.iter().for_each(JoinHandle::abort);
    }
}

/// Opens the room whenever this process is given it.
async fn claim(runtime: Runtime, member: Member, commons: Commons) {
    let mut news = commons.news();
    loop {
        news.borrow_and_update();
        for world in member.claim() {
            assert_eq!(world, id_of(&commons).await);
            if let Err(error) = runtime.take_up(&room_name()).await {
                // It was lost right then.
                assert_ne!(commons.holder(world), Some(member.id()), "{error:?}");
            }
        }
        if news.changed().await.is_err() {
            return;
        }
    }
}

async fn id_of(commons: &Commons) -> WorldId {
    let found = commons.store().find(&room_name()).await;
    found.unwrap().unwrap().world
}
