//! Verifying a log of 1,000,000 events, beside bare SHA-256 and decoding of the same facts and content.
//!
//! `cargo bench -p folkmoot-store --bench verify`; `FOLKMOOT_EVENTS` is another number of events.
#![expect(clippy::print_stdout, reason = "it tells what it measured")]

use std::error::Error;
use std::time::{Duration, Instant};

use folkmoot_core::command::CommandKind;
use folkmoot_core::command::commit::{Commit, CommitHeader};
use folkmoot_core::content::Content;
use folkmoot_core::event::{
    Author, ClockKind, Event, EventRecord, MessageBody, MessagePosted, Opened, StoredContent,
    TalkEvent, WarningRecorded, WorldEvent, WorldOpened,
};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{
    Digest, Incarnation, MessageId, NodeId, PersonName, Position, Seed, Stamp, Time, WorldId,
    WorldName,
};
use folkmoot_core::port::EventLog as _;
use folkmoot_core::spec::SpecText;
use folkmoot_store::{Against, LogVerdict, OpenMode, Store, examine};
use futures::TryStreamExt as _;

const TEXT: &str = "The release notes are ready, the changelog has been read twice, and nobody has found a reason to wait \
     any longer; if the tests on the last two platforms are green by noon we tag it, and if one of them is not we say so.";

const STAMP: Stamp = Stamp {
    time: Time(1),
    seed: Seed::new([1; 16]),
};

type Fallible<T> = Result<T, Box<dyn Error>>;

fn header(first: u64) -> CommitHeader {
    CommitHeader {
        world: WorldId::from_stamp(&STAMP),
        first: Position::new(first),
        stamp: Stamp {
            time: Time(first),
            seed: Seed::new(std::array::from_fn(|at| (first >> at) as u8)),
        },
        principal: Principal::Runtime,
        cause: None,
        key: None,
        decider: Digest::of(&[b"rules"]),
        command: CommandKind::PostMessage,
        residual: None,
    }
}

fn creation() -> Fallible<Commit> {
    let opened = WorldOpened {
        world: WorldId::from_stamp(&STAMP),
        name: WorldName::new("bench")?,
        clock: ClockKind::System,
        decider: Digest::of(&[b"rules"]),
        base: None,
        source: None,
        spec_digest: Digest::of(&[b"spec"]),
        spec: Box::default(),
        text: Content::Present(SpecText::default()),
    };
    let opening = Opened {
        incarnation: Incarnation(1),
        node: NodeId::from_stamp(&STAMP),
        base: None,
        signer: None,
    };
    Ok(Commit {
        header: header(1),
        events: vec![
            Event::World(WorldEvent::WorldOpened(opened)),
            Event::World(WorldEvent::Opened(opening)),
        ],
    })
}

/// A commit of a message and a small event, as most commits are.
fn post(first: u64) -> Fallible<Commit> {
    let author = Author::Person(PersonName::new("Ada")?);
    let body = MessageBody::text(format!("{TEXT} {first}"));
    let message = MessagePosted::said(MessageId(Position::new(first)), author, None, body);
    let warning = WarningRecorded {
        code: "late".to_owned(),
        agent: None,
    };
    Ok(Commit {
        header: header(first),
        events: vec![
            Event::Talk(TalkEvent::MessagePosted(message)),
            Event::World(WorldEvent::WarningRecorded(warning)),
        ],
    })
}

/// The time that hashing and decoding take, and how many bytes there are.
async fn bare(store: &Store) -> Fallible<(Duration, Duration, usize)> {
    let (mut hashing, mut decoding, mut bytes) = (Duration::ZERO, Duration::ZERO, 0);
    let mut commits = store
        .read(WorldId::from_stamp(&STAMP), Position::new(1))
        .await?
        .try_chunks(4_096);
    while let Some(chunk) = commits.try_next().await? {
        let records = chunk
            .iter()
            .flat_map(|stored| &stored.commit.events)
            .map(Event::to_record);
        let records = records.collect::<Result<Vec<EventRecord>, _>>()?;
        let started = Instant::now();
        for record in &records {
            bytes += record.facts.len();
            std::hint::black_box(Digest::sha256(&record.facts));
            if let StoredContent::Present(content) = &record.content {
                bytes += content.len();
                std::hint::black_box(Digest::sha256(content));
            }
        }
        hashing += started.elapsed();
        let started = Instant::now();
        for record in records {
            std::hint::black_box(Event::from_record(record)?);
        }
        decoding += started.elapsed();
    }
    Ok((hashing, decoding, bytes))
}

fn rate(events: u64, time: Duration) -> f64 {
    events as f64 / time.as_secs_f64()
}

async fn measure(events: u64) -> Fallible<()> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("store");
    let store = Store::open(&path, OpenMode::Create)?;
    store.append(Incarnation(1), vec![creation()?]).await?;
    for first in (3..=events).step_by(2) {
        store.append(Incarnation(1), vec![post(first)?]).await?;
    }
    store.close()?;
    drop(store);
    for _ in 0..5 {
        let started = Instant::now();
        let store = Store::look(&path)?;
        println!("opened a closed store to read in {:?}", started.elapsed());
        drop(store);
        let started = Instant::now();
        let store = Store::open(&path, OpenMode::Existing)?;
        println!("opened a closed store to write in {:?}", started.elapsed());
        let started = Instant::now();
        store.close()?;
        drop(store);
        println!("closed it in {:?}", started.elapsed());
    }
    let store = Store::open(&path, OpenMode::Existing)?;
    let world = WorldId::from_stamp(&STAMP);
    for _ in 0..3 {
        let started = Instant::now();
        let found = store.verify(world, Against::default()).await?;
        let verifying = started.elapsed();
        assert_eq!(
            (found.verdict(), found.events),
            (LogVerdict::NotChecked, Position::new(events))
        );
        let (hashing, decoding, bytes) = bare(&store).await?;
        let (speed, beside) = (rate(events, verifying), rate(events, hashing + decoding));
        println!(
            "verified events per second        {speed:>12.0}   = {:.2} of bare",
            speed / beside
        );
        println!("bare SHA-256 and decode           {beside:>12.0}   {bytes} bytes");
        println!(
            "  SHA-256 alone                   {:>12.0}",
            rate(events, hashing)
        );
    }
    let started = Instant::now();
    let proof = store
        .inclusion_proof(world, Position::new(events / 2))
        .await?;
    println!(
        "inclusion proof: {} bytes, {:?}",
        proof.path.concat().len(),
        started.elapsed()
    );
    store.close()?;
    drop(store);
    let started = Instant::now();
    let found = examine(&path, None, &Against::default())?;
    println!(
        "examined a closed store of {} world in {:?}",
        found.worlds.len(),
        started.elapsed()
    );
    Ok(())
}

fn main() -> Fallible<()> {
    // Where tests are run, benches only have to build.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let events = std::env::var("FOLKMOOT_EVENTS")
        .ok()
        .and_then(|events| events.parse().ok())
        .unwrap_or(1_000_000);
    tokio::runtime::Runtime::new()?.block_on(measure(events))
}
