//! Lives a story.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use folkmoot::HeadSigner;
use folkmoot::core::ids::{Digest, Position};
use folkmoot::core::port::EventLog as _;
use folkmoot::proof::note::SignerKey;
use futures::TryStreamExt as _;
use tokio::task::LocalSet;

use crate::law::{Law, Violation};
use crate::machine::{
    Outside, Platter, Process, RoomPlan, Setting, between_ms, panics, recover, rest, verify,
};
use crate::outcome::Lived;
use crate::story::{Goes, Story, StoryError, StoryFault};

/// How many processes a story may take.
const PROCESSES_MAX: u64 = 2_000;

/// How long a process may take to close in good order.
const CLOSING_MAX: Duration = Duration::from_secs(3_600);

/// Lives `story` on a machine of its own. The same story gives the same, every time.
///
/// # Errors
/// The story has a room that cannot be played here.
pub fn simulate(story: &Story) -> Result<Lived, StoryError> {
    let mut life = Life::of(story)?;
    let result = panics::watched(|| life.live_on());
    Ok(life.lived(result))
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// There is to be another one.
    Again,
    /// The story is over.
    Over,
}

struct Life {
    setting: Setting,
    /// How many processes there were.
    process: u64,
    /// The next fault.
    fault: usize,
    /// True if every room was at rest and the store was closed.
    is_at_rest: bool,
    digest: Digest,
}

impl Life {
    fn of(story: &Story) -> Result<Self, StoryError> {
        let plans: Result<Vec<_>, _> = story
            .rooms
            .iter()
            .enumerate()
            .map(|(number, room)| RoomPlan::of(number, room).map(Rc::new))
            .collect();
        let plans = plans?;
        let outside = Arc::new(Outside::new(story.seed, story.deeds.len(), plans.len()));
        let platter = Arc::new(Platter::new(Arc::clone(&outside)));
        let mut lots = outside.lots("setting");
        let is_signed = lots.u32(0..3) == 0;
        let signer = is_signed
            .then(|| SignerKey::generate("example.com/simulated", &[7; 32]).ok())
            .flatten();
        let signer = signer.map(|key| Arc::new(HeadSigner::new(key)) as _);
        let idle_close = (lots.u32(0..3) == 0).then(|| between_ms(&mut lots, 500, 60_000));
        let are_taken = lots.bool();
        let story = Rc::new(story.clone());
        let setting = Setting {
            story,
            plans: Rc::new(plans),
            platter,
            outside,
            signer,
            idle_close,
            are_taken,
        };
        Ok(Self {
            setting,
            process: 0,
            fault: 0,
            is_at_rest: false,
            digest: Digest::default(),
        })
    }

    /// One process after the other.
    fn live_on(&mut self) -> Result<(), Violation> {
        while self.process < PROCESSES_MAX {
            let ended = self.live();
            self.setting.outside.hold(panics::seen());
            if let Some(violation) = self.setting.outside.broken() {
                return Err(violation);
            }
            if ended == Ended::Over {
                return Ok(());
            }
        }
        Err(Violation::of(
            Law::ComesToRest,
            format!("{PROCESSES_MAX} processes were not enough"),
        ))
    }

    fn lived(&self, result: Result<(), Violation>) -> Lived {
        let outside = &self.setting.outside;
        let mut counts = outside.books().counts.clone();
        counts.restarts = self.process.saturating_sub(1);
        Lived {
            digest: self.digest,
            time: outside.clock.passed(),
            counts,
            result,
        }
    }

    /// One process: an executor with paused time, dropped at its end with everything that goes on
    /// in it.
    fn live(&mut self) -> Ended {
        self.process += 1;
        let clock = self.setting.outside.clock.clone();
        let executor = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        let executor = match executor {
            Ok(executor) => executor,
            Err(error) => {
                let what = format!("there is no executor: {error}");
                self.setting
                    .outside
                    .hold(Err(Violation::of(Law::NoPanic, what)));
                return Ended::Over;
            }
        };
        let local = LocalSet::new();
        let ended = local.block_on(&executor, async {
            clock.begin();
            let ended = Box::pin(self.run()).await;
            let pause = between_ms(&mut self.setting.outside.lots("pause"), 5, 5_000);
            clock.end(pause);
            ended
        });
        drop(local);
        drop(executor);
        ended
    }

    async fn run(&mut self) -> Ended {
        let outside = Arc::clone(&self.setting.outside);
        let Some(process) = Process::start(&self.setting, self.process).await else {
            return Ended::Again;
        };
        let broke = async { outside.broke.notified().await };
        tokio::select! {
            biased;
            () = broke => Ended::Over,
            ended = self.go_on(process) => ended,
        }
    }

