//! What the worlds of a seed say: each commit follows from the seed, its world and its place.

use folkmoot::core::command::CommandKind;
use folkmoot::core::command::commit::{CommandKey, Commit, CommitHeader, Keyed};
use folkmoot::core::content::Content;
use folkmoot::core::event::{
    Attachment, Author, ClockKind, ErasureRequested, Event, HeadSigned, MessageBody, MessagePosted,
    Occasion, Opened, Span, TalkEvent, TreeHead, WarningRecorded, WorldEvent, WorldOpened,
};
use folkmoot::core::ids::principal::{Person, Principal};
use folkmoot::core::ids::{
    Digest, Incarnation, MessageId, NodeId, PersonName, Position, Seed, Stamp, Time, WorldId,
    WorldName,
};
use folkmoot::core::spec::{Privacy, SpecText, WorldSpec};
use folkmoot_tests::Dice;

use crate::scale::mixed;

/// The only opening of each world.
pub(crate) const FIRST: Incarnation = Incarnation(1);

/// What the worlds of a seed say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Script {
    pub(crate) seed: u64,
}

/// What a commit is made of.
enum Form {
    Words,
    Several,
    Large,
    Huge,
    Attached,
    Many,
}

impl Script {
    /// Its worlds, by number.
    pub(crate) fn worlds(self) -> std::ops::Range<u8> {
        0..3 + (mixed(self.seed) % 6) as u8
    }

    pub(crate) fn id(self, world: u8) -> WorldId {
        WorldId::from_stamp(&Stamp {
            time: Time::SIMULATED_START,
            seed: Seed::new([world + 1; 16]),
        })
    }

    pub(crate) fn name(self, world: u8) -> WorldName {
        WorldName::new(format!("world-{world}")).unwrap()
    }

    fn is_sealed(self, world: u8) -> bool {
        world == 1 && self.seed.is_multiple_of(2)
    }

    /// Whether a world has so many events that its frames become due to be copied into runs.
    fn is_long(self, world: u8) -> bool {
        world == 0 && self.seed % 4 == 1
    }

    /// Whether a world says more at once than a store may write between two syncs.
    fn is_loud(self, world: u8) -> bool {
        world == 2 && self.seed % 8 == 3
    }

    /// What every text of the events from `first` on has in it.
    pub(crate) fn canary(self, world: u8, first: u64) -> String {
        format!("{}{first}-", self.canaries(world))
    }

    /// What every text of a world has in it.
    pub(crate) fn canaries(self, world: u8) -> String {
        format!("canary-{:08x}-{world}-", mixed(self.seed) as u32)
    }

    /// The file that the commit at `first` refers to, if it does to one.
    pub(crate) fn blob(self, world: u8, first: u64) -> Option<Vec<u8>> {
        let mut dice = self.dice(world, first);
        matches!(self.form(world, first, &mut dice), Form::Attached).then(|| {
            let len = 1 + dice.below(20_000);
            noise(&mut dice, self.canary(world, first), len).into_bytes()
        })
    }

    /// The commit of a world at `first`.
    pub(crate) fn commit(self, world: u8, first: u64) -> Commit {
        if first == 1 {
            return self.creation(world);
        }
        let mut dice = self.dice(world, first);
        let events = match self.form(world, first, &mut dice) {
            Form::Words => vec![self.message(world, first, first, 400, &mut dice)],
            Form::Several => (first..first + 2 + dice.below(6) as u64)
                .map(|at| self.message(world, first, at, 300, &mut dice))
                .collect(),
            Form::Large => {
                let count = 1 + dice.below(4) as u64;
                (first..first + count)
                    .map(|at| self.message(world, first, at, 50_000, &mut dice))
                    .collect()
            }
            Form::Huge => {
                let count = 5 + dice.below(5) as u64;
                (first..first + count)
                    .map(|at| self.message(world, first, at, 50_000, &mut dice))
                    .collect()
            }
            Form::Attached => vec![self.attached(world, first)],
            Form::Many => (0..150 + dice.below(100)).map(|_| warning()).collect(),
        };
        let mut commit = Commit {
            header: self.header(world, first),
            events,
        };
        if dice.happens(15) {
            let word = format!("key-{first}");
            commit.header.key = Some(Keyed {
                digest: Digest::of(&[word.as_bytes()]),
                key: CommandKey::Client(word),
            });
        }
        commit
    }

    /// A commit that says how far the world's tree has come.
    pub(crate) fn head_signed(self, world: u8, first: u64, head: TreeHead) -> Commit {
        let signed = HeadSigned {
            head,
            key: "room+00000000".to_owned(),
            signature: "AAAAAA==".to_owned(),
            occasion: Occasion::Count,
        };
        Commit {
            header: self.header(world, first),
            events: vec![Event::World(WorldEvent::HeadSigned(signed))],
        }
    }

