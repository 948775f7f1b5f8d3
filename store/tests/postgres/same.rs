//! The ledger in PostgreSQL beside the one in memory: random operations, each on both, with the same answers.
//!
//! An operation has no precondition: those that cannot succeed have to fail alike.

use std::collections::BTreeSet;
use std::fmt::{Debug, Write as _};
use std::time::Duration;

use folkmoot_core::event::Labelled;
use folkmoot_core::ids::{AskId, Digest, Incarnation, NodeId, Position, Time, WorldId, WorldName};
use folkmoot_core::port::{
    Ask, AsksWanted, Inbox as _, Labels, MemberError, Members as _, NodeCard, Renewal, WaitingAsk,
};
use folkmoot_store::{
    BesideRow, Birth, BlobTable as _, CheckpointRow, CheckpointTable as _, Demands, GoneRange,
    LedgerEntry, LedgerError, LedgerUpkeep as _, MemoryLedger, NewRow, PieceMax, PostgresLedger,
    PutRange, Register as _, Rewrite, Row, RowChain, RowRange, Rows as _, SharedRecord,
    SharedRecords as _,
};
use uuid::Uuid;

use crate::clock::Clock;
use crate::rows::open;
use crate::server::shared;

/// The cases; more by a variable.
fn cases() -> u64 {
    let asked = std::env::var("FOLKMOOT_POSTGRES_CASES").ok();
    asked.map_or(40, |asked| asked.parse().unwrap())
}

/// The operations of a case.
const STEPS: usize = 60;