    /// Lives until the process ends.
    async fn go_on(&mut self, mut process: Rc<Process>) -> Ended {
        if self.is_at_rest {
            return self.look_back(&process).await;
        }
        process.begin();
        let end = Duration::from_secs(self.setting.story.seconds);
        let clock = self.setting.outside.clock.clone();
        loop {
            let fault = self.setting.story.faults.get(self.fault).cloned();
            let at = fault
                .as_ref()
                .map_or(end, |fault| Duration::from_micros(fault.at_us).min(end));
            tokio::select! {
                biased;
                () = process.pulse.stops.notified() => return self.stopped().await,
                () = clock.until(at) => {}
            }
            let Some(fault) = fault.filter(|_| at < end) else {
                break;
            };
            self.fault += 1;
            match self.strike(&fault, &process).await {
                Struck::GoesOn => {}
                Struck::Ended => return Ended::Again,
                Struck::TakenOver => match self.take_over(&process).await {
                    Some(next) => process = next,
                    None => return Ended::Again,
                },
            }
        }
        self.rest(&process).await
    }

    /// The store has stopped: people see it for a while, then the process is started again.
    async fn stopped(&self) -> Ended {
        let while_ = between_ms(&mut self.setting.outside.lots("stopped"), 0, 3_000);
        tokio::time::sleep(while_).await;
        Ended::Again
    }

    async fn strike(&self, fault: &StoryFault, process: &Rc<Process>) -> Struck {
        let outside = &self.setting.outside;
        let platter = &self.setting.platter;
        match &fault.goes {
            Goes::Killed { rounds } => {
                outside.books().counts.hit("killed");
                for _ in 0..*rounds {
                    tokio::task::yield_now().await;
                }
                process.kill();
                Struck::Ended
            }
            Goes::Restarted => {
                outside.books().counts.hit("restarted");
                let _in_time = tokio::time::timeout(CLOSING_MAX, process.close()).await;
                Struck::Ended
            }
            Goes::TakenOver => Struck::TakenOver,
            Goes::Disk(fault) => {
                platter.arm(*fault);
                Struck::GoesOn
            }
            Goes::Slow { more_us } => {
                outside.books().counts.hit("slow");
                platter.slow_down(Duration::from_micros(*more_us));
                Struck::GoesOn
            }
            Goes::ModelHangs => {
                let mut books = outside.books();
                books.models_hang += 1;
                Struck::GoesOn
            }
            Goes::ToolHangs => {
                let mut books = outside.books();
                books.tools_hang += 1;
                Struck::GoesOn
            }
        }
    }

    /// A second process takes over while the first still runs, and for a while longer.
    async fn take_over(&mut self, old: &Rc<Process>) -> Option<Rc<Process>> {
        let outside = Arc::clone(&self.setting.outside);
        outside.books().counts.hit("taken over");
        // With rooms that are taken, the old one learns before the new one begins, or never: it was paused.
        if self.setting.are_taken && outside.lots("losses").bool() {
            outside.books().counts.hit("rooms lost");
            old.pulse.lose();
        }
        old.pulse.take_over();
        old.leave_alone();
        self.process += 1;
        let next = Process::start(&self.setting, self.process).await;
        let lasts = between_ms(&mut outside.lots("old process"), 10, 20_000);
        if let Some(next) = &next {
            next.begin();
            next.spawn(linger(Rc::clone(old), lasts));
        }
        next
    }

    /// Nothing goes wrong any more: the rooms come to rest, and the store is closed.
    async fn rest(&mut self, process: &Rc<Process>) -> Ended {
        self.setting.platter.mend();
        {
            let mut books = self.setting.outside.books();
            (books.models_hang, books.tools_hang) = (0, 0);
        }
        tokio::select! {
            biased;
            () = process.pulse.stops.notified() => return self.stopped().await,
            () = rest(process) => {}
        }
        if tokio::time::timeout(CLOSING_MAX, process.close())
            .await
            .is_err()
        {
            self.setting.outside.hold(Err(Violation::of(
                Law::ComesToRest,
                "the process does not close",
            )));
        }
        self.is_at_rest = true;
        Ended::Again
    }

    /// A last process, which only looks: is everything there?
    async fn look_back(&mut self, process: &Rc<Process>) -> Ended {
        let verified = verify(process).await;
        self.setting.outside.hold(verified);
        match digest(process).await {
            Ok(digest) => self.digest = digest,
            Err(violation) => self.setting.outside.hold(Err(violation)),
        }
        Ended::Over
    }
}

/// What a fault does to a process.
enum Struck {
    GoesOn,
    Ended,
    TakenOver,
}

/// A process that was taken over goes on for a while, and somebody who has not heard of it asks
/// something of it.
async fn linger(old: Rc<Process>, lasts: Duration) {
    let asking = crate::machine::ask_in_vain(&old);
    let _asked = tokio::time::timeout(lasts, asking).await;
    tokio::time::sleep(lasts).await;
    old.kill();
}

/// The digest of all logs: their last links.
async fn digest(process: &Process) -> Result<Digest, Violation> {
    let broken =
        |error: folkmoot::core::port::ReadError| Violation::of(Law::StoreWhole, error.to_string());
    let mut parts = Vec::new();
    for entry in recover(&process.outside, &process.store).await? {
        let stored = process
            .store
            .read(entry.world, Position::new(1))
            .await
            .map_err(broken)?;
        let stored: Vec<_> = stored.try_collect().await.map_err(broken)?;
        parts.extend(stored.iter().map(|stored| *stored.link.as_bytes()));
    }
    let parts: Vec<&[u8]> = parts.iter().map(<[u8; 32]>::as_slice).collect();
    Ok(Digest::of(&parts))
}