    /// A commit that asks for an erasure.
    pub(crate) fn erasure(self, world: u8, first: u64, span: Span) -> Commit {
        let basis = Content::Present("asked by the person".to_owned());
        let asked = ErasureRequested {
            events: vec![span],
            basis,
        };
        Commit {
            header: self.header(world, first),
            events: vec![Event::World(WorldEvent::ErasureRequested(asked))],
        }
    }

    fn dice(self, world: u8, first: u64) -> Dice {
        Dice::new(mixed(self.seed ^ mixed(first ^ (u64::from(world) << 48))))
    }

    fn form(self, world: u8, first: u64, dice: &mut Dice) -> Form {
        match dice.below(100) {
            _ if first == 1 => Form::Words,
            _ if self.is_long(world) => Form::Many,
            0..=39 if self.is_loud(world) => Form::Huge,
            0..=64 => Form::Words,
            65..=79 => Form::Several,
            80..=89 => Form::Large,
            _ => Form::Attached,
        }
    }

    fn creation(self, world: u8) -> Commit {
        let mut spec = WorldSpec::default();
        if self.is_sealed(world) {
            spec.policy.privacy = Privacy::Sealed;
        }
        let text = SpecText {
            description: Some(self.canary(world, 1)),
            ..SpecText::default()
        };
        let opened = WorldOpened {
            world: self.id(world),
            name: self.name(world),
            clock: ClockKind::Simulated,
            decider: Digest::of(&[b"rules"]),
            base: None,
            source: None,
            spec_digest: Digest::of(&[b"spec"]),
            spec: Box::new(spec),
            text: Content::Present(text),
        };
        let node = NodeId::from_stamp(&Stamp {
            time: Time(7),
            seed: Seed::new([7; 16]),
        });
        let opening = Opened {
            incarnation: FIRST,
            node,
            base: None,
            signer: None,
        };
        Commit {
            header: self.header(world, 1),
            events: vec![
                Event::World(WorldEvent::WorldOpened(opened)),
                Event::World(WorldEvent::Opened(opening)),
            ],
        }
    }

    fn header(self, world: u8, first: u64) -> CommitHeader {
        let principal = match first % 3 {
            0 => person("ada"),
            1 => person("bob"),
            _ => Principal::World,
        };
        CommitHeader {
            world: self.id(world),
            first: Position::new(first),
            stamp: Stamp {
                time: Time(Time::SIMULATED_START.0 + first),
                seed: Seed::new([first as u8; 16]),
            },
            principal,
            cause: None,
            key: None,
            decider: Digest::of(&[b"rules"]),
            command: CommandKind::PostMessage,
            residual: None,
        }
    }

    /// A message of up to `len_max` letters beside its canary.
    fn message(self, world: u8, first: u64, at: u64, len_max: usize, dice: &mut Dice) -> Event {
        let len = dice.below(len_max);
        said(
            at,
            MessageBody::text(noise(dice, self.canary(world, first), len)),
        )
    }

    fn attached(self, world: u8, first: u64) -> Event {
        let bytes = self.blob(world, first).unwrap();
        let blob = Attachment {
            blob: Digest::sha256(&bytes),
            media_type: "text/plain".to_owned(),
            name: "a.txt".to_owned(),
            bytes: bytes.len() as u64,
            parts: Vec::new(),
        };
        said(
            first,
            MessageBody {
                text: self.canary(world, first),
                attachments: vec![blob],
            },
        )
    }
}

fn said(at: u64, body: MessageBody) -> Event {
    let ada = Author::Person(PersonName::new("Ada").unwrap());
    Event::Talk(TalkEvent::MessagePosted(MessagePosted::said(
        MessageId(Position::new(at)),
        ada,
        None,
        body,
    )))
}

fn warning() -> Event {
    Event::World(WorldEvent::WarningRecorded(WarningRecorded {
        code: "slow".to_owned(),
        agent: None,
    }))
}

fn person(name: &str) -> Principal {
    let display = name.to_owned().try_into().unwrap();
    Principal::Person(Person {
        method: "test".to_owned(),
        subject: name.to_owned(),
        display,
    })
}

/// Text that does not pack, with something before it.
fn noise(dice: &mut Dice, mut text: String, len: usize) -> String {
    let mut left = len;
    while left > 0 {
        let mut roll = dice.roll();
        for _ in 0..left.min(8) {
            text.push(char::from(b'!' + (roll % 90) as u8));
            roll /= 90;
        }
        left -= left.min(8);
    }
    text
}
