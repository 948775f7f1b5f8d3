//! What is done to a store while it is recorded.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::Span;
use folkmoot::core::ids::principal::Principal;
use folkmoot::core::ids::{Digest, Position, Time};
use folkmoot::core::port::{Appended, Blobs as _, Checkpoints as _, Custody as _, EventLog as _};
use folkmoot::store::DeleteOrder;
use folkmoot::{OpenMode, Store};
use folkmoot_tests::Dice;
use futures::future::join_all;

use super::engine::{self, Engine};
use super::script::{FIRST, Script};
use super::trace::NOTES;
use crate::scale::mixed;

/// The variables that say what is done: the folder, the engine, the seed, and how often the process was killed before.
pub(crate) const ROOT: &str = "CUTS_ROOT";
pub(crate) const ENGINE: &str = "CUTS_ENGINE";
pub(crate) const SEED: &str = "CUTS_SEED";
pub(crate) const STAGE: &str = "CUTS_STAGE";

/// The store in the folder: it makes the folders above.
pub(crate) const STORE: &str = "data/store";

/// Plays a stage.
pub(crate) async fn play() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let number = |name: &str| variable(name).parse::<u64>().unwrap();
    let (root, script) = (PathBuf::from(variable(ROOT)), Script { seed: number(SEED) });
    let notes = File::options()
        .append(true)
        .create(true)
        .open(root.join(NOTES))
        .unwrap();
    let dice = Dice::new(mixed(script.seed ^ mixed(number(STAGE))));
    let engine = Engine::named(&variable(ENGINE));
    let mut player = Player {
        root,
        engine,
        script,
        notes,
        dice,
        store: None,
        heads: Vec::new(),
    };
    player.open().await;
    for _ in 0..8 + player.dice.below(10) {
        player.deed().await;
    }
    player.close();
}

struct Player {
    root: PathBuf,
    engine: Engine,
    script: Script,
    notes: File,
    dice: Dice,
    store: Option<Store>,
    /// The worlds that there are, or can be, with their last events.
    heads: Vec<(u8, u64)>,
}

impl Player {
    /// Writes down that something is done, or begun.
    fn note(&self, line: impl Into<String>) {
        note(&self.notes, line.into());
    }

    fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }

    async fn open(&mut self) {
        let store = engine::open(self.engine, &self.root.join(STORE), OpenMode::Create).unwrap();
        if self.dice.happens(50) {
            // On a quick disk most appends of a burst would have a barrier of their own.
            store.gather_appends();
        }
        let deleted = store.deleted().await.unwrap();
        self.heads.clear();
        for world in self.script.worlds() {
            let id = self.script.id(world);
            if deleted.iter().all(|tombstone| tombstone.world != id) {
                let found = store.find(&self.script.name(world)).await.unwrap();
                self.heads
                    .push((world, found.map_or(0, |entry| entry.head.get())));
            }
        }
        self.store = Some(store);
        self.note("open");
    }

    fn close(&mut self) {
        self.store.take().unwrap().close().unwrap();
    }

    async fn deed(&mut self) {
        match self.dice.below(100) {
            0..=64 => self.burst().await,
            65..=72 => self.sign().await,
            73..=79 => self.save().await,
            80..=86 => {
                self.close();
                self.open().await;
            }
            87..=93 => self.erase().await,
            94..=96 => self.delete().await,
            _ => self.back_up().await,
        }
    }

    /// Some worlds say some things at once.
    async fn burst(&mut self) {
        let mut counts = Vec::new();
        for _ in &self.heads {
            counts.push(if self.dice.happens(60) {
                1 + self.dice.below(6)
            } else {
                0
            });
        }
        let (store, script, notes) = (self.store.clone().unwrap(), self.script, &self.notes);
        let speak = self
            .heads
            .iter_mut()
            .zip(counts)
            .map(|((world, head), count)| {
                let (store, world) = (&store, *world);
                async move {
                    let mut left = count;
                    while left > 0 {
                        // A commit that opens a world comes alone, others up to three at once.
                        let most = if *head == 0 {
                            1
                        } else {
                            1 + (*head % 3) as usize
                        };
                        let (mut commits, mut last) = (Vec::new(), *head + 1);
                        for _ in 0..left.min(most) {
                            let first = *head + 1;
                            let commit = script.commit(world, first);
                            if !commits.is_empty() && commit.header.key.is_some() {
                                break;
                            }
                            if let Some(bytes) = script.blob(world, first) {
                                store.put(script.id(world), bytes).await.unwrap();
                                note(notes, format!("blob {world} {first}"));
                            }
                            *head += commit.events.len() as u64;
                            last = first;
                            commits.push(commit);
                        }
                        left -= commits.len();
                        let link = append(store, commits).await;
                        note(notes, format!("done {world} {last} {link}"));
                    }
                }
            });
        join_all(speak).await;
    }

    /// One of the worlds that have so many events.
    fn one_with(&mut self, events: u64) -> Option<usize> {
        let known: Vec<usize> = (0..self.heads.len())
            .filter(|at| self.heads[*at].1 >= events)
            .collect();
        if known.is_empty() {
            None
        } else {
            Some(*self.dice.one(&known))
        }
    }

    async fn sign(&mut self) {
        let Some(at) = self.one_with(1) else { return };
        let (world, head) = self.heads[at];
        let tree = self.store().tree_head(self.script.id(world)).await.unwrap();
        self.note(format!(
            "head {world} {} {} {}",
            head + 1,
            tree.commits,
            tree.root
        ));
        let link = append(
            self.store(),
            vec![self.script.head_signed(world, head + 1, tree)],
        )
        .await;
        self.note(format!("done {world} {} {link}", head + 1));
        self.heads[at].1 += 1;
    }

    async fn save(&mut self) {
        let Some(at) = self.one_with(1) else { return };
        let (world, head) = self.heads[at];
        let state = self
            .script
            .canary(world, head)
            .into_bytes()
            .repeat(1 + self.dice.below(2_000));
        let decider = Digest::of(&[b"rules"]);
        self.store()
            .save(self.script.id(world), Position::new(head), decider, state)
            .await
            .unwrap();
    }

    async fn erase(&mut self) {
        let Some(at) = self.one_with(8) else { return };
        let (world, head) = self.heads[at];
        let from = 3 + self.dice.below(head as usize - 3) as u64;
        let to = from + self.dice.below((head - from) as usize + 1) as u64;
        let (by, span) = (
            head + 1,
            Span {
                from: Position::new(from),
                to: Position::new(to),
            },
        );
        self.note(format!("ask {world} {by} {from} {to}"));
        let link = append(self.store(), vec![self.script.erasure(world, by, span)]).await;
        self.note(format!("done {world} {by} {link}"));
        self.heads[at].1 += 1;
        self.note(format!("erasing {world} {from} {to}"));
        self.store()
            .erase(self.script.id(world), &[span], Position::new(by))
            .await
            .unwrap();
        self.note(format!("erased {world} {from} {to}"));
    }

    async fn delete(&mut self) {
        let Some(at) = self.one_with(1).filter(|_| self.heads.len() > 2) else {
            return;
        };
        let (world, _) = self.heads.remove(at);
        let order = DeleteOrder {
            by: Principal::World,
            at: Time(77),
        };
        self.note(format!("deleting {world}"));
        self.store()
            .delete(&[self.script.id(world)], &order)
            .await
            .unwrap();
        self.note(format!("deleted {world}"));
    }

    async fn back_up(&mut self) {
        let number = (0..)
            .find(|number| !backup(&self.root, *number).exists())
            .unwrap();
        let heads: Vec<String> = self
            .heads
            .iter()
            .map(|(world, head)| format!(" {world} {head}"))
            .collect();
        self.note(format!("backup {number}{}", heads.concat()));
        self.store()
            .backup(backup(&self.root, number))
            .await
            .unwrap();
        self.note(format!("backed {number}"));
    }
}

/// Where a backup is.
pub(crate) fn backup(root: &Path, number: u64) -> PathBuf {
    root.join(format!("backup-{number}"))
}

fn note(mut notes: &File, line: String) {
    notes.write_all((line + "\n").as_bytes()).unwrap();
}

/// Appends commits; gives the link of the last.
async fn append(store: &Store, commits: Vec<Commit>) -> Digest {
    match store.append(FIRST, commits).await.unwrap() {
        Appended::Committed { link } => link,
        Appended::Repeated(stored) => panic!("repeats {stored:?}"),
    }
}
