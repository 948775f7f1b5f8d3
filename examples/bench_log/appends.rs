//! Durable appends per second, of one world and of many, beside the bare file.

use std::path::Path;
use std::time::{Duration, Instant};

use folkmoot::Store;
use folkmoot::core::command::CommandKind;
use folkmoot::core::command::commit::{Commit, CommitHeader};
use folkmoot::core::content::Content;
use folkmoot::core::event::{
    Author, ClockKind, Event, EventRecord, MessageBody, MessagePosted, Opened, StoredContent,
    TalkEvent, WorldEvent, WorldOpened,
};
use folkmoot::core::ids::principal::Principal;
use folkmoot::core::ids::{
    Digest, Incarnation, MessageId, NodeId, Position, Seed, Stamp, Time, WorldId, WorldName,
};
use folkmoot::core::port::EventLog as _;
use folkmoot::core::spec::SpecText;
use folkmoot::core::world::decider::decider_id;
use folkmoot::store::OpenMode;
use tokio::task::JoinSet;

use crate::args::Args;
use crate::stats::{grouped, rate};
use crate::table::Table;
use crate::{Fallible, MANY, bare, room};

const FIRST: Incarnation = Incarnation(1);

/// Counts and times of the turns so far.
#[derive(Default)]
pub(crate) struct Sum(u64, Duration);

impl Sum {
    /// Adds a turn.
    pub(crate) fn add(&mut self, (count, time): (u64, Duration)) {
        self.0 += count;
        self.1 += time;
    }

    /// Per second.
    pub(crate) fn rate(&self) -> f64 {
        rate(self.0, self.1)
    }
}

/// Lets the bare file and the store take turns.
pub(crate) async fn measure(args: &Args, dir: &Path, table: &mut Table) -> Fallible<()> {
    let store = Store::open(dir.join("appends"), OpenMode::Create)?;
    let record = record_bytes(&post(WorldId(Default::default()), 3)?)?;
    let (file, turn) = (dir.join("bare"), args.time / args.rounds);
    let (mut bare_one, mut one, mut bare_many, mut many) = <(Sum, Sum, Sum, Sum)>::default();
    let mut names = 0;
    for _ in 0..args.rounds {
        bare_one.add(bare::one(&file, &record, turn)?);
        one.add(append(&store, 1, turn, &mut names).await?);
        bare_many.add(bare::many(&file, &record, MANY, turn).await?);
        many.add(append(&store, MANY, turn, &mut names).await?);
    }
    let beside = |sum: &Sum| format!("bare file {}", grouped(sum.rate()));
    let ratio = |own: &Sum, file: &Sum| {
        format!("{} = {:.2}", grouped(own.rate()), own.rate() / file.rate())
    };
    table.row(
        &format!(
            "durable appends per second, 1 world, {} bytes each",
            record.len()
        ),
        &ratio(&one, &bare_one),
        &beside(&bare_one),
        "",
    );
    let what = format!("durable appends per second, {MANY} worlds");
    table.row(&what, &ratio(&many, &bare_many), &beside(&bare_many), "0.7");
    Ok(store.close()?)
}

/// Appends from `worlds` new worlds at once for `time`, each one commit after another.
async fn append(
    store: &Store,
    worlds: u64,
    time: Duration,
    names: &mut u64,
) -> Fallible<(u64, Duration)> {
    let mut ids = Vec::new();
    for _ in 0..worlds {
        *names += 1;
        let commit = creation(*names)?;
        ids.push(commit.header.world);
        store.append(FIRST, vec![commit]).await?;
    }
    let (started, mut tasks) = (Instant::now(), JoinSet::new());
    for id in ids {
        let store = store.clone();
        tasks.spawn(async move {
            let mut first = 3;
            while started.elapsed() < time {
                store.append(FIRST, vec![post(id, first)?]).await?;
                first += 1;
            }
            Fallible::Ok(first - 3)
        });
    }
    let mut count = 0;
    while let Some(joined) = tasks.join_next().await {
        count += joined??;
    }
    Ok((count, started.elapsed()))
}

/// The stored bytes of a commit's events, facts and content.
pub(crate) fn record_bytes(commit: &Commit) -> Fallible<Vec<u8>> {
    let mut bytes = Vec::new();
    for event in &commit.events {
        let EventRecord { facts, content, .. } = event.to_record()?;
        bytes.extend(facts);
        if let StoredContent::Present(content) = content {
            bytes.extend(content);
        }
    }
    Ok(bytes)
}

fn header(world: WorldId, first: u64) -> CommitHeader {
    // Seeds are random bytes: nothing that compresses.
    let mut seed = [0; 16];
    seed.iter_mut()
        .zip(Digest::of(&[&first.to_le_bytes()]).as_bytes())
        .for_each(|(to, from)| *to = *from);
    CommitHeader {
        world,
        first: Position::new(first),
        stamp: Stamp {
            time: Time(first),
            seed: Seed::new(seed),
        },
        principal: Principal::Runtime,
        cause: None,
        key: None,
        decider: decider_id(),
        command: CommandKind::PostMessage,
        residual: None,
    }
}

fn creation(number: u64) -> Fallible<Commit> {
    let stamp = Stamp {
        time: Time(number),
        seed: Seed::new([1; 16]),
    };
    let world = WorldId::from_stamp(&stamp);
    let opened = WorldOpened {
        world,
        name: WorldName::new(format!("appends-{number}"))?,
        clock: ClockKind::System,
        decider: decider_id(),
        base: None,
        source: None,
        spec_digest: Digest::of(&[]),
        spec: Box::default(),
        text: Content::Present(SpecText::default()),
    };
    let opening = Opened {
        incarnation: FIRST,
        node: NodeId::from_stamp(&stamp),
        base: None,
        signer: None,
    };
    Ok(Commit {
        header: header(world, 1),
        events: vec![
            Event::World(WorldEvent::WorldOpened(opened)),
            Event::World(WorldEvent::Opened(opening)),
        ],
    })
}

fn post(world: WorldId, first: u64) -> Fallible<Commit> {
    let body = MessageBody::text(format!("{first} {}", room::TEXT));
    let message = MessagePosted::said(
        MessageId(Position::new(first)),
        Author::Person(room::person()?),
        None,
        body,
    );
    Ok(Commit {
        header: header(world, first),
        events: vec![Event::Talk(TalkEvent::MessagePosted(message))],
    })
}
