//! One process: a store, a runtime, its rooms and whoever is in them.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::Position;
use folkmoot::core::port::{EventLog as _, Labels, Signer, WorldEntry};
use folkmoot::store::Driver;
use folkmoot::{Runtime, Store};
use futures::TryStreamExt as _;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use super::cast::Cast;
use super::disk::{Platter, SimDisk};
use super::lots::writing_time;
use super::outside::Outside;
use super::room::{self, RoomPlan};
use super::tenure::PulseTenure;
use super::witness::Witness;
use super::{follow, people};
use crate::law::{Law, Violation};
use crate::story::Story;

/// How many worlds are listed at once.
const WORLDS_MAX: usize = 1_000;

/// Whether a process still counts.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    /// An append waits for the disk.
    pub(crate) appended: Notify,
    /// Wakes whoever waits for the store to stop.
    pub(crate) stops: Notify,
    has_stopped: AtomicBool,
    is_taken_over: AtomicBool,
    has_lost: watch::Sender<bool>,
    is_closing: AtomicBool,
}

impl Pulse {
    /// Its store has stopped.
    pub(crate) fn stop(&self) {
        self.has_stopped.store(true, Ordering::Relaxed);
        self.stops.notify_one();
    }

    /// Another process has taken its store over.
    pub(crate) fn take_over(&self) {
        self.is_taken_over.store(true, Ordering::Relaxed);
    }

    /// It loses its rooms, and learns so.
    pub(crate) fn lose(&self) {
        self.has_lost.send_replace(true);
    }

    /// Tells whether it has lost its rooms.
    pub(crate) fn has_lost(&self) -> bool {
        *self.has_lost.borrow()
    }

    /// Waits until it loses its rooms.
    pub(super) async fn loses(&self) {
        let mut lost = self.has_lost.subscribe();
        // The sender lives as long as whoever waits.
        let _lost = lost.wait_for(|lost| *lost).await;
    }

    /// It is being closed.
    pub(crate) fn close(&self) {
        self.is_closing.store(true, Ordering::Relaxed);
    }

    /// Tells whether another process has taken its store over.
    pub(crate) fn is_taken_over(&self) -> bool {
        self.is_taken_over.load(Ordering::Relaxed)
    }

    /// Tells whether its store has stopped.
    pub(crate) fn has_stopped(&self) -> bool {
        self.has_stopped.load(Ordering::Relaxed)
    }

    /// Tells whether its worlds have a reason to stop.
    pub(crate) fn is_ending(&self) -> bool {
        self.has_stopped() || self.is_taken_over() || self.is_closing.load(Ordering::Relaxed)
    }
}

/// What every process of a story has in common.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) story: Rc<Story>,
    pub(crate) plans: Rc<Vec<Rc<RoomPlan>>>,
    pub(crate) platter: Arc<Platter>,
    pub(crate) outside: Arc<Outside>,
    pub(crate) signer: Option<Arc<dyn Signer>>,
    pub(crate) idle_close: Option<Duration>,
    /// True if processes take rooms before they open them, and may lose them.
    pub(crate) are_taken: bool,
}

/// One process.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) setting: Setting,
    pub(crate) outside: Arc<Outside>,
    pub(crate) pulse: Arc<Pulse>,
    pub(crate) store: Store,
    pub(crate) runtime: Runtime,
    driver: RefCell<Option<Driver>>,
    /// Its people, its keepers and its disk.
    tasks: RefCell<JoinSet<()>>,
}

