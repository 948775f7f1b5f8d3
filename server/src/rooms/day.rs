//! The use of a day by each principal, folded from the logs of the worlds that they own.
//!
//! A room is charged to its owner, whoever speaks in it. Days are those of UTC. Nothing is kept but
//! what the logs say: a server that starts again knows the same.

use std::collections::{BTreeSet, HashMap};

use folkmoot::core::event::{Event, MessagePosted, TalkEvent};
use folkmoot::core::ids::{Time, WorldId};
use folkmoot::core::port::{Clock as _, EventLog as _, Labels, WorldEntry};
use folkmoot::{Money, Position, SystemClock, WorldName, fold_world_from};
use futures::TryStreamExt as _;
use tokio::sync::Mutex;

use super::Lobby;
use crate::problem::{Problem, ProblemCode};
use crate::wire::time;

/// The length of a day, in milliseconds.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// The number of commits, or of worlds, that are read at a time.
const PAGE: usize = 200;

/// A limit of each principal and day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Daily {
    /// The worlds that were opened, with one more.
    WorldsOpened,
    /// The cost of models.
    Cost,
    /// The bytes of files that messages named, with so many more.
    BytesStored(u64),
}

/// The use of a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Used {
    worlds: u32,
    cost: Money,
    bytes: u64,
}

/// What was read of the logs. It only saves work.
#[derive(Debug, Default)]
pub(super) struct Days(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The names of the worlds of each owner, and of some that have another owner by now; `None`
    /// until all worlds were listed. Always empty over a store that nodes share: others open worlds there, too.
    owned: Option<HashMap<String, BTreeSet<WorldName>>>,
    /// The day that `worlds` is about, counted from 1970.
    day: u64,
    worlds: HashMap<WorldId, WorldDay>,
}

/// The day of a world. Each use is read on only when somebody asks for it: a post asks for the cost,
/// and does not wait for the log to be read.
#[derive(Debug, Clone)]
struct WorldDay {
    /// The head up to which the bytes are counted.
    counted: Position,
    /// The head at which the cost was read; none before the first time.
    priced: Option<Position>,
    is_new: bool,
    /// The cost up to midnight.
    before: Money,
    used: Used,
}

impl Lobby {
    /// Notes that there is a new world of `owner`.
    pub(crate) async fn own(&self, owner: String, name: WorldName) {
        if let Some(owned) = &mut self.days.0.lock().await.owned {
            owned.entry(owner).or_default().insert(name);
        }
    }

    /// Refuses what goes beyond a limit of the day of `owner`.
    ///
    /// # Errors
    /// [`ProblemCode::LimitReached`] names the limit and says when it begins anew.
    pub(crate) async fn check_day(&self, owner: &str, daily: Daily) -> Result<(), Problem> {
        let now = SystemClock.now();
        let used = self.used(owner, now, daily).await?;
        let limits = &self.rooms.limits;
        let (limit, is_over, most) = match daily {
            Daily::WorldsOpened => {
                let most = limits.worlds_opened_per_day;
                ("worlds_opened", used.worlds >= most, most.to_string())
            }
            Daily::Cost => {
                let most = limits.cost_per_day;
                ("cost", used.cost >= most, format!("{most} USD"))
            }
            Daily::BytesStored(more) => {
                let most = limits.bytes_stored_per_day;
                let all = used.bytes.saturating_add(more);
                ("bytes_stored", all > most, most.to_string())
            }
        };
        if !is_over {
            return Ok(());
        }
        self.metrics.limit(limit);
        let resets = Time((now.0 / DAY_MS + 1) * DAY_MS);
        let why = format!(
            "the owner has used up `{limit}` of the day ({most}); it begins anew at {}",
            time(resets)
        );
        Err(Problem::new(ProblemCode::LimitReached, why)
            .with("limit", limit)
            .with("resets", time(resets))
            .with("retry_after_s", (resets.0 - now.0).div_ceil(1_000)))
    }

    /// The use of a day, as far as `daily` is about it.
    async fn used(&self, owner: &str, now: Time, daily: Daily) -> Result<Used, Problem> {
        let mut known = self.days.0.lock().await;
        let day = now.0 / DAY_MS;
        if known.day != day {
            known.day = day;
            known.worlds.clear();
        }
        let mut used = Used::default();
        for entry in self.grown(&mut known, owner).await? {
            let mut world = match known.worlds.remove(&entry.world) {
                Some(world) => world,
                None => self.morning(&entry, day).await?,
            };
            match daily {
                Daily::WorldsOpened => {}
                Daily::Cost => self.price(&entry, &mut world).await?,
                Daily::BytesStored(_) => self.count(&entry, &mut world).await?,
            }
            used.worlds += u32::from(world.is_new);
            used.cost = used.cost.plus(world.used.cost);
            used.bytes = used.bytes.saturating_add(world.used.bytes);
            known.worlds.insert(entry.world, world);
        }
        Ok(used)
    }