const WORLDS: u64 = 5;
const NODES: u64 = 3;
/// How far time goes at once, and how long members live.
const HOP: Duration = Duration::from_secs(60);
const TTL: Duration = Duration::from_secs(200);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_ledgers_answer_the_same() {
    let Some(server) = shared("the ledgers in PostgreSQL and in memory") else {
        return;
    };
    for case in 0..cases() {
        let url = server.url();
        let both = Both {
            memory: MemoryLedger::default(),
            postgres: open(&url).await,
        };
        let clock = Clock::of(server, &url).await;
        let mut trial = Trial {
            both,
            dice: Dice(case.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            sent: Vec::new(),
            story: String::new(),
        };
        for step in 0..STEPS {
            if step % 3 == 0 {
                trial.both.memory.advance(HOP);
                clock.set(trial.both.memory.now()).await;
            }
            if let Err(difference) = trial.step().await {
                panic!("case {case}\n{}{difference}", trial.story);
            }
        }
    }
}

struct Both {
    memory: MemoryLedger,
    postgres: PostgresLedger,
}

struct Trial {
    both: Both,
    dice: Dice,
    /// Chains that were sent before, to be sent again.
    sent: Vec<(NodeId, Vec<RowChain>)>,
    /// All that was asked so far.
    story: String,
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn world(&mut self) -> WorldId {
        WorldId(Uuid::from_u128(1 + u128::from(self.below(WORLDS))))
    }

    fn node(&mut self) -> NodeId {
        NodeId(Uuid::from_u128(100 + u128::from(self.below(NODES))))
    }

    fn ask(&mut self) -> AskId {
        AskId(Uuid::from_u128(200 + u128::from(self.below(6))))
    }

    fn name(&mut self) -> WorldName {
        // Sorted by bytes, not by any language's rules.
        let names = ["B", "a", "a-b", "a_b", "ab"];
        WorldName::new(names[self.below(5) as usize]).unwrap()
    }

    fn digest(&mut self) -> Digest {
        Digest::of(&[&self.below(5).to_be_bytes()])
    }

    fn position(&mut self) -> Position {
        Position::new(self.below(14))
    }

    fn bytes(&mut self, max: u64) -> Vec<u8> {
        let len = self.below(max + 1);
        (0..len).map(|_| self.below(256) as u8).collect()
    }

    fn labels(&mut self) -> Labels {
        let values = ["x", "y\u{1}", "ö"];
        let count = self.below(3);
        (0..count)
            .map(|_| {
                let key = ["k", "l"][self.below(2) as usize];
                (key.to_owned(), values[self.below(3) as usize].to_owned())
            })
            .collect()
    }

    fn things(&mut self) -> BTreeSet<String> {
        let things = ["base:a", "base:\0", "base:\u{1}0"];
        let count = self.below(3);
        (0..count)
            .map(|_| things[self.below(3) as usize].to_owned())
            .collect()
    }

    fn row(&mut self, world: WorldId, first: u64) -> NewRow {
        let last = first + self.below(3);
        let mut record = vec![0; 4];
        record.extend_from_slice(Digest::of(&[&self.below(1_000).to_be_bytes()]).as_bytes());
        record.extend(self.bytes(20));
        let beside = (first..=last)
            .filter(|_| self.once_in(5))
            .collect::<Vec<_>>();
        let beside = beside.into_iter().map(|at| BesideRow {
            at: Position::new(at),
            bytes: self.bytes(30),
        });
        let beside = beside.collect();
        NewRow {
            row: Row {
                world,
                first: Position::new(first),
                last: Position::new(last),
                time: Time(self.below(1_000)),
                incarnation: Incarnation(self.below(4) as u32),
                key: None,
                record,
                beside,
            },
            gone: (0..self.below(3)).map(|_| self.position()).collect(),
            labelled: self.once_in(4).then(|| Labelled {
                owner: self.once_in(2).then(|| "ada".to_owned()),
                labels: self.labels(),
            }),
            demands: self.once_in(4).then(|| Demands {
                needs: self.once_in(2).then(|| self.things()),
                schema: self.below(3) as u32,
            }),
            birth: None,
        }
    }
}

type Outcome = Result<(), String>;

/// Compares two answers. Of an error counts what the caller can do about it, and a refusal's reason.
fn same<T: Debug>(memory: T, postgres: T) -> Outcome {
    let (memory, postgres) = (format!("{memory:?}"), format!("{postgres:?}"));
    if memory == postgres {
        return Ok(());
    }
    Err(format!("memory:   {memory}\npostgres: {postgres}\n"))
}

macro_rules! both {
    ($trial:ident, $method:ident($($value:expr),*)) => {{
        let words = concat!(stringify!($method), "(");
        write!($trial.story, "{words}").unwrap();
        $(write!($trial.story, "{:?}, ", $value).unwrap();)*
        let memory = $trial.both.memory.$method($($value),*).await;
        let postgres = $trial.both.postgres.$method($($value),*).await;
        writeln!($trial.story, ") gave {memory:?}").unwrap();
        (memory, postgres)
    }};
}

impl Trial {
    async fn step(&mut self) -> Outcome {
        match self.dice.below(11) {
            0..=4 => self.append().await,
            5 => self.members().await,
            6 => self.inbox().await,
            7 => self.tables().await,
            8 => self.upkeep().await,
            9 => self.shared().await,
            _ => Ok(()),
        }?;
        self.look().await
    }

    async fn append(&mut self) -> Outcome {
        let (node, chains) = if self.dice.once_in(5) && !self.sent.is_empty() {
            let place = self.dice.below(self.sent.len() as u64) as usize;
            self.sent[place].clone()
        } else {
            let mut node = self.dice.node();
            let count = 1 + self.dice.below(3);
            let worlds: BTreeSet<WorldId> = (0..count).map(|_| self.dice.world()).collect();
            let mut chains = Vec::new();
            for world in worlds {
                let entry = self.both.memory.entry(world).await.unwrap();
                let holder = entry.as_ref().and_then(|entry| entry.holder);
                if let Some(holder) = holder.filter(|_| !self.dice.once_in(6)) {
                    node = holder;
                }
                chains.push(self.chain(world, entry).await);
            }
            (node, chains)
        };
        self.sent.push((node, chains.clone()));
        let (memory, postgres) = both!(self, append(node, &chains));
        same(memory, postgres)
    }

    async fn chain(&mut self, world: WorldId, entry: Option<LedgerEntry>) -> RowChain {
        let is_birth = entry.is_none() != self.dice.once_in(12);
        if is_birth {
            return self.birth(world).await;
        }
        let last = self.both.memory.last(world).await.unwrap();
        let (mut prev, mut first) =
            last.map_or((1, 2), |last| (last.first.get(), last.last.get() + 1));
        if self.dice.once_in(8) {
            first = prev + 1 + self.dice.below(3);
        }
        if self.dice.once_in(8) {
            prev = (prev - 1).max(1);
        }
        let mut rows = Vec::new();
        let mut at = first;
        for _ in 0..1 + self.dice.below(3) {
            let row = self.dice.row(world, at);
            at = row.row.last.get() + 1;
            rows.push(row);
        }
        rows[0].row.key = self.dice.once_in(3).then(|| self.dice.digest());
        RowChain {
            world,
            prev: Position::new(prev),
            rows,
        }
    }

    async fn birth(&mut self, world: WorldId) -> RowChain {
        let parent = self.dice.world();
        let head = self.both.memory.last(parent).await.unwrap();
        let is_fork = self.dice.once_in(3) && parent != world;
        let base = is_fork.then(|| (parent, head.map_or(Position::new(1), |last| last.last)));
        let mut first = base.map_or(1, |(_, at)| at.get() + 1);
        if self.dice.once_in(10) {
            first += 1;
        }
        let mut row = self.dice.row(world, first);
        row.row.key = self.dice.once_in(3).then(|| self.dice.digest());
        row.birth = Some(Birth {
            name: self.dice.name(),
            base,
            is_sealed: self.dice.once_in(2),
        });
        RowChain {
            world,
            prev: Position::ZERO,
            rows: vec![row],
        }
    }

    async fn members(&mut self) -> Outcome {
        let node = self.dice.node();
        match self.dice.below(7) {
            0 | 1 => {
                let card = NodeCard {
                    node,
                    name: "n\0".to_owned(),
                    offers: self.dice.things(),
                    schema: self.dice.below(3) as u32,
                    room: 3,
                    draining: self.dice.once_in(3),
                    advertise: self.dice.once_in(2).then(|| "http://x".to_owned()),
                };
                let (memory, postgres) = both!(self, join(&card, TTL));
                same(memory, postgres)
            }
            2 => {
                let renewal = Renewal {
                    node,
                    room: 7,
                    draining: self.dice.once_in(2),
                    ttl: TTL,
                };
                let (memory, postgres) = both!(self, renew(renewal));
                same(memory, postgres)
            }
            3 => {
                let (memory, postgres) = both!(self, leave(node));
                same(memory, postgres)
            }
            4 => {
                let (memory, postgres) = both!(self, reap());
                same(memory, postgres)
            }
            5 => {
                let limit = self.dice.below(4) as usize;
                let (memory, postgres) = both!(self, claim(node, limit));
                same(memory, postgres)
            }
            _ => {
                let world = self.dice.world();
                let now = self.both.memory.now();
                let dues = [None, Some(Time(0)), Some(now), Some(now.after(HOP))];
                let due = dues[self.dice.below(4) as usize];
                if self.dice.once_in(2) {
                    let (memory, postgres) = both!(self, release(node, world, due));
                    return same(memory, postgres);
                }
                let (memory, postgres) = both!(self, take(node, world));
                same(memory, postgres)
            }
        }
    }

    async fn inbox(&mut self) -> Outcome {
        let id = self.dice.ask();
        match self.dice.below(3) {
            0 => {
                let (memory, postgres) = both!(self, answer(id, vec![1, 0]));
                same(memory, postgres)
            }
            _ => {
                let ask = Ask {
                    id,
                    world: self.dice.world(),
                    command: self.dice.bytes(10),
                    principal: self.dice.once_in(2).then(Vec::new),
                };
                let (memory, postgres) = both!(self, ask(&ask));
                same(memory, postgres)
            }
        }
    }

    async fn tables(&mut self) -> Outcome {
        let world = self.dice.world();
        match self.dice.below(6) {
            5 => {
                let blobs = [self.dice.digest(), self.dice.digest()];
                let (memory, postgres) = both!(self, touch_blobs(world, &blobs));
                same(memory, postgres)
            }
            0 => {
                let blob = self.dice.digest();
                let bytes = self.dice.bytes(50);
                let (memory, postgres) = both!(self, put_blob(world, blob, bytes.clone()));
                same(memory, postgres)
            }
            1 => {
                let blobs = [self.dice.digest(), self.dice.digest()];
                let blobs = if blobs[0] == blobs[1] {
                    &blobs[..1]
                } else {
                    &blobs
                };
                let before = self.both.memory.now();
                let (memory, postgres) = both!(self, remove_blobs(world, blobs, before));
                same(memory, postgres)
            }
            2 => {
                let at = [self.dice.position(), self.dice.position()];
                let (memory, postgres) = both!(self, remove_checkpoints(world, &at));
                same(memory, postgres)
            }
            _ => {
                let row = CheckpointRow {
                    world,
                    at: self.dice.position(),
                    incarnation: Incarnation(self.dice.below(5) as u32),
                    decider: self.dice.digest(),
                    link: self.dice.digest(),
                    state: self.dice.bytes(30),
                };
                let (memory, postgres) = both!(self, save_checkpoint(row.clone()));
                same(memory, postgres)
            }
        }
    }

    async fn shared(&mut self) -> Outcome {
        let kind = ["token", "session"][self.dice.below(2) as usize];
        let key = self.dice.below(3).to_be_bytes();
        let no_key: Option<&[u8]> = None;
        let no_name: Option<&WorldName> = None;
        if self.dice.once_in(4) {
            let (memory, postgres) = both!(self, remove_shared(kind, &key));
            same(memory, postgres)?;
        } else {
            let [value, stands] = [0, 1].map(|_| vec![self.dice.below(3) as u8]);
            let record = SharedRecord {
                kind: kind.to_owned(),
                key: key.to_vec(),
                value,
            };
            let replaces = self.dice.once_in(2).then_some(&stands[..]);
            let (memory, postgres) = both!(self, put_shared(&record, replaces));
            same(memory, postgres)?;
        }
        let (memory, postgres) = both!(self, all_shared(kind, no_key, 9));
        same(memory, postgres)?;
        let (memory, postgres) = both!(self, shared_version(kind));
        same(memory, postgres)?;
        let since = Time(self.dice.below(1_000));
        let (memory, postgres) = both!(self, grown(("ada", since), no_name, 9));
        same(memory, postgres)
    }

    async fn upkeep(&mut self) -> Outcome {
        let world = self.dice.world();
        let node = self.dice.node();
        match self.dice.below(6) {
            0 => {
                let reach = self.dice.bytes(9);
                let (memory, postgres) = both!(self, save_reach(node, world, reach.clone()));
                same(memory, postgres)
            }
            1 => self.rewrite(world).await,
            2 => {
                let worlds = [world, self.dice.world()];
                let (memory, postgres) = both!(self, bar(&worlds));
                same(memory, postgres)
            }
            3 => self.copy_base(world).await,
            4 => {
                let mut worlds = vec![(world, self.dice.bytes(4))];
                let other = self.dice.world();
                if other != world && self.dice.once_in(2) {
                    worlds.push((other, Vec::new()));
                }
                let entry = self.both.memory.entry(world).await.unwrap();
                let node = entry.and_then(|entry| entry.holder).unwrap_or(node);
                let (memory, postgres) = both!(self, delete(node, &worlds));
                same(memory, postgres)
            }
            _ => {
                let by = self.dice.position();
                let files = self.dice.below(5);
                let (memory, postgres) = both!(self, note_files(world, by, files));
                same(memory, postgres)
            }
        }
    }

    async fn rewrite(&mut self, world: WorldId) -> Outcome {
        let first = self.dice.position();
        let all = PieceMax {
            rows: 1,
            bytes: 1 << 20,
        };
        let stored = self.both.memory.read(world, first, all).await.unwrap();
        let mut record = stored
            .first()
            .map_or_else(Vec::new, |row| row.record.clone());
        record.truncate(36 + self.dice.below(4) as usize);
        if self.dice.once_in(4) {
            record.iter_mut().take(10).for_each(|byte| *byte ^= 1);
        }
        let first = stored.first().map_or(first, |row| row.first);
        let replaced = stored.first().filter(|_| !self.dice.once_in(4));
        let rewrite = Rewrite {
            world,
            first,
            replaces: replaced.map_or_else(|| self.dice.digest(), |row| Digest::of(&[&row.record])),
            record,
            without: vec![first, self.dice.position()],
        };
        let (memory, postgres) = both!(self, rewrite(rewrite.clone()));
        same(memory, postgres)
    }

    async fn copy_base(&mut self, fork: WorldId) -> Outcome {
        let entry = self.both.memory.entry(fork).await.unwrap();
        let base = entry.and_then(|entry| entry.base);
        let of = base.map(|base| RowRange {
            world: base.parent,
            from: Position::new(1),
            to: base.at,
        });
        let (memory, postgres) = both!(self, copy_base(fork, of.as_slice()));
        same(memory, postgres)
    }

    /// Looks at one thing that is there, and at all worlds.
    async fn look(&mut self) -> Outcome {
        let world = self.dice.world();
        let at = self.dice.position();
        let most = PieceMax {
            rows: self.dice.below(4) as usize,
            bytes: self.dice.below(200) as usize,
        };
        let (memory, postgres) = both!(self, read(world, at, most));
        same(memory, postgres)?;
        let (memory, postgres) = both!(self, read_back(world, at, most));
        same(memory, postgres)?;
        let (memory, postgres) = both!(self, last(world));
        same(memory, postgres)?;
        let key = self.dice.digest();
        let (memory, postgres) = both!(self, by_key(world, key));
        same(memory, postgres)?;
        let range = GoneRange {
            from: at,
            to: self.dice.position(),
            until: self.dice.position(),
        };
        let (memory, postgres) = both!(self, gone(world, range));
        same(memory, postgres)?;
        self.look_at_worlds(world).await?;
        self.look_at_tables(world).await?;
        self.look_at_members().await
    }

    async fn look_at_worlds(&mut self, world: WorldId) -> Outcome {
        let none = Labels::new();
        let (memory, postgres) = both!(self, worlds(&none, None::<&WorldName>, 100));
        same(memory, postgres)?;
        let labels = self.dice.labels();
        let after = self.dice.name();
        let limit = self.dice.below(3) as usize;
        let (memory, postgres) = both!(self, worlds(&labels, Some(&after), limit));
        same(memory, postgres)?;
        let (memory, postgres) = both!(self, find(&after));
        same(memory, postgres)?;
        let (memory, postgres) = both!(self, forks(world));
        same(memory, postgres)?;
        let heads = [world, self.dice.world()];
        let (memory, postgres) = both!(self, heads(&heads));
        let sorted = |heads: Result<Vec<(WorldId, Position)>, LedgerError>| {
            heads.map(|mut heads| {
                heads.sort_unstable();
                heads
            })
        };
        same(sorted(memory), sorted(postgres))?;
        let (memory, postgres) = both!(self, tombstones(Some(world), 2));
        same(memory, postgres)?;
        let (memory, postgres) = both!(self, tombstones(None::<WorldId>, 9));
        same(memory, postgres)
    }

    async fn look_at_tables(&mut self, world: WorldId) -> Outcome {
        let blob = self.dice.digest();
        let (memory, postgres) = both!(self, blob(world, blob));
        same(memory, postgres)?;
        let (memory, postgres) = both!(self, blob_size(world, blob));
        same(memory, postgres)?;
        let (memory, postgres) = both!(self, blobs(world, Some(blob), 2));
        same(memory, postgres)?;
        let range = PutRange {
            since: Time(
                self.both
                    .memory
                    .now()
                    .0
                    .saturating_sub(HOP.as_millis() as u64),
            ),
            before: Time(u64::MAX),
        };
        let (memory, postgres) = both!(self, puts(range, None::<(Time, WorldId)>, 2));
        same(memory, postgres)?;
        let (memory, postgres) = both!(self, checkpoints(world));
        same(memory, postgres)?;
        let at = self.dice.position();
        let (memory, postgres) = both!(self, checkpoint(world, at));
        same(memory, postgres)
    }

    async fn look_at_members(&mut self) -> Outcome {
        let (memory, postgres) = both!(self, nodes());
        same(memory, postgres)?;
        let node = self.dice.node();
        let limit = self.dice.below(4) as usize;
        let (memory, postgres) = both!(self, asks(node, AsksWanted::of_all(limit)));
        // The logins are each ledger's own.
        let asks = |asks: Result<Vec<WaitingAsk>, MemberError>| {
            asks.map(|asks| {
                let asks = asks.into_iter().map(|ask| (ask.ask, ask.asked));
                asks.collect::<Vec<_>>()
            })
        };
        same(asks(memory), asks(postgres))?;
        let ids = [self.dice.ask(), self.dice.ask()];
        let (memory, postgres) = both!(self, answers(&ids));
        same(memory, postgres)
    }
}