impl Process {
    /// Starts the process `number`: opens the store and looks at what is in it. `None` if the store
    /// does not open because the disk fails.
    pub(crate) async fn start(setting: &Setting, number: u64) -> Option<Rc<Self>> {
        let outside = Arc::clone(&setting.outside);
        let disk = Arc::new(SimDisk::of(&setting.platter, number));
        let opened = Store::simulated(
            Arc::clone(&disk) as _,
            setting.story.seed.wrapping_add(number << 32),
        );
        let (store, driver) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                if !disk.has_failed() {
                    let what = folkmoot::core::port::causes::with_causes(&error);
                    outside.hold(Err(Violation::of(Law::StoreWhole, what)));
                }
                return None;
            }
        };
        disk.opened();
        let pulse = Arc::new(Pulse::default());
        outside.hold(recover(&outside, &store).await.map(|_| ()));
        let witness = Witness {
            outside: Arc::clone(&outside),
            pulse: Arc::clone(&pulse),
        };
        let folder = setting
            .plans
            .iter()
            .find_map(|plan| plan.folder().map(Path::to_owned));
        let builder = Runtime::builder(&store)
            .machine_clock(Arc::new(outside.clock.clone()))
            .assembler(Cast {
                folder,
                outside: Arc::clone(&outside),
                pulse: Arc::clone(&pulse),
            })
            .counted_seeds(setting.story.seed.wrapping_add(number))
            .idle_close(setting.idle_close);
        let builder = match &setting.signer {
            Some(signer) => builder.signer(Arc::clone(signer)),
            None => builder,
        };
        let runtime = if setting.are_taken {
            let tenures = PulseTenure(Arc::clone(&pulse));
            builder.tenures(Arc::new(tenures)).build()
        } else {
            builder.build()
        };
        let runtime = runtime.through(Arc::new(witness));
        let process = Self {
            setting: setting.clone(),
            outside,
            pulse,
            store,
            runtime,
            driver: RefCell::new(Some(driver)),
            tasks: RefCell::default(),
        };
        Some(Rc::new(process))
    }

    /// Begins everything that goes on in it.
    pub(crate) fn begin(self: &Rc<Self>) {
        self.spawn(drive(Rc::clone(self)));
        for plan in self.setting.plans.iter() {
            self.spawn(room::keep(Rc::clone(self), Rc::clone(plan)));
        }
        self.spawn(people::act(Rc::clone(self)));
        self.spawn(people::settle_now_and_then(Rc::clone(self)));
        let followers = self.outside.books().followers.len();
        for number in 0..followers {
            self.spawn(follow::follow(Rc::clone(self), number));
        }
    }

    /// Does something as long as the process lives.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.tasks.borrow_mut().spawn_local(task);
    }

    /// Ends people and keepers; the disk still turns.
    pub(crate) fn leave_alone(self: &Rc<Self>) {
        *self.tasks.borrow_mut() = JoinSet::new();
        self.spawn(drive(Rc::clone(self)));
    }

    /// Closes it in good order.
    pub(crate) async fn close(self: &Rc<Self>) {
        self.pulse.close();
        self.leave_alone();
        self.runtime.shutdown().await;
        let driver = self.driver.borrow_mut().take();
        if let Some(Err(error)) = driver.map(Driver::close)
            && !self.pulse.has_stopped()
        {
            tracing::debug!(%error, "the store closed in bad order");
        }
    }

    /// Ends it at once.
    pub(crate) fn kill(&self) {
        *self.tasks.borrow_mut() = JoinSet::new();
        *self.driver.borrow_mut() = None;
    }

    fn step(&self) {
        if let Some(driver) = self.driver.borrow_mut().as_mut() {
            driver.step();
        }
    }

    fn has_work(&self) -> bool {
        self.driver.borrow().as_ref().is_some_and(Driver::has_work)
    }
}

/// Turns the disk: what waits is written, after a while.
async fn drive(process: Rc<Process>) {
    let outside = Arc::clone(&process.outside);
    let platter = Arc::clone(&process.setting.platter);
    let mut lots = outside.lots("disk");
    loop {
        while process.has_work() {
            tokio::time::sleep(writing_time(&mut lots).saturating_add(platter.more())).await;
            process.step();
        }
        process.pulse.appended.notified().await;
    }
}

/// The worlds of a store, each with all of its commits, held against the books.
pub(crate) async fn recover(
    outside: &Outside,
    store: &Store,
) -> Result<Vec<WorldEntry>, Violation> {
    let broken =
        |error: folkmoot::core::port::ReadError| Violation::of(Law::StoreWhole, error.to_string());
    let worlds = store
        .worlds(&Labels::new(), None, WORLDS_MAX)
        .await
        .map_err(broken)?;
    let ids: Vec<_> = worlds.iter().map(|entry| entry.world).collect();
    outside.books().checker.opened(&ids)?;
    for entry in &worlds {
        let stored = store
            .read(entry.world, Position::new(1))
            .await
            .map_err(broken)?;
        let log: Vec<Commit> = stored
            .map_ok(|stored| stored.commit)
            .try_collect()
            .await
            .map_err(broken)?;
        let mut books = outside.books();
        books.checker.recovered(entry.world, &log)?;
        books.ledger.check(&entry.name, &log)?;
    }
    Ok(worlds)
}