    /// The worlds of `owner` that have grown on the day that `known` is about.
    async fn grown(&self, known: &mut Known, owner: &str) -> Result<Vec<WorldEntry>, Problem> {
        let store = &self.rooms.store;
        let midnight = Time(known.day * DAY_MS);
        if let Some(grown) = store.grown(owner, midnight).await? {
            return Ok(grown);
        }
        let owned = match &mut known.owned {
            Some(owned) => owned,
            none => none.insert(self.owned().await?),
        };
        let mut grown = Vec::new();
        for name in owned.get(owner).into_iter().flatten() {
            let entry = store.find(name).await?;
            let is_theirs = |entry: &WorldEntry| entry.owner.as_deref() == Some(owner);
            let has_grown = |entry: &WorldEntry| is_theirs(entry) && entry.time >= midnight;
            grown.extend(entry.filter(has_grown));
        }
        Ok(grown)
    }

    async fn owned(&self) -> Result<HashMap<String, BTreeSet<WorldName>>, Problem> {
        let mut owned = HashMap::<String, BTreeSet<WorldName>>::new();
        let mut after: Option<WorldName> = None;
        loop {
            let store = &self.rooms.store;
            let page = store.worlds(&Labels::new(), after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else {
                return Ok(owned);
            };
            after = Some(last.name.clone());
            for entry in page {
                if let Some(owner) = entry.owner {
                    owned.entry(owner).or_default().insert(entry.name);
                }
            }
        }
    }

    /// Reads the cost of a world's day.
    async fn price(&self, entry: &WorldEntry, world: &mut WorldDay) -> Result<(), Problem> {
        if world.priced != Some(entry.head) {
            let cost = self.cost(&entry.name).await?;
            world.used.cost = cost.minus(world.before);
            world.priced = Some(entry.head);
        }
        Ok(())
    }

    /// Counts the bytes of a world's day, from where they were counted.
    async fn count(&self, entry: &WorldEntry, world: &mut WorldDay) -> Result<(), Problem> {
        if world.counted < entry.head {
            let store = &self.rooms.store;
            let mut commits = store.read(entry.world, world.counted.next()).await?;
            while let Some(stored) = commits.try_next().await? {
                world.counted = stored.commit.last();
                world.used.bytes += stored.commit.events.iter().map(bytes_of).sum::<u64>();
            }
        }
        Ok(())
    }

    /// A world at the first event of the day.
    async fn morning(&self, entry: &WorldEntry, day: u64) -> Result<WorldDay, Problem> {
        let store = &self.rooms.store;
        let mut before = entry.head.next();
        let night = 'found: loop {
            let commits = store.read_back(entry.world, before, PAGE).await?;
            for stored in &commits {
                if stored.commit.header.stamp.time.0 / DAY_MS < day {
                    break 'found Some(stored.commit.last());
                }
                before = stored.commit.header.first;
            }
            if commits.is_empty() {
                break None;
            }
        };
        let spent = match night {
            Some(at) => {
                let world = fold_world_from(store, store, &entry.name, Some(at)).await?;
                world.meters().total.spent.total()
            }
            None => Money::ZERO,
        };
        Ok(WorldDay {
            counted: night.unwrap_or(Position::ZERO),
            priced: None,
            is_new: night.is_none(),
            before: spent,
            used: Used::default(),
        })
    }

    /// All that the models of a world have cost, with what is set aside for those under way.
    async fn cost(&self, name: &WorldName) -> Result<Money, Problem> {
        if let Some(world) = self.rooms.runtime.world(name) {
            let spent = |world: &folkmoot::core::world::World| world.meters().total.spent.total();
            return Ok(world.operator().read(spent).await?);
        }
        let store = &self.rooms.store;
        let world = fold_world_from(store, store, name, None).await?;
        Ok(world.meters().total.spent.total())
    }
}

/// The bytes of the files that a message names.
fn bytes_of(event: &Event) -> u64 {
    let Event::Talk(TalkEvent::MessagePosted(MessagePosted { body, .. })) = event else {
        return 0;
    };
    let body = body.present();
    body.map_or(0, |body| {
        body.attachments.iter().map(|file| file.bytes).sum()
    })
}
